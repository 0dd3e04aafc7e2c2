/**
 * `npm run test:reports:soak [-- ROUNDS] [--step MS] [--only B002]`: the ten worst races by the clock, every `--step`
 * milliseconds (5) from 50 before to 50 behind each moment, on both wires in turn, ROUNDS times (1). A round takes
 * minutes. Prints a line for each race and every wrong outcome; ends with 1 when there was one.
 */

import { parseArgs } from 'node:util';
import { Rig, wires } from '../replay.ts';
import { type Case, cases } from './cases.ts';
import { actAround, timeTo } from './clock-sweep.ts';

const REACH_MS = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { step: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(positionals[0] ?? 1);
const step = Number(values.step);
if (!(rounds >= 1) || !(step > 0)) throw new Error('Usage: npm run test:reports:soak [-- ROUNDS] [--step MS]');

let wrong = 0;
console.log(
  '| race | around | runs | before | behind | wrong | seconds |\n| --- | --- | --- | --- | --- | --- | --- |',
);
for (const one of cases.filter(({ report }) => report.includes(values.only))) wrong += await sweep(one);
process.exitCode = wrong > 0 ? 1 : 0;

/** @returns how many outcomes were wrong */
async function sweep({ report, around, race }: Case): Promise<number> {
  const started = performance.now();
  const tally = { runs: 0, before: 0, behind: 0 };
  const failures: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const wire of wires) {
      const rig = await Rig.start(wire);
      try {
        for (const moment of around) {
          const expected = await timeTo(rig, race(), moment);
          for (let offset = -REACH_MS; offset <= REACH_MS; offset += step) {
            tally.runs += 1;
            try {
              const { after } = await actAround(rig, race(), moment, offset, expected);
              tally[after === undefined ? 'before' : 'behind'] += 1;
            } catch (error) {
              failures.push(`${report}, ${wire}, ${offset} ms from "${moment.name}": ${(error as Error).message}`);
            }
          }
        }
      } finally {
        await rig.close();
      }
    }
  }
  const { runs, before, behind } = tally;
  const names = around.map(({ name }) => name).join(', ');
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`| ${report} | ${names} | ${runs} | ${before} | ${behind} | ${failures.length} | ${seconds} |`);
  for (const failure of failures) console.log(`\n${failure}\n`);
  return failures.length;
}
