import { HookFailure } from '../../hooks/types.ts';
import type { Clock } from '../../turn/types.ts';
import { PluginProcess, type ProcessEvents, type ProcessParts } from './plugin-process.ts';
import type { Registration } from './protocol.ts';

/** Milliseconds. */
const LIMITS = {
  /** Without a call, until the process is ended. */
  idle: 600_000,
  /** A crash later than this after its start begins a new count. */
  steady: 60_000,
};
/** Milliseconds before the next start after one crash, after two. */
const BACK_OFF = [250, 2000];
/** Crashes in a row after which it is not started again. */
const CRASHES = 3;
const REGISTRATIONS = 500;

export interface RuntimeParts {
  readonly clock: Clock;
  /** Read before each start. Rejects when it may not start now: the reason is told to who called. */
  process(): Promise<Omit<ProcessParts, 'clock' | 'events'>>;
  /** What was registered when the same plugin last ran; undefined when it has to be started to know. */
  readonly remembered: ReadonlyMap<string, Registration> | undefined;
  log: ProcessEvents['log'];
  request: ProcessEvents['request'];
  /** The registrations are not the same any more. */
  changed(): void;
  /** Told when what it registers is known: after each start. */
  remember(registrations: ReadonlyMap<string, Registration>): void;
  /** For the user: it crashed, it was ended, an exception that nobody caught. */
  problem(words: string): void;
  /** Its process has started or ended. */
  stateChanged(): void;
}

export type RuntimeState =
  | { readonly is: 'idle' }
  | { readonly is: 'starting' }
  | { readonly is: 'running'; readonly pid: number | undefined }
  /** It is not started any more until `restart`. */
  | { readonly is: 'broken'; readonly why: string };

/** A plugin's code over time: started when it is used, ended when it idles, started again when it crashed, given up after three. */
export class PluginRuntime {
  readonly #parts: RuntimeParts;
  #registrations: ReadonlyMap<string, Registration>;
  #process: PluginProcess | undefined;
  #starting: Promise<PluginProcess> | undefined;
  #state: RuntimeState = { is: 'idle' };
  #crashes = 0;
  #startedAt = 0;
  #stopIdle = () => {};
  #closed = new AbortController();

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#registrations = parts.remembered ?? new Map();
  }

  get state(): RuntimeState {
    return this.#state;
  }

  get registrations(): ReadonlyMap<string, Registration> {
    return this.#registrations;
  }

  /** Makes its registrations known: at once when they are remembered, otherwise by starting it. Rejects when it cannot start. */
  async load(): Promise<void> {
    if (this.#parts.remembered) return;
    try {
      await this.#started(this.#closed.signal);
    } catch (error) {
      // Nothing is registered, so there is no next use that would start it again.
      if (this.#state.is !== 'broken' && !this.#closed.signal.aborted) {
        this.#set({ is: 'broken', why: error instanceof Error ? error.message : String(error) });
      }
      throw error;
    }
  }

  /** As `PluginProcess.call`; starts the process when there is none. */
  async call(
    key: string,
    payload: unknown,
    call: { readonly limit: number; readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<unknown> {
    const process = await this.#started(call.signal);
    try {
      return await process.call(key, payload, call);
    } finally {
      this.#idle();
    }
  }

  /** Forgets its crashes and starts it. Rejects when it cannot start. */
  async restart(): Promise<void> {
    await this.#process?.end();
    this.#crashes = 0;
    this.#set({ is: 'idle' });
    await this.#started(this.#closed.signal);
  }

  /** Ends it for good; resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#stopIdle();
    const starting = this.#starting?.catch(() => undefined);
    await this.#process?.end();
    await starting;
  }

  /** Rejects as soon as `signal` aborts; the start goes on for those who wait beside. */
  async #started(signal: AbortSignal): Promise<PluginProcess> {
    if (this.#state.is === 'broken') throw new HookFailure('crashed', this.#state.why);
    if (this.#state.is === 'running' && this.#process) return this.#process;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await orAborted(this.#starting, signal);
  }

  async #start(): Promise<PluginProcess> {
    const wait = BACK_OFF[this.#crashes - 1];
    if (wait !== undefined) await this.#after(wait);
    const parts = await this.#parts.process();
    if (this.#closed.signal.aborted) throw new HookFailure('aborted', 'The plugin was unloaded.');
    this.#set({ is: 'starting' });
    const found = new Map<string, Registration>();
    this.#startedAt = this.#parts.clock.now();
    const process = new PluginProcess({
      ...parts,
      clock: this.#parts.clock,
      events: {
        registered: (key, registration) => {
          if (found.size >= REGISTRATIONS)
            return this.#parts.problem(`It registers more than ${REGISTRATIONS} things; the rest is left out.`);
          found.set(key, registration);
          this.#changedLater(process, found);
        },
        unregistered: (key) => {
          found.delete(key);
          this.#changedLater(process, found);
        },
        problem: (message) => this.#parts.problem(message),
        log: (level, message) => this.#parts.log(level, message),
        request: (request, signal) => this.#parts.request(request, signal),
        ended: (why) => this.#ended(why),
      },
    });
    this.#process = process;
    try {
      await process.ready;
    } catch (error) {
      await process.end();
      const why = error instanceof Error ? error.message : String(error);
      if (!(error instanceof HookFailure)) this.#set({ is: 'broken', why: `It cannot be used. ${why}` });
      throw error instanceof HookFailure ? error : new HookFailure('crashed', why);
    }
    this.#set({ is: 'running', pid: process.pid });
    this.#keep(found);
    this.#idle();
    return process;
  }

  /** What is registered after the start counts at once; during the start all of it together. */
  #changedLater(process: PluginProcess | undefined, found: ReadonlyMap<string, Registration>): void {
    if (this.#state.is === 'running' && process === this.#process) this.#keep(found);
  }

  #keep(found: ReadonlyMap<string, Registration>): void {
    const before = JSON.stringify([...this.#registrations]);
    this.#registrations = new Map(found);
    this.#parts.remember(this.#registrations);
    if (JSON.stringify([...this.#registrations]) !== before) this.#parts.changed();
  }

  #ended(why: string | undefined): void {
    this.#process = undefined;
    this.#stopIdle();
    if (why === undefined || this.#closed.signal.aborted) {
      if (this.#state.is !== 'broken') this.#set({ is: 'idle' });
      return;
    }
    const lived = this.#parts.clock.now() - this.#startedAt;
    this.#crashes = lived > LIMITS.steady ? 1 : this.#crashes + 1;
    if (this.#crashes < CRASHES) {
      this.#set({ is: 'idle' });
      this.#parts.problem(why);
      return;
    }
    this.#set({
      is: 'broken',
      why: `${why} That was the third time in a row: it is not started again until you restart it.`,
    });
    this.#parts.problem(`${why} That was the third time in a row: it is not started again until you restart it.`);
  }

  /** Counts anew from the last call; a process that works is not ended. */
  #idle(): void {
    this.#stopIdle();
    this.#stopIdle = this.#parts.clock.after(LIMITS.idle, () => {
      const process = this.#process;
      if (process?.busy) return this.#idle();
      void process?.end();
    });
  }

  #set(state: RuntimeState): void {
    this.#state = state;
    this.#parts.stateChanged();
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#parts.clock.after(ms, resolve);
      this.#closed.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new HookFailure('aborted', 'It was stopped.'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
