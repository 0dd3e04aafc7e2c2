import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  /** Milliseconds of one question, from when the thread is up. */
  readonly question: number;
  /** Questions that may wait; more are refused at once. */
  readonly waiting: number;
  /** MB of its heap. */
  readonly memory: number;
}

/** Why a question has no answer. */
export interface NoAnswer {
  readonly why: 'limit' | 'busy' | 'failed';
  /** In words, without a full stop. */
  readonly words: string;
}

/** Milliseconds without a question, after which the thread ends. */
const IDLE = 30_000;

/**
 * One thread for work that may be long or never end: one question after the other, each with a limit, after which the
 * thread is ended and another begun. It starts with the first question and keeps no process alive.
 *
 * The thread posts one message when it is up, and then one for each question.
 */
export class WorkerThread<Question, Answer> {
  readonly #name: string;
  readonly #limits: ThreadLimits;
  #worker: Promise<Worker> | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** @param name of the file without `.ts`, an entry point of the bundle; `from` is the `import.meta.url` of a file beside it */
  constructor(name: string, from: string, limits: ThreadLimits) {
    this.#name = `${name} ${from}`;
    this.#limits = limits;
  }

  /** Never rejects. */
  ask(question: Question): Promise<Answer | NoAnswer> {
    if (this.#waiting >= this.#limits.waiting) {
      return Promise.resolve({ why: 'busy', words: `more than ${this.#limits.waiting} others wait` });
    }
    this.#waiting++;
    clearTimeout(this.#idle);
    const answered = this.#last.then(() => this.#answer(question));
    this.#last = answered.then(() => {
      if (--this.#waiting === 0) this.#idle = setTimeout(() => this.#end(), IDLE).unref();
    });
    return answered;
  }

  async #answer(question: Question): Promise<Answer | NoAnswer> {
    try {
      // Its start is not the question's time.
      this.#worker ??= started(this.#name, this.#limits);
      const answer = await within<Answer>(await this.#worker, question, this.#limits.question);
      if (answer !== undefined) return answer;
      this.#end();
      return { why: 'limit', words: `it took more than ${this.#limits.question} ms` };
    } catch (error) {
      this.#end();
      return { why: 'failed', words: error instanceof Error ? error.message : String(error) };
    }
  }

  #end(): void {
    clearTimeout(this.#idle);
    const ended = this.#worker;
    this.#worker = undefined;
    void ended?.then(
      (thread) => thread.terminate(),
      () => undefined,
    );
  }
}

function within<Answer>(thread: Worker, question: unknown, limit: number): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(timer);
      thread.off('message', answered).off('error', failed).off('exit', ended);
      then();
    };
    const answered = (answer: Answer) => settle(() => resolve(answer));
    const failed = (error: Error) => settle(() => reject(error));
    const ended = () => failed(new Error('its thread ended'));
    // A late timer of a busy host: an answer that is there by then counts.
    const timer = setTimeout(() => setImmediate(() => settle(() => resolve(undefined))), limit);
    thread.on('message', answered).on('error', failed).on('exit', ended);
    thread.postMessage(question);
  });
}

function started(name: string, { memory }: ThreadLimits): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(fileOf(name), {
      // What takes time can be made to take memory instead.
      resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: 4 },
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

/** Beside the file that asks in the sources; the bundle puts that into `dist`, `dist/chunks` or a test's folder. */
function fileOf(name: string): URL {
  const [base = '', from = ''] = name.split(' ');
  const file = `${base}.${from.endsWith('.ts') ? 'ts' : 'js'}`;
  const places = ['./', '../', '../dist/', '../../dist/', '../../../dist/'].map((place) => new URL(place + file, from));
  return places.find((place) => existsSync(fileURLToPath(place))) ?? (places[0] as URL);
}
