/**
 * The `codex app-server` process: started for the first request, shared by all sessions, gone when it is disposed of.
 * One that ended, or does not answer, is never used again: everybody who waits for it is told, and the next request
 * starts another.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type * as z from 'zod';
import { codexEnvironment } from './environment.ts';
import { CodexFailure, exited, notFound, notSignedIn, silent, unexpected } from './failures.ts';
import { JsonRpc, type RequestId } from './json-rpc.ts';
import { answers, type Notification, parseNotification, parseServerRequest, type ServerRequest } from './protocol.ts';

export interface ServerOptions {
  /** Name or path of the program. */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds that it may take to answer a request of the protocol; a model's answer is none. */
  readonly patience: number;
}

/** Whoever follows a thread. */
export interface ThreadListener {
  onNotification(notification: Notification): void;
  onRequest(id: RequestId, request: ServerRequest): void;
  onGone(failure: CodexFailure): void;
}

const CLIENT = { name: 'midcourse', title: 'Midcourse', version: '1' };

/** Milliseconds that it may take to start: a large program, perhaps never read from this disk before. */
const START = 60_000;
/** Milliseconds to end by itself once its input is closed. */
const GRACE = 2_000;
/** Characters of its error output that are kept for the log. */
const SAID = 2_000;

/**
 * Codex's own agents would work out of sight: no card would show what they do, and a stop would not reach them.
 */
const ARGUMENTS = ['app-server', '-c', 'features.multi_agent=false'];

export class CodexServer {
  readonly #options: ServerOptions;
  readonly #child: ChildProcess;
  readonly #rpc: JsonRpc;
  readonly #threads = new Map<string, ThreadListener>();
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>;
  #failure: CodexFailure | undefined;
  #said = '';

  /** @throws CodexFailure when it is not installed, not signed in, or does not speak the protocol */
  static async start(options: ServerOptions): Promise<CodexServer> {
    const server = new CodexServer(options);
    try {
      await server.#greet();
      return server;
    } catch (error) {
      const failure = error instanceof CodexFailure ? error : unexpected(error);
      await server.#retire(failure);
      throw server.#failure ?? failure;
    }
  }

  private constructor(options: ServerOptions) {
    this.#options = options;
    const { command } = options;
    const windows = process.platform === 'win32';
    this.#child = spawn(windows ? `"${command}"` : command, ARGUMENTS, {
      env: codexEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !windows,
      // npm installs a script there, which only a shell can start.
      shell: windows,
      windowsHide: true,
    });
    this.#rpc = new JsonRpc(
      {
        write: (line) => this.#child.stdin?.write(`${line}\n`),
        onNotification: (method, params) => this.#notify(method, params),
        onRequest: (id, method, params) => this.#ask(id, method, params),
        onSilence: (method, ms) => this.giveUp(method, ms),
      },
      options.patience,
    );
    this.gone = this.#watch();
  }

  /** False when it has ended or was retired. */
  get usable(): boolean {
    return this.#failure === undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Rejects with `Refused`, or with a `CodexFailure` when the process is gone. */
  async call<Answer>(method: string, params: unknown, answer: z.ZodType<Answer>): Promise<Answer> {
    return await this.#rpc.call(method, params, answer);
  }

  answer(id: RequestId, result: unknown): void {
    this.#rpc.answer(id, result);
  }

  /** Milliseconds that it may take to react. */
  get patience(): number {
    return this.#options.patience;
  }

  /** It did not react in time: it is ended, and everybody who waits for it is told. */
  giveUp(method: string, ms: number): void {
    void this.#retire(silent(method, Math.round(ms / 1000)));
  }

  follow(threadId: string, listener: ThreadListener): void {
    this.#threads.set(threadId, listener);
  }

  leave(threadId: string): void {
    this.#threads.delete(threadId);
  }

  /** Ends the process; resolves when it is gone. What it had running is ended by who follows its threads. */
  async dispose(): Promise<void> {
    await this.#retire(exited('it was closed', ''));
  }

  async #greet(): Promise<void> {
    const capabilities = { experimentalApi: true, requestAttestation: false };
    await this.#rpc.call('initialize', { clientInfo: CLIENT, capabilities }, answers.initialize, START);
    this.#rpc.notify('initialized');
    const { account, requiresOpenaiAuth } = await this.#rpc.call('account/read', {}, answers.account, START);
    if (requiresOpenaiAuth && (account === null || account === undefined)) throw notSignedIn();
  }

  async #watch(): Promise<void> {
    const child = this.#child;
    // Writing to a process that has just ended: its end says all there is to say.
    child.stdin?.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-SAID);
    });
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#rpc.receive(line));
    try {
      const [code, signal] = await once(child, 'close');
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // A shell reports a program that it does not find by its exit code.
      const missing = process.platform === 'win32' && code === 1 && !this.#said.includes('codex');
      this.#gone(missing ? notFound(this.#options.command) : exited(how, this.#said));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const absent = code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR';
      this.#gone(absent ? notFound(this.#options.command) : unexpected(error));
    }
  }

  /** The first reason counts. */
  #gone(failure: CodexFailure): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#rpc.close(failure);
    const threads = [...this.#threads.values()];
    this.#threads.clear();
    for (const thread of threads) thread.onGone(failure);
  }

  async #retire(failure: CodexFailure): Promise<void> {
    this.#gone(failure);
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#kill(), GRACE);
    await this.gone;
    clearTimeout(timer);
  }

  /** The program and the script that started it; its commands have groups of their own. */
  #kill(): void {
    const { pid } = this.#child;
    if (process.platform === 'win32' || pid === undefined) {
      this.#child.kill();
      return;
    }
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // ESRCH: it ended in this moment.
    }
  }

  #notify(method: string, params: unknown): void {
    const notification = parseNotification(method, params);
    if (notification) this.#threads.get(notification.params.threadId)?.onNotification(notification);
  }

  #ask(id: RequestId, method: string, params: unknown): void {
    const request = parseServerRequest(method, params);
    const thread = request && this.#threads.get(request.params.threadId);
    if (request && thread) thread.onRequest(id, request);
    else this.#rpc.refuse(id, `Midcourse does not answer ${method}.`);
  }
}
