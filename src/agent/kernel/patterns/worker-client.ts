import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Unsure } from './fit.ts';
import { patternLimits } from './limits.ts';

export interface Question {
  readonly source: string;
  readonly flags: string;
}

/** Unsure because others wait, not because of the pattern. */
export interface Busy extends Unsure {
  readonly busy: true;
}

/** Milliseconds without a question, after which the thread ends. */
const IDLE = 30_000;

let worker: Promise<Worker> | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let idle: ReturnType<typeof setTimeout> | undefined;

/**
 * The indexes of the texts that the pattern fits, from the one worker: one question after the other, each with its own
 * 50 ms, after which the worker is ended and another begun. Never rejects.
 */
export function askWorker({ source, flags }: Question, texts: readonly string[]): Promise<readonly number[] | Unsure> {
  if (waiting >= patternLimits.waiting) {
    const busy: Busy = { unsure: `More than ${patternLimits.waiting} patterns wait to be judged.`, busy: true };
    return Promise.resolve(busy);
  }
  waiting++;
  clearTimeout(idle);
  const answered = last.then(() => answerOf({ source, flags }, texts));
  last = answered.then(() => {
    if (--waiting === 0) idle = setTimeout(end, IDLE).unref();
  });
  return answered;
}

async function answerOf(question: Question, texts: readonly string[]): Promise<readonly number[] | Unsure> {
  try {
    // Its start is not the question's time.
    worker ??= started();
    const thread = await worker;
    const answer = await within(thread, { ...question, texts });
    if (answer !== undefined) return answer;
    end();
    return { unsure: `The pattern ${question.source.slice(0, 100)} took more than ${patternLimits.worker} ms.` };
  } catch (error) {
    end();
    return { unsure: `The pattern could not be judged: ${error instanceof Error ? error.message : error}.` };
  }
}

function within(thread: Worker, question: Question & { readonly texts: readonly string[] }) {
  return new Promise<readonly number[] | undefined>((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(timer);
      thread.off('message', answered).off('error', failed).off('exit', ended);
      then();
    };
    const answered = (answer: readonly number[]) => settle(() => resolve(answer));
    const failed = (error: Error) => settle(() => reject(error));
    const ended = () => failed(new Error('its thread ended'));
    // A late timer of a busy host: an answer that is there by then counts.
    const timer = setTimeout(() => setImmediate(() => settle(() => resolve(undefined))), patternLimits.worker);
    thread.on('message', answered).on('error', failed).on('exit', ended);
    thread.postMessage(question);
  });
}

function started(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(workerFile(), {
      // A pattern can be made to want memory instead of time.
      resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: 4 },
      execArgv: [],
      env: {},
    });
    thread.unref();
    thread.once('message', () => {
      thread.off('error', reject);
      resolve(thread);
    });
    thread.once('error', reject);
  });
}

function end(): void {
  clearTimeout(idle);
  const ended = worker;
  worker = undefined;
  void ended?.then(
    (thread) => thread.terminate(),
    () => undefined,
  );
}

/** Beside this file in the sources; the bundle puts this code into `dist`, `dist/chunks` or a test's folder. */
function workerFile(): URL {
  const name = import.meta.url.endsWith('.ts') ? 'pattern.worker.ts' : 'pattern.worker.js';
  const places = ['./', '../', '../dist/', '../../dist/', '../../../dist/'].map(
    (folder) => new URL(`${folder}${name}`, import.meta.url),
  );
  return places.find((place) => existsSync(fileURLToPath(place))) ?? (places[0] as URL);
}
