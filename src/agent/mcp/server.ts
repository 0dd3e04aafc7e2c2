/** One server of the window: whether it may run, its connection, its restarts, and its calls one after the other. */

import { maskSecrets } from '../safety/index.ts';
import { RollingBuffer } from '../tools/index.ts';
import type { RunState } from '../trust/types.ts';
import type { Variables } from './config/fill-in.ts';
import type { ConnectionLimits, ConnectionNeeds, McpConnection } from './connection.ts';
import { RestartPlan } from './restart-plan.ts';
import type { Challenge } from './transport/http.ts';
import { Turns } from './turns.ts';
import type { DeclaredServer, McpServerDefinition, McpTool, McpToolAnswer } from './types.ts';
import { unlessAborted } from './unless-aborted.ts';

export type McpServerState =
  /** It may not run, or cannot. */
  | { readonly is: 'held'; readonly run: Exclude<RunState, { readonly is: 'active' }> }
  | { readonly is: 'stopped' }
  | { readonly is: 'starting' }
  | { readonly is: 'running' }
  /** `url` is where, with everything filled in. */
  | { readonly is: 'needs_sign_in'; readonly url: string; readonly challenge: Challenge }
  | { readonly is: 'failed'; readonly why: string };

export interface ServerNeeds extends Omit<ConnectionNeeds, 'onSaid' | 'onToolsChanged' | 'onGone'> {
  /** Whether the server may run now; asked before every start. */
  mayRun(server: DeclaredServer): Promise<RunState>;
  /** `asks`: false when nobody is there to answer; what was entered before is used then. */
  variables(server: DeclaredServer, asks: boolean): Variables;
  /** By the user's settings: the server's calls may run beside each other. */
  parallel(server: string): boolean;
  readonly limits: ConnectionLimits;
  /** Milliseconds since the epoch. */
  now(): number;
  onDidChange(): void;
  onDidSay(text: string): void;
}

/** Characters of what it said that are kept. */
const SAID = 100_000;
/** Characters of its last words in an error. */
const LAST_WORDS = 600;

export class McpServer {
  readonly declared: DeclaredServer;
  readonly #needs: ServerNeeds;
  readonly #said = new RollingBuffer(SAID);
  /** Since its last start. */
  #words = new RollingBuffer(LAST_WORDS);
  readonly #turns = new Turns();
  readonly #restarts: RestartPlan;
  /** Ends what is starting. */
  #controller = new AbortController();
  #state: McpServerState = { is: 'stopped' };
  /** What was last said to whether it may run. */
  #run: RunState = { is: 'active' };
  #connection: McpConnection | undefined;
  #starting: Promise<McpConnection> | undefined;
  #ending: Promise<void> = Promise.resolve();
  /** Those it had last: a server that crashed is started again by the next call of one of them. */
  #tools: readonly McpTool[] = [];
  /** By the user, who alone starts it again. */
  #stopped = false;
  #address: string | undefined;

  constructor(declared: DeclaredServer, needs: ServerNeeds) {
    this.declared = declared;
    this.#needs = needs;
    this.#restarts = new RestartPlan(needs.now);
  }

  get name(): string {
    return this.declared.name;
  }

  get state(): McpServerState {
    return this.#state;
  }

  /** Whether it may run, and what consent does not cover of it. */
  get run(): RunState {
    return this.#run;
  }

  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** Its calls may run beside each other. */
  get parallel(): boolean {
    return this.declared.definition?.parallel === true || this.#needs.parallel(this.name);
  }

  /** Where it was reached last, with everything filled in; undefined for a process. */
  get address(): string | undefined {
    return this.#address;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** What it and its connection said, oldest first, secrets masked. */
  get log(): string {
    return maskSecrets(this.#said.text());
  }

  /**
   * Resolves when it runs.
   * @param by `user`: asks for values, and does not wait until a restart is due
   * @throws Error in words; the state says the same
   */
  async start(by: 'user' | 'agent'): Promise<void> {
    if (by === 'user') {
      this.#stopped = false;
      this.#restarts.forgive();
    }
    await this.#connected(by);
  }

  /** True when it may be started again by itself after it has failed. */
  isDue(): boolean {
    return this.#restarts.due() === undefined;
  }

  /** Looks again whether it may run; ends it when it may not any more. */
  async review(): Promise<void> {
    const run = await this.#mayRun();
    if (run.is !== 'active') return await this.#hold(run);
    if (this.#state.is === 'held') this.#become({ is: 'stopped' });
  }

  /** Resolves when its process is gone with its tree. Only the user starts it again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#tools = [];
    await this.#end({ is: 'stopped' });
  }

  /** Ends the connection; the next start makes another one. */
  async disconnect(): Promise<void> {
    await this.#end({ is: 'stopped' });
  }

  /** As `McpCallPort.callTool`. */
  async call(tool: string, input: unknown, signal: AbortSignal): Promise<McpToolAnswer> {
    if (this.parallel) return await this.#call(tool, input, signal);
    return await this.#turns.take(signal, () => this.#call(tool, input, signal));
  }

  async foldersChanged(): Promise<void> {
    await this.#connection?.foldersChanged();
  }

  async #call(tool: string, input: unknown, signal: AbortSignal): Promise<McpToolAnswer> {
    try {
      return await this.#callOnce(tool, input, signal);
    } catch (error) {
      const { SessionLost } = await import('./connection.ts');
      if (!(error instanceof SessionLost)) throw error;
      // The server was started again and knows nothing of the session; the call was not run.
      await this.#end({ is: 'stopped' });
      return await this.#callOnce(tool, input, signal);
    }
  }

  async #callOnce(tool: string, input: unknown, signal: AbortSignal): Promise<McpToolAnswer> {
    const { NoAnswer } = await import('./connection.ts');
    const { SignInNeeded } = await import('./transport/http.ts');
    const connection = await unlessAborted(this.#connected('agent'), signal);
    if (!connection.tools.some(({ name }) => name === tool)) {
      throw new Error(`The MCP server ${this.name} has no tool "${tool}". Nothing was run.`);
    }
    const timeout = this.declared.definition?.timeout ?? 0;
    try {
      const answer = await connection.call(tool, input, timeout, signal);
      this.#restarts.worked();
      return answer;
    } catch (error) {
      if (error instanceof SignInNeeded) {
        const { url, challenge } = error;
        void this.#end({ is: 'needs_sign_in', url, challenge });
        throw new Error(`The MCP server ${this.name} asks the user to sign in again. Nothing was run.`);
      }
      if (error instanceof NoAnswer) {
        void this.#checkAlive(connection);
        throw new Error(
          `The MCP server ${this.name} did not answer within ${Math.round(timeout / 1000)} s. It was told to cancel; what it did until then is not known.`,
        );
      }
      if (signal.aborted || this.#connection === connection) throw error;
      // It ended in the middle of the call.
      throw new Error(`${textOf(error)} ${this.#lastWords()}`.trim());
    }
  }

  /** After a call without an answer: one that does not even answer a ping is ended, and started again when it is needed. */
  async #checkAlive(connection: McpConnection): Promise<void> {
    if ((await connection.isAlive()) || this.#connection !== connection) return;
    await this.#end({ is: 'failed', why: 'It does not answer any more and was ended.' });
  }

  #connected(by: 'user' | 'agent'): Promise<McpConnection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (!this.#starting) {
      const starting = this.#start(by).finally(() => {
        if (this.#starting === starting) this.#starting = undefined;
      });
      this.#starting = starting;
    }
    return this.#starting;
  }

  async #start(by: 'user' | 'agent'): Promise<McpConnection> {
    const { signal } = this.#controller;
    if (this.#stopped) throw new Error(`The MCP server ${this.name} was stopped by the user.`);
    await this.#ending;
    const run = await this.#mayRun();
    signal.throwIfAborted();
    const { definition } = this.declared;
    if (run.is !== 'active' || !definition) {
      const held = run.is === 'active' ? ({ is: 'broken', why: this.declared.broken ?? '' } as const) : run;
      // Nothing of it runs: to end it would be to wait for this very start.
      this.#tools = [];
      this.#become({ is: 'held', run: held });
      throw new Error(`The MCP server ${this.name} does not run: ${heldWords(held)}`);
    }
    const { state } = this;
    if (state.is === 'needs_sign_in' && by === 'agent' && !(await this.#needs.auth.token(state.url))) {
      throw new Error(`The MCP server ${this.name} waits for the user to sign in.`);
    }
    const due = this.#restarts.due();
    if (due !== undefined) {
      const why = this.#state.is === 'failed' ? this.#state.why : '';
      throw new Error(`The MCP server ${this.name} does not run. ${why} ${due}`);
    }
    this.#words = new RollingBuffer(LAST_WORDS);
    this.#become({ is: 'starting' });
    return await this.#open(definition, by, signal);
  }

  async #open(definition: McpServerDefinition, by: 'user' | 'agent', signal: AbortSignal): Promise<McpConnection> {
    // Loaded by the first server that starts.
    const [{ McpConnection }, { SignInNeeded }, { fillIn }] = await Promise.all([
      import('./connection.ts'),
      import('./transport/http.ts'),
      import('./config/fill-in.ts'),
    ]);
    try {
      const filled = await fillIn(definition, this.#needs.variables(this.declared, by === 'user'));
      // The user may have taken their time to enter a value.
      await this.#askAgain(signal);
      this.#address = filled.transport === 'stdio' ? undefined : filled.url;
      const connection: McpConnection = await McpConnection.open(
        filled,
        this.#connectionNeeds(() => connection),
        this.#needs.limits,
        signal,
      );
      if (signal.aborted) {
        await connection.close();
        signal.throwIfAborted();
      }
      this.#connection = connection;
      this.#tools = connection.tools;
      this.#become({ is: 'running' });
      return connection;
    } catch (error) {
      if (signal.aborted) throw new Error(`The MCP server ${this.name} was stopped.`);
      if (this.#state.is === 'held') throw error;
      if (error instanceof SignInNeeded) {
        const { url, challenge } = error;
        this.#become({ is: 'needs_sign_in', url, challenge });
        throw new Error(`The MCP server ${this.name} waits for the user to sign in.`);
      }
      this.#restarts.failed();
      const why = `${textOf(error)} ${this.#lastWords()}`.trim();
      this.#become({ is: 'failed', why });
      throw new Error(`The MCP server ${this.name} could not be started. ${why}`);
    }
  }

  async #askAgain(signal: AbortSignal): Promise<void> {
    if (this.declared.inputs.length === 0) return;
    const run = await this.#mayRun();
    signal.throwIfAborted();
    if (run.is === 'active') return;
    this.#tools = [];
    this.#become({ is: 'held', run });
    throw new Error(`The MCP server ${this.name} does not run: ${heldWords(run)}`);
  }

  #connectionNeeds(own: () => McpConnection): ConnectionNeeds {
    return {
      ...this.#needs,
      onSaid: (text) => {
        this.#said.append(text);
        this.#words.append(text);
        this.#needs.onDidSay(text);
      },
      onToolsChanged: (tools) => {
        if (this.#connection !== own()) return;
        this.#tools = tools;
        this.#needs.onDidChange();
      },
      onGone: (why) => {
        if (this.#connection !== own()) return;
        this.#connection = undefined;
        this.#restarts.failed();
        this.#become({ is: 'failed', why: `The server has ended: ${why}. ${this.#lastWords()}`.trim() });
      },
    };
  }

  async #mayRun(): Promise<RunState> {
    const run = await this.#needs.mayRun(this.declared);
    const isNews = JSON.stringify(run) !== JSON.stringify(this.#run);
    this.#run = run;
    if (isNews) this.#needs.onDidChange();
    return run;
  }

  async #hold(run: Exclude<RunState, { readonly is: 'active' }>): Promise<void> {
    this.#tools = [];
    await this.#end({ is: 'held', run });
  }

  async #end(state: McpServerState): Promise<void> {
    this.#controller.abort();
    this.#controller = new AbortController();
    const ending = [this.#starting?.then(noop, noop), this.#connection?.close()];
    this.#connection = undefined;
    this.#starting = undefined;
    this.#become(state);
    const before = this.#ending;
    this.#ending = Promise.all([before, ...ending]).then(noop);
    await this.#ending;
  }

  #become(state: McpServerState): void {
    this.#state = state;
    this.#needs.onDidChange();
  }

  #lastWords(): string {
    const words = maskSecrets(this.#words.text()).trim();
    return words === '' ? '' : `Its last words: ${words}`;
  }
}

/** Why it does not run, and what to do about it. */
export function heldWords(run: Exclude<RunState, { readonly is: 'active' }>): string {
  switch (run.is) {
    case 'waiting':
      return 'the user has not allowed it yet.';
    case 'changed':
      return 'it has changed since the user allowed it, and waits to be allowed again.';
    case 'untrusted':
      return 'this workspace is not trusted.';
    case 'disabled':
      return 'it is switched off.';
    case 'broken':
    case 'unsupported':
      return run.why;
    default:
      return run satisfies never;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function noop(): void {}
