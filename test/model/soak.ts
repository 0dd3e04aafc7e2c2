/**
 * `npm run test:model:soak [-- STREAMS] [--only WIRE] [--seed N]`: the fuzz of streams with 100,000 of them for each
 * wire. Prints a line for each; ends with an error that has the smallest stream and its seed when one goes wrong.
 */

import { parseArgs } from 'node:util';
import { WIRES } from '../unit/model/wire-fixture.ts';
import { fuzz } from './stream-fuzz.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, seed: { type: 'string' } },
});
const streams = Number(positionals[0] ?? 100_000);
if (!(streams >= 1)) throw new Error('Usage: npm run test:model:soak [-- STREAMS] [--only WIRE] [--seed N]');

for (const tested of WIRES.filter(({ name }) => name.includes(values.only))) {
  const started = performance.now();
  await fuzz(tested, streams, values.seed === undefined ? undefined : Number(values.seed));
  console.log(`${tested.name}: ${streams} streams in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}
