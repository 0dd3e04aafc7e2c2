/** One flow in a process of its own: `node --expose-gc measured.ts <index> <megabytes>`. Prints `{"held":…,"peak":…}` in MB. */

import { flows } from './scenarios.ts';

const MB = 1024 * 1024;
const collect = (globalThis as { gc?: () => void }).gc;
const flow = flows[Number(process.argv[2])];
if (!flow || !collect) throw new Error('It is started by bench/memory/main.ts.');

const kept = () => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
};
// What is loaded and compiled with the first bytes of a flow does not count.
for (let run = 0; run < 2; run++) await flow.run(4, () => undefined);
const [before, rss] = [kept(), process.memoryUsage.rss() / MB];
let peak = rss;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss() / MB);
}, 10);
let held = 0;
await flow.run(Number(process.argv[3]), () => {
  held = kept() - before;
});
clearInterval(watch);
process.stdout.write(`\n${JSON.stringify({ held, peak: peak - rss })}\n`, () => process.exit(0));
