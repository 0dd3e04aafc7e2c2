/** Plays schedules on all processors: workers take seeds in small portions, and stop when one finds something. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Broken } from './schedule.ts';

export type Level = 'machine' | 'loop';

export interface Wanted {
  /** `machine`: the control machine in a modelled world. `loop`: the real loop, store and history in a scripted one. */
  readonly level: Level;
  readonly schedules: number;
  /** Of the first schedule; the next ones count up from it. */
  readonly seed: number;
  /** Actions of one schedule; what follows until everything has ended comes on top. */
  readonly length: number;
  readonly workers?: number;
  progress?(figures: Figures): void;
}

export interface Figures {
  readonly level: Level;
  readonly schedules: number;
  readonly seed: number;
  /** Told apart by what is shown and what is under way, not by names and times. */
  readonly states: number;
  readonly seconds: number;
  readonly broken?: Broken;
}

/** Seeds that a worker plays before it tells what came of them. */
const PORTION = 50;

export interface Portion {
  readonly level: Level;
  readonly seed: number;
  readonly count: number;
  readonly length: number;
}

export interface Played {
  readonly count: number;
  /** Fingerprints of states that this worker had not told of before. */
  readonly states: readonly number[];
  readonly broken: Broken | undefined;
}

/** Resolves when all are played or one is broken. @throws (rejects) when a worker dies */
export async function simulate(wanted: Wanted): Promise<Figures> {
  const { level, schedules, seed, length, workers = availableParallelism() } = wanted;
  const since = performance.now();
  const states = new Set<number>();
  let given = 0;
  let played = 0;
  let broken: Broken | undefined;
  const figures = (): Figures => ({
    level,
    schedules: played,
    seed,
    states: states.size,
    seconds: (performance.now() - since) / 1000,
    ...(broken ? { broken } : {}),
  });
  const next = (): Portion | undefined => {
    if (broken || given >= schedules) return undefined;
    const portion = { level, seed: seed + given, count: Math.min(PORTION, schedules - given), length };
    given += portion.count;
    return portion;
  };
  await Promise.all(
    Array.from({ length: Math.min(workers, Math.ceil(schedules / PORTION)) }, () =>
      employ(next, (result) => {
        played += result.count;
        for (const state of result.states) states.add(state);
        // The lowest seed counts, so that the same command finds the same one first.
        if (result.broken && (!broken || result.broken.seed < broken.seed)) broken = result.broken;
        wanted.progress?.(figures());
      }),
    ),
  );
  return figures();
}

function employ(next: () => Portion | undefined, done: (played: Played) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./player.ts', import.meta.url));
    let failed = false;
    const goOn = () => {
      const portion = next();
      if (portion) worker.postMessage(portion);
      else void worker.terminate().then(() => resolve(), reject);
    };
    worker.on('message', (played: Played) => {
      done(played);
      goOn();
    });
    worker.on('error', (error) => {
      failed = true;
      reject(error);
    });
    worker.on('exit', (code) => {
      if (code !== 0 && !failed && next() !== undefined) reject(new Error(`a simulating worker ended with ${code}`));
    });
    goOn();
  });
}

export function describe({ level, schedules, seed, states, seconds }: Figures): string {
  const rate = seconds > 0 ? Math.round(schedules / seconds) : 0;
  const last = seed + Math.max(schedules - 1, 0);
  return `${level}: ${schedules} schedules, ${states} distinct states, seeds ${seed} to ${last}, ${seconds.toFixed(1)} s (${rate}/s)`;
}

export function report(level: Level, { seed, problem, labels }: Broken): string {
  return [
    problem,
    `npm run sim -- --level ${level} --schedules 1 --seed ${seed}`,
    'The shortest schedule that breaks the same rule:',
    ...labels.map((label) => `  ${label}`),
  ].join('\n');
}
