/**
 * `npm run bench:model`: what the wires cost against the vendors' SDKs over the same streams, and how much of each
 * request of a long session the next one repeats. Nothing is asserted: figures depend on the machine.
 */

import { cpus } from 'node:os';
import { table } from '../figure.ts';
import { ServerProcess } from '../model-server.ts';
import { prefixTable } from './prefix.ts';
import { streamingFigures } from './streaming.ts';

process.stdout.write(`${await prefixTable()}\n\n`);
await using server = await ServerProcess.start();
process.stdout.write(`${table(await streamingFigures(server.client))}\n\n`);
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
