/**
 * `npm run bench:hooks`: what hooks cost a tool call, and what a slow hook of a stream costs a turn. The real loop, a store
 * on disk, the model server in a process of its own. Nothing is asserted: figures depend on the machine.
 */

import { cpus } from 'node:os';
import { table } from '../figure.ts';
import { streamingFigures } from './streaming.ts';
import { toolCallFigures } from './tool-calls.ts';

process.stdout.write(`${table(await toolCallFigures())}\n\n`);
process.stdout.write(`${table(await streamingFigures())}\n\n`);
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
