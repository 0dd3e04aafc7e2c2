/**
 * Watches the memory of a plugin's process from a thread of its own: the limit of the heap does not hold buffers, and a
 * plugin that takes them in a loop lets no timer run.
 */

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** Milliseconds. */
const EACH = 250;

const { most }: { readonly most: number } = workerData;

setInterval(() => {
  if (process.memoryUsage.rss() <= most) return;
  // Its words are what the end is told with.
  writeSync(2, 'midcourse: memory\n');
  process.kill(process.pid, 'SIGKILL');
}, EACH);
