/** The process of one plugin. Midcourse starts it with a pipe at file descriptor 3. */

import { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PluginSide } from './plugin-side.ts';

/** Bytes of the whole process, the only argument. */
const most = Number(process.argv[2]);
const here = fileURLToPath(import.meta.url);
const watch = new Worker(new URL(`./plugin-memory.worker${extname(here)}`, import.meta.url), { workerData: { most } });
watch.unref();

const pipe = new Socket({ fd: 3, readable: true, writable: true });
// Without Midcourse there is nobody to work for.
pipe.on('close', () => process.exit(0));
pipe.on('error', () => process.exit(0));
new PluginSide(pipe);
