/**
 * `npm run bench:memory`: what the host holds, and how much it grows meanwhile, when others send without end. Nothing is
 * asserted here; a short run of each flow is a test.
 *
 * Usage: node bench/memory/main.ts [megabytes]: 1,024 for output of commands, a tenth of it for one line of JSON.
 */

import { table } from '../figure.ts';
import { measure } from './measure.ts';
import { flows } from './scenarios.ts';

const megabytes = Number(process.argv[2] ?? 1024);
const figures = [];
for (const [index, { name }] of flows.entries()) {
  const sent = /^output/.test(name) ? megabytes : Math.ceil(megabytes / 10);
  const { held, peak } = await measure(index, sent);
  const common = { unit: 'MB' as const, references: [] };
  figures.push({ ...common, name: `${name} (${sent} MB): held after it`, samples: [held], aim: 30 });
  figures.push({ ...common, name: `${name} (${sent} MB): growth of the process`, samples: [peak] });
}
process.stdout.write(`${table(figures)}\n`);
