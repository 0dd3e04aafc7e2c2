/**
 * Watches a plugin's process from a thread of its own, because a plugin that is in a loop lets no timer of the other run:
 * its memory, as the limit of the heap does not hold buffers, and whether Midcourse is still there.
 */

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** Milliseconds. */
const EACH = 250;

const { most }: { readonly most: number } = workerData;

const { ppid } = process;

setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() <= most) return;
  // Its words are what the end is told with.
  writeSync(2, 'midcourse: memory\n');
  process.kill(process.pid, 'SIGKILL');
}, EACH);
