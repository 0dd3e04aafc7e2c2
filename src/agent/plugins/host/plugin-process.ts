import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import { limitWords } from '../../hooks/limits.ts';
import { HookFailure } from '../../hooks/types.ts';
import { commandEnvironment, endTree, MARK, type RecordProcess, readPacedText } from '../../tools/index.ts';
import { atMost } from '../../turn/at-most.ts';
import type { Clock } from '../../turn/types.ts';
import { PacedLines } from './lines.ts';
import {
  type FromPlugin,
  fromPlugin,
  type PluginRequest,
  type PluginStart,
  type Registration,
  type ToPlugin,
} from './protocol.ts';

/** Milliseconds. */
const LIMITS = {
  /** For `register`. */
  start: 30_000,
  /** For an answer to *are you there* after a call that was given up. */
  ping: 2000,
  /** For `onUnload`, and a little for the way. */
  unload: 1200,
  /** For what a process that is gone has still said. */
  close: 200,
};
/** Bytes that may wait for a process that does not read. */
const UNREAD = 32 * 1024 * 1024;
/** Characters of a line that a plugin prints. */
const LINE = 2000;
/** Requests of a plugin under way at once. */
const REQUESTS = 64;

export interface ProcessParts {
  /** Absolute path of `plugin-host.child.js`. */
  readonly entry: string;
  readonly start: PluginStart;
  /** Megabytes of its heap. */
  readonly memory: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Names of variables that hold model keys. */
  readonly secretEnv: readonly string[];
  /** Variables that it gets beside the clean environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly record?: RecordProcess;
  readonly events: ProcessEvents;
}

export interface ProcessEvents {
  registered(key: string, registration: Registration): void;
  unregistered(key: string): void;
  problem(message: string): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
  /** May reject: the plugin's promise does then. `signal` aborts when the process ends. */
  request(request: PluginRequest, signal: AbortSignal): Promise<unknown>;
  /** Exactly once; undefined when it was asked to end. */
  ended(why: string | undefined): void;
}

interface Call {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HookFailure) => void;
}

/** One process that runs one plugin. It is never waited for beyond a limit, and ended with its tree when it does not answer. */
export class PluginProcess {
  /** Resolves when `register` has ended; rejects when the plugin cannot be used. */
  readonly ready: Promise<void>;
  readonly #parts: ProcessParts;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #lines: PacedLines;
  readonly #mark = randomUUID();
  readonly #forget: (() => void) | undefined;
  readonly #calls = new Map<number, Call>();
  readonly #life = new AbortController();
  readonly #gone: Promise<void>;
  /** What it started is gone too. */
  #treeGone: Promise<void> = Promise.resolve();
  #settle: { resolve(): void; reject(error: Error): void } = { resolve() {}, reject() {} };
  #ids = 0;
  #requests = 0;
  /** The words of an end that we have decided on; `asked` for one that is none of the plugin's doing. */
  #why: { readonly asked: true } | { readonly asked: false; readonly words: string } | undefined;
  #stderr = '';
  #stopPing: (() => void) | undefined;
  #pinged = 0;
  #unloaded = () => {};

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.ready = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // It is also asked for later, by each call.
    this.ready.catch(() => undefined);
    this.#forget = parts.record?.(this.#mark, `plugin ${parts.start.plugin.id}`);
    this.#child = spawn(
      process.execPath,
      [`--max-old-space-size=${parts.memory}`, parts.entry, String(mostMemory(parts.memory))],
      {
        cwd: parts.start.plugin.root,
        env: this.#environment(),
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
      },
    );
    this.#pipe = this.#child.stdio[3] as Duplex;
    // It breaks when the process ends, which then tells more; otherwise the plugin has closed it.
    this.#pipe.on('error', () => this.#pipe.destroy());
    this.#pipe.on('close', () => parts.clock.after(LIMITS.close, () => this.#end('It closed its connection.')));
    this.#lines = new PacedLines(this.#pipe, parts.clock, {
      message: (text) => this.#receive(text),
      flood: (why) => this.#end(why),
    });
    this.#gone = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#over(`It could not be started: ${error.message}`, resolve));
      this.#child.once('exit', (code, signal) => {
        const over = () => this.#over(this.#exitWords(code, signal), resolve);
        // Its last words say what it died of; what it has started may keep the pipes open.
        this.#child.once('close', over);
        parts.clock.after(LIMITS.close, over);
      });
    });
    this.#print(this.#child.stdout, 'info');
    this.#print(this.#child.stderr, 'warn');
    const stopStart = parts.clock.after(LIMITS.start, () =>
      this.#end(`Its register took longer than ${limitWords(LIMITS.start)}.`),
    );
    void this.ready.then(stopStart, stopStart);
    this.#send({ type: 'start', ...parts.start });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Calls under way. */
  get busy(): boolean {
    return this.#calls.size + this.#requests > 0;
  }

  /**
   * Rejects with a `HookFailure`: `threw`, `timeout` after `limit` ms, `crashed` when the process ends, and `aborted` at
   * once when `signal` aborts. A call that was given up ends a process that is blocked.
   */
  async call(
    key: string,
    payload: unknown,
    { limit, signal, sessionId }: { readonly limit: number; readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<unknown> {
    if (signal.aborted) throw new HookFailure('aborted', 'It was stopped.');
    if (this.#life.signal.aborted) throw this.#crashed();
    if (this.#pipe.writableLength > UNREAD) {
      this.#end('It does not read what it is told.');
      throw this.#crashed();
    }
    const id = ++this.#ids;
    let release = () => {};
    try {
      return await new Promise((resolve, reject) => {
        this.#calls.set(id, { resolve, reject });
        const giveUp = (error: HookFailure) => {
          reject(error);
          this.#send({ type: 'cancel', id });
          this.#ping();
        };
        const onAbort = () => giveUp(new HookFailure('aborted', 'It was stopped.'));
        signal.addEventListener('abort', onAbort, { once: true });
        const stopTimer = this.#parts.clock.after(limit, () =>
          giveUp(new HookFailure('timeout', `It took longer than ${limitWords(limit)}.`)),
        );
        release = () => {
          stopTimer();
          signal.removeEventListener('abort', onAbort);
        };
        this.#send({ type: 'call', id, key, payload, sessionId });
      });
    } finally {
      release();
      this.#calls.delete(id);
    }
  }

  /** Lets it unload, for a second, then ends it. Resolves when it is gone with what it started; never rejects. */
  async end(): Promise<void> {
    if (!this.#life.signal.aborted && this.#why === undefined) {
      this.#why = { asked: true };
      const unloaded = new Promise<void>((resolve) => {
        this.#unloaded = resolve;
        this.#send({ type: 'unload' });
      });
      await atMost(this.#parts.clock, LIMITS.unload, Promise.race([unloaded, this.#gone]));
      this.#kill();
    }
    await this.#gone;
    await this.#treeGone;
  }

  #environment(): NodeJS.ProcessEnv {
    const { environment, secretEnv, variables } = this.#parts;
    const { NODE_OPTIONS: _, ...clean } = commandEnvironment(environment, secretEnv);
    return { ...clean, ...variables, ELECTRON_RUN_AS_NODE: '1', [MARK]: this.#mark };
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (message === undefined) return this.#end('It sent a message that Midcourse does not know.');
    switch (message.type) {
      // What it takes back when it is ended it has again at its next start.
      case 'registered':
        return this.#why ? undefined : this.#parts.events.registered(message.key, message.registration);
      case 'unregistered':
        return this.#why ? undefined : this.#parts.events.unregistered(message.key);
      case 'ready':
        return this.#settle.resolve();
      case 'failed':
        this.#settle.reject(new Error(message.message));
        this.#why ??= { asked: true };
        return this.#kill();
      case 'result':
        return this.#calls.get(message.id)?.resolve(message.value);
      case 'error':
        return this.#calls.get(message.id)?.reject(new HookFailure('threw', message.message));
      case 'problem':
        return this.#parts.events.problem(message.message);
      case 'log':
        return this.#parts.events.log(message.level, message.message);
      case 'request':
        return void this.#answer(message.id, message.request);
      case 'pong':
        if (message.id === this.#pinged) this.#stopPing?.();
        return;
      case 'unloaded':
        return this.#unloaded();
      default:
        return message satisfies never;
    }
  }

  async #answer(id: number, request: PluginRequest): Promise<void> {
    if (this.#requests >= REQUESTS) {
      return this.#send({ type: 'answer', id, error: `At most ${REQUESTS} requests at once.` });
    }
    this.#requests += 1;
    try {
      const value = await this.#parts.events.request(request, this.#life.signal);
      this.#send({ type: 'answer', id, value: value ?? null });
    } catch (error) {
      this.#send({ type: 'answer', id, error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#requests -= 1;
    }
  }

  /** A process that answers is only slow with one call; one that does not is blocked, and everything that it does with it. */
  #ping(): void {
    if (this.#stopPing || this.#life.signal.aborted) return;
    this.#pinged = ++this.#ids;
    const stop = this.#parts.clock.after(LIMITS.ping, () => this.#end('It was blocked: it did not answer any more.'));
    this.#stopPing = () => {
      stop();
      this.#stopPing = undefined;
    };
    this.#send({ type: 'ping', id: this.#pinged });
  }

  /** Ends it now, and says why. */
  #end(words: string): void {
    if (this.#life.signal.aborted) return;
    this.#why ??= { asked: false, words };
    this.#lines.close();
    this.#kill();
  }

  #kill(): void {
    const { pid } = this.#child;
    this.#child.kill('SIGKILL');
    // What it has started goes as well.
    if (pid === undefined) return this.#forget?.();
    const before = this.#treeGone;
    this.#treeGone = endTree({ pid, mark: this.#mark }, AbortSignal.abort()).then((survivors) => {
      if (survivors.length === 0) this.#forget?.();
      return before;
    });
  }

  #over(words: string, gone: () => void): void {
    if (this.#life.signal.aborted) return;
    this.#why ??= { asked: false, words };
    this.#stopPing?.();
    this.#lines.close();
    this.#pipe.destroy();
    this.#life.abort();
    this.#kill();
    const crashed = this.#crashed();
    for (const call of this.#calls.values()) call.reject(crashed);
    this.#settle.reject(crashed);
    gone();
    this.#parts.events.ended(this.#why.asked ? undefined : this.#why.words);
  }

  #crashed(): HookFailure {
    return new HookFailure('crashed', this.#why?.asked === false ? this.#why.words : 'It was ended.');
  }

  #exitWords(code: number | null, signal: NodeJS.Signals | null): string {
    if (/heap (limit|out of memory)|Reached heap limit/i.test(this.#stderr)) {
      return `It needed more than the ${this.#parts.memory} MB of memory that a plugin may have.`;
    }
    if (/midcourse: memory/.test(this.#stderr)) {
      return `It needed far more than the ${this.#parts.memory} MB of memory that a plugin may have.`;
    }
    return signal ? `It crashed (${signal}).` : `It ended itself with exit code ${code}.`;
  }

  /** What it prints is told line by line, and bounded. */
  #print(stream: Readable | null, level: 'info' | 'warn'): void {
    if (!stream) return;
    let budget = 64 * 1024;
    void readPacedText(stream, (text) => {
      if (level === 'warn') this.#stderr = (this.#stderr + text).slice(-20_000);
      if (budget <= 0) return;
      budget -= text.length;
      for (const line of text.split('\n')) if (line.trim() !== '') this.#parts.events.log(level, line.slice(0, LINE));
      if (budget <= 0)
        this.#parts.events.log('warn', 'It prints too much; what follows is left out until it starts again.');
    });
  }

  #send(message: ToPlugin): void {
    if (!this.#life.signal.aborted && this.#pipe.writable) this.#pipe.write(`${JSON.stringify(message)}\n`);
  }
}

/** Bytes of the process: Node itself, twice the heap and what lies beside it. */
function mostMemory(megabytes: number): number {
  return (megabytes * 2 + 256) * 1024 * 1024;
}

function readMessage(text: string): FromPlugin | undefined {
  try {
    return fromPlugin.parse(JSON.parse(text));
  } catch {
    // The caller ends the process and says so.
    return undefined;
  }
}
