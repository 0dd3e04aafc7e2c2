/** A worker of `pool.ts`. */

import { parentPort } from 'node:worker_threads';
import { runLoopSchedule } from './loop/schedule.ts';
import { memoryStore } from './loop/store.ts';
import type { Played, Portion } from './pool.ts';
import { type Broken, runSchedule } from './schedule.ts';
import { Violation } from './violation.ts';

/** A database that has held this many sessions is given up for a fresh one. */
const SESSIONS = 1000;
/** Fingerprints that are remembered; more would cost memory and say little. */
const REMEMBERED = 3_000_000;

const seen = new Set<number>();
let fresh: number[] = [];
let store = memoryStore(() => 0);
let sessions = 0;

function visit(identity: string): void {
  const print = fingerprint(identity);
  if (seen.has(print) || seen.size >= REMEMBERED) return;
  seen.add(print);
  fresh.push(print);
}

/** 53 bits: two states out of millions share one by chance once in thousands of runs. */
function fingerprint(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}

async function play({ level, seed, count, length }: Portion): Promise<Played> {
  fresh = [];
  let broken: Broken | undefined;
  let played = 0;
  for (; played < count && !broken; played += 1) {
    if (level === 'machine') broken = runSchedule(seed + played, length, visit);
    else broken = await runLoopSchedule(freshStore(), seed + played, length, visit);
  }
  return { count: played, states: fresh, broken };
}

function freshStore() {
  sessions += 1;
  if (sessions % SESSIONS === 0) {
    store.close();
    store = memoryStore(() => 0);
  }
  return store;
}

const port = parentPort;
if (!port) throw new Error('player.ts is a worker');
// Nothing of the product may be left floating. The schedule that did it is the one that plays, so it ends here.
process.on('unhandledRejection', (error) => {
  throw new Violation('0 rejection', error instanceof Error ? (error.stack ?? error.message) : String(error));
});
port.on('message', (portion: Portion) => {
  void play(portion).then((played) => port.postMessage(played));
});
