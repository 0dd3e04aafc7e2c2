import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Register } from '../../../plugin-api.ts';
import { createContext } from './context.ts';
import {
  type FromPlugin,
  type PluginRequest,
  type PluginStart,
  type Registration,
  registration as registrationSchema,
  request as requestSchema,
  type ToPlugin,
} from './protocol.ts';

/** What is called for a registration. */
export type Called = (payload: unknown, call: { readonly signal: AbortSignal; readonly sessionId: string }) => unknown;

/** Milliseconds that `onUnload` gets. */
const UNLOAD = 1000;
/** Bytes that may wait to be read before what is logged is dropped. */
const UNREAD = 1024 * 1024;

/** The plugin's end of the pipe: runs its module and answers calls. */
export class PluginSide {
  readonly #pipe: Duplex;
  readonly #called = new Map<string, Called>();
  readonly #running = new Map<number, AbortController>();
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #unload: (() => unknown)[] = [];
  #asks = 0;

  constructor(pipe: Duplex) {
    this.#pipe = pipe;
    createInterface({ input: pipe }).on('line', (line) => void this.#receive(JSON.parse(line) as ToPlugin));
    // As in an editor's own host: what was thrown past everybody is said, and the others go on.
    process.on('uncaughtException', (error) => this.#uncaught('Nobody caught', error));
    process.on('unhandledRejection', (error) => this.#uncaught('Nobody caught the rejection', error));
  }

  /** @throws TypeError when it is not as it has to be, or the plugin has registered the same already */
  register(key: string, registration: Registration, called: Called = () => undefined): { dispose(): void } {
    fit(registrationSchema, registration, key);
    if (this.#called.has(key)) throw new TypeError(`The plugin has registered ${key} already.`);
    this.#called.set(key, called);
    this.#send({ type: 'registered', key, registration });
    return {
      dispose: () => {
        if (this.#called.get(key) !== called) return;
        this.#called.delete(key);
        this.#send({ type: 'unregistered', key });
      },
    };
  }

  /** Rejects with a TypeError when it is not as it has to be. */
  async ask(request: PluginRequest): Promise<unknown> {
    fit(requestSchema, request, request.is);
    const id = ++this.#asks;
    return await new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#send({ type: 'request', id, request });
    });
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
    // Words that nobody has read yet are not worth the process's memory.
    if (this.#pipe.writableLength > UNREAD) return;
    this.#send({ type: 'log', level, message: String(message).slice(0, 10_000) });
  }

  problem(message: string): void {
    this.#send({ type: 'problem', message: message.slice(0, 10_000) });
  }

  #uncaught(what: string, error: unknown): void {
    this.log('error', `${what}: ${told(error)}`);
    this.problem(`${what}: ${messageOf(error)}`);
  }

  onUnload(callback: () => unknown): void {
    this.#unload.push(callback);
  }

  async #receive(message: ToPlugin): Promise<void> {
    switch (message.type) {
      case 'start':
        return await this.#start(message);
      case 'call':
        return await this.#call(message.id, message.key, message.payload, message.sessionId);
      case 'cancel':
        this.#running.get(message.id)?.abort();
        return;
      case 'answer': {
        const asked = this.#asked.get(message.id);
        this.#asked.delete(message.id);
        if (message.error === undefined) asked?.resolve(message.value);
        else asked?.reject(new Error(message.error));
        return;
      }
      case 'ping':
        return this.#send({ type: 'pong', id: message.id });
      case 'unload':
        return await this.#end();
      default:
        return message satisfies never;
    }
  }

  async #start(start: PluginStart): Promise<void> {
    try {
      const module: unknown = await import(pathToFileURL(start.main).href);
      const register = registerOf(module);
      if (!register) throw new Error('It exports no function "register".');
      await register(createContext(start, this));
      this.#send({ type: 'ready' });
    } catch (error) {
      this.log('error', told(error));
      const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
      this.#send({ type: 'failed', message: `${name}${messageOf(error)}`.slice(0, 10_000) });
    }
  }

  async #call(id: number, key: string, payload: unknown, sessionId: string): Promise<void> {
    const called = this.#called.get(key);
    if (!called) return this.#send({ type: 'error', id, message: 'The plugin does not have it any more.' });
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const value = await called(payload, { signal: running.signal, sessionId });
      this.#send({ type: 'result', id, value: value ?? null });
    } catch (error) {
      // Where it was thrown is for the log: the same error has to have the same words each time.
      this.log('error', `${key}: ${told(error)}`);
      this.#send({ type: 'error', id, message: messageOf(error).slice(0, 10_000) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #end(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, UNLOAD);
    });
    await Promise.race([Promise.allSettled(this.#unload.map(async (callback) => await callback())), late]);
    clearTimeout(timer);
    this.#send({ type: 'unloaded' });
  }

  #send(message: FromPlugin): void {
    let line: string;
    try {
      line = message.type === 'result' ? resultLine(message.id, message.value) : JSON.stringify(message);
    } catch (error) {
      // A circle, a bigint: what the plugin answered is no JSON.
      const why = `The answer is no JSON: ${error instanceof Error ? error.message : error}`;
      if (message.type === 'result') return this.#send({ type: 'error', id: message.id, message: why });
      return this.problem(why);
    }
    this.#pipe.write(`${line}\n`);
  }
}

function registerOf(module: unknown): Register | undefined {
  const { register, default: standard } = module as { register?: unknown; default?: unknown };
  const found = register ?? (standard as { register?: unknown } | undefined)?.register ?? standard;
  return typeof found === 'function' ? (found as Register) : undefined;
}

/** @throws TypeError for what is no JSON, such as a function */
function resultLine(id: number, value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`a ${typeof value} has none`);
  return `{"type":"result","id":${id},"value":${json}}`;
}

/** Here, so that its author sees where the mistake is: the other side would end the process. */
function fit(schema: z.ZodType, value: unknown, what: string): void {
  const { error } = schema.safeParse(value);
  if (error) throw new TypeError(`${what.slice(0, 100)} cannot be used: ${z.prettifyError(error)}`);
}

function messageOf(error: unknown): string {
  return words(error instanceof Error ? error.message : error);
}

function told(error: unknown): string {
  return words(error instanceof Error ? (error.stack ?? error.message) : error);
}

/** Anything can be thrown, also what no text can be made of. */
function words(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'It threw something that has no words.';
  }
}
