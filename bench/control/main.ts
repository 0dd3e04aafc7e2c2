/**
 * `npm run bench:control [-- --runs N] [--lengths 10,1000] [--only WORDS]`: how long stop, steer and redirect take to do
 * what they promise, in conversations of growing length. `--only` picks the scenarios whose name has the words.
 *
 * The real loop, a store on disk, sockets and processes, the model server in a process of its own, no editor. What the
 * chat adds is measured by `npm run bench`. Nothing here is asserted: figures depend on the machine and on what else runs.
 */

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { type Sample, type Scenario, scenarios } from './scenarios.ts';
import { Stage } from './stage.ts';
import { type Measured, table } from './table.ts';

/** Runs before the ones that count: code is compiled and connections are opened in the first. */
const WARM_UP = 5;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    lengths: { type: 'string', default: '10,100,1000,10000' },
    only: { type: 'string', default: '' },
  },
});
const runs = Number(values.runs);
const lengths = values.lengths.split(',').map(Number);
const chosen = scenarios.filter(({ name }) => name.includes(values.only));
if (!(runs >= 1) || !lengths.every((length) => length >= 1) || chosen.length === 0) {
  throw new Error(`There is nothing to measure. The scenarios are: ${scenarios.map(({ name }) => name).join('; ')}.`);
}

const measured = new Map<Scenario, Measured>();
await using stage = await Stage.start();
for (const scenario of chosen) {
  const byLength = new Map<number, readonly Sample[]>();
  measured.set(scenario, byLength);
  for (const length of lengths) {
    byLength.set(length, await measure(scenario, length));
    process.stderr.write(`${scenario.name}: ${length} rows\n`);
  }
}
const stoppedCommands = [...measured]
  .filter(([{ figures }]) => 'process tree gone' in figures)
  .flatMap(([, byLength]) => [...byLength.values()].flat()).length;
if (stoppedCommands > 0) {
  // A run in which one lives ends the bench with an error.
  process.stdout.write(`Of ${stoppedCommands} stopped commands none had a process left when its turn had ended.\n\n`);
}
process.stdout.write(`${table(measured, lengths)}\n\n${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);

async function measure(scenario: Scenario, length: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const counted = Math.min(runs, scenario.atMost ?? runs);
  let session: LiveSession | undefined;
  for (let run = -Math.min(WARM_UP, counted); run < counted; run++) {
    // Each run makes it longer; a conversation that has grown by a tenth is no longer what it stands for.
    if (session && stage.length(session) > length * 1.1) {
      session.dispose();
      session = undefined;
    }
    session ??= stage.open(length);
    await stage.server.reset();
    const sample = await scenario.run(stage, session);
    await session.settled();
    if (run >= 0) samples.push(sample);
  }
  session?.dispose();
  return samples;
}
