/** One connection to a server, from its greeting to its end. It is never opened again: a server gets a new one. */

import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, ListRootsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import * as z from 'zod';
import { visibleLine } from '../../words/visible-text.ts';
import { firstOf, type RecordProcess } from '../tools/index.ts';
import { callResultSchema, readCallResult } from './call-result.ts';
import { ListBudget, toolProblem } from './tool-bounds.ts';
import { fetchFor, type McpAuth, TOO_LONG } from './transport/http.ts';
import { StdioTransport } from './transport/stdio.ts';
import type { McpServerDefinition, McpTool, McpToolAnswer } from './types.ts';

export interface ConnectionNeeds {
  /** The environment that a server's process starts from; without keys. */
  environment(): NodeJS.ProcessEnv;
  readonly record?: RecordProcess;
  /** Absolute. */
  folders(): readonly string[];
  readonly auth: McpAuth;
  readonly version: string;
  /** Error output, log messages and whatever else the server says beside its answers. */
  onSaid(text: string): void;
  onToolsChanged(tools: readonly McpTool[]): void;
  /** It has ended without being closed, with the reason in words. Called once. */
  onGone(why: string): void;
}

/** Milliseconds. */
export interface ConnectionLimits {
  /** From the start to the list of tools. */
  readonly start: number;
  /** For the answer to a ping, after a call was not answered. */
  readonly ping: number;
}

/** The server did not answer in time. */
export class NoAnswer extends Error {}
/** The server has forgotten the session (it was started again); nothing was run. */
export class SessionLost extends Error {}

/** Milliseconds of a call that goes on telling how far it is. */
const LONGEST_CALL = 3_600_000;
/** Tools of one server; more would fill a model's window. */
const MOST_TOOLS = 512;
const DESCRIPTION = 2000;
const PAGES = 50;
/** Milliseconds between two looks at a list of tools that is said to have changed. */
const RELIST = 200;

const toolsSchema = z.looseObject({ tools: z.array(z.unknown()).default([]), nextCursor: z.string().optional() });
const toolSchema = z.looseObject({
  name: z.string().min(1),
  description: z.string().default(''),
  inputSchema: z.looseObject({ type: z.literal('object') }).catch({ type: 'object' }),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).catch({}).default({}),
});

export class McpConnection {
  readonly #needs: ConnectionNeeds;
  readonly #limits: ConnectionLimits;
  #client: Client;
  #transport: Transport | undefined;
  #opened = false;
  #closed = false;
  /** Ends what waits between two lists. */
  readonly #life = new AbortController();
  #listing: Promise<void> | undefined;
  #listAgain = false;
  #closing: Promise<void> | undefined;
  #tools: readonly McpTool[] = [];

  /**
   * Starts or reaches the server, greets it and lists its tools.
   * @param definition with everything filled in
   * @throws SignInNeeded, NoAnswer, or an Error that says what is wrong; nothing is left running then
   */
  static async open(
    definition: McpServerDefinition,
    needs: ConnectionNeeds,
    limits: ConnectionLimits,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const connection = new McpConnection(needs, limits);
    const deadline = AbortSignal.timeout(limits.start);
    try {
      await connection.#connect(definition, AbortSignal.any([signal, deadline]));
      // It may have ended just after its last answer.
      if (connection.#client.transport === undefined) throw new McpError(ErrorCode.ConnectionClosed, 'ended');
      connection.#opened = true;
      return connection;
    } catch (error) {
      // Read before the end of the process becomes the reason.
      const why = connection.#reasonOf(error);
      await connection.close();
      signal.throwIfAborted();
      if (deadline.aborted) throw new NoAnswer(`It did not finish its start within ${seconds(limits.start)}.`);
      throw why;
    }
  }

  private constructor(needs: ConnectionNeeds, limits: ConnectionLimits) {
    this.#needs = needs;
    this.#limits = limits;
    this.#client = newClient(needs);
  }

  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  get pid(): number | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.pid : undefined;
  }

  /**
   * Rejects at once when `signal` aborts; the server is told (`notifications/cancelled`).
   * @param timeout milliseconds
   * @throws NoAnswer, SessionLost, SignInNeeded, or an Error with what the server said
   */
  async call(tool: string, input: unknown, timeout: number, signal: AbortSignal): Promise<McpToolAnswer> {
    const params = { name: tool, arguments: z.record(z.string(), z.unknown()).catch({}).parse(input) };
    try {
      const result = await this.#request({ method: 'tools/call', params }, callResultSchema, timeout, signal);
      return readCallResult(result);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#reasonOf(error);
    }
  }

  /** False when it does not answer any more. */
  async isAlive(): Promise<boolean> {
    try {
      await this.#client.ping({ timeout: this.#limits.ping });
      return true;
    } catch (error) {
      // A refusal is an answer too.
      return (
        error instanceof McpError &&
        error.code !== ErrorCode.RequestTimeout &&
        error.code !== ErrorCode.ConnectionClosed
      );
    }
  }

  async foldersChanged(): Promise<void> {
    await this.#client.sendRootsListChanged();
  }

  /** Resolves when the process is gone with its tree, or the server was told. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#life.abort();
    if (this.#transport instanceof StreamableHTTPClientTransport) await this.#farewell(this.#transport);
    const ended = this.#transport?.close();
    await this.#client.close();
    await ended;
  }

  async #connect(definition: McpServerDefinition, signal: AbortSignal): Promise<void> {
    if (definition.transport === 'stdio') {
      await this.#greet(this.#process(definition), signal);
    } else if (definition.transport === 'sse') {
      await this.#greet(await this.#oldHttp(definition), signal);
    } else {
      await this.#greetOverHttp(definition, signal);
    }
    this.#tools = await this.#listTools(signal);
  }

  /** Servers of the older protocol refuse the greeting; they are greeted their way then. */
  async #greetOverHttp(
    definition: Extract<McpServerDefinition, { readonly url: string }>,
    signal: AbortSignal,
  ): Promise<void> {
    const fetch = fetchFor(definition, this.#needs.auth);
    const options = { fetch, requestInit: { headers: definition.headers } };
    try {
      await this.#greet(new StreamableHTTPClientTransport(new URL(definition.url), options), signal);
    } catch (error) {
      const refused = error instanceof StreamableHTTPError && [400, 404, 405, 406, 415].includes(error.code ?? 0);
      if (!refused || signal.aborted) throw error;
      this.#needs.onSaid(`It refused the greeting (${error.message}); trying server-sent events.\n`);
      await this.#greet(await this.#oldHttp(definition), signal);
    }
  }

  #process(definition: Extract<McpServerDefinition, { readonly transport: 'stdio' }>): Transport {
    return new StdioTransport({
      command: definition.command,
      args: definition.args,
      env: { ...this.#needs.environment(), ...definition.env },
      cwd: definition.cwd ?? process.cwd(),
      ...(this.#needs.record ? { record: this.#needs.record } : {}),
      onSaid: (text) => this.#needs.onSaid(text),
    });
  }

  async #oldHttp(definition: Extract<McpServerDefinition, { readonly url: string }>): Promise<Transport> {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    const fetch = fetchFor(definition, this.#needs.auth);
    return new SSEClientTransport(new URL(definition.url), { fetch, requestInit: { headers: definition.headers } });
  }

  async #greet(transport: Transport, signal: AbortSignal): Promise<void> {
    this.#transport = transport;
    this.#client = newClient(this.#needs);
    this.#client.onclose = () => this.#gone(transport);
    this.#client.onerror = (error) => this.#onError(error);
    this.#client.fallbackNotificationHandler = async ({ method, params }) => this.#onNotification(method, params);
    const forwarded = forward(signal);
    try {
      await this.#client.connect(transport, { signal: forwarded.signal, timeout: this.#limits.start });
    } finally {
      forwarded.stop();
    }
  }

  #gone(transport: Transport): void {
    if (!this.#opened || this.#closed || this.#transport !== transport) return;
    this.#closed = true;
    this.#life.abort();
    this.#needs.onGone(transport instanceof StdioTransport ? transport.why : 'the connection was closed');
  }

  #onError(error: Error): void {
    if (this.#closed) return;
    this.#needs.onSaid(`${error.message}\n`);
    const tooLong = error.message.includes(TOO_LONG);
    if (!this.#opened || !(tooLong || /Maximum reconnection attempts/.test(error.message))) return;
    this.#closed = true;
    this.#needs.onGone(tooLong ? TOO_LONG : 'the connection was lost and could not be made again');
    void this.close();
  }

  async #onNotification(method: string, params: unknown): Promise<void> {
    if (method === 'notifications/message') return this.#needs.onSaid(`${JSON.stringify(params).slice(0, 2000)}\n`);
    if (method !== 'notifications/tools/list_changed') return;
    this.#listAgain = true;
    this.#listing ??= this.#listChanged().finally(() => {
      this.#listing = undefined;
    });
  }

  /** One list after the other, however often a server says that it has changed: some say so at each. */
  async #listChanged(): Promise<void> {
    while (this.#listAgain && !this.#life.signal.aborted) {
      this.#listAgain = false;
      try {
        this.#tools = await this.#listTools(AbortSignal.timeout(this.#limits.start));
        this.#needs.onToolsChanged(this.#tools);
      } catch (error) {
        this.#needs.onSaid(
          `Its changed list of tools could not be read: ${error instanceof Error ? error.message : error}\n`,
        );
      }
      // It ends early with the connection.
      await pause(RELIST, undefined, { signal: this.#life.signal }).catch(() => undefined);
    }
  }

  async #listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools = new Map<string, McpTool>();
    const budget = new ListBudget();
    let isOver = false;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.size < MOST_TOOLS; page++) {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
      const answer = await this.#request(request, toolsSchema, this.#limits.start, signal);
      for (const one of answer.tools) {
        const tool = this.#readTool(one);
        if (!tool) continue;
        if (budget.takes(tool.description, tool.inputSchema)) tools.set(tool.name, tool);
        else isOver = true;
      }
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    if (isOver) this.#needs.onSaid('Its list of tools is too long; those that do not fit are left out.\n');
    if (cursor !== undefined) this.#needs.onSaid(`It has more than ${MOST_TOOLS} tools; the others are left out.\n`);
    return [...tools.values()].slice(0, MOST_TOOLS);
  }

  #readTool(tool: unknown): McpTool | undefined {
    const parsed = toolSchema.safeParse(tool);
    if (!parsed.success) {
      this.#needs.onSaid(
        `A tool was left out, it is not described as it should be: ${z.prettifyError(parsed.error)}\n`,
      );
      return undefined;
    }
    const { name, description, inputSchema, annotations } = parsed.data;
    const problem = toolProblem(name, inputSchema);
    if (problem !== undefined) {
      this.#needs.onSaid(`The tool ${visibleLine(name.slice(0, 80))} was left out: ${problem}.\n`);
      return undefined;
    }
    return {
      name,
      description: firstOf(description, DESCRIPTION),
      inputSchema,
      readOnly: annotations.readOnlyHint === true,
    };
  }

  async #request<Schema extends z.ZodType>(
    request: { readonly method: string; readonly params: Record<string, unknown> },
    schema: Schema,
    timeout: number,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const forwarded = forward(signal);
    try {
      const answer = await this.#client.request(request, z.looseObject({}), {
        timeout,
        signal: forwarded.signal,
        // A server that tells how far it is works: its time begins anew with each word of that.
        resetTimeoutOnProgress: true,
        maxTotalTimeout: Math.max(timeout, LONGEST_CALL),
        onprogress: () => undefined,
      });
      return schema.parse(answer);
    } finally {
      forwarded.stop();
    }
  }

  #reasonOf(error: unknown): Error {
    if (
      this.#transport instanceof StdioTransport &&
      error instanceof McpError &&
      error.code === ErrorCode.ConnectionClosed
    ) {
      return new Error(`The server has ended: ${this.#transport.why}.`);
    }
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
      return new NoAnswer('It did not answer in time.');
    if (error instanceof StreamableHTTPError && error.code === 404) return new SessionLost(error.message);
    if (error instanceof z.ZodError)
      return new Error(`Its answer has a form that is not understood: ${z.prettifyError(error)}`);
    if (!(error instanceof Error)) return new Error(String(error));
    // "fetch failed" says nothing; its cause does.
    return error.cause instanceof Error
      ? new Error(`${error.message}: ${error.cause.message}`, { cause: error })
      : error;
  }

  async #farewell(transport: StreamableHTTPClientTransport): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, 1000);
    // A server that is gone needs no farewell.
    await Promise.race([transport.terminateSession().catch(() => undefined), timer.promise]);
    clearTimeout(timeout);
  }
}

function newClient(needs: ConnectionNeeds): Client {
  const client = new Client(
    { name: 'midcourse', title: 'Midcourse', version: needs.version },
    // Neither sampling nor elicitation: requests for them are refused by the SDK.
    { capabilities: { roots: { listChanged: true } }, jsonSchemaValidator: trusting },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: needs.folders().map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })),
  }));
  return client;
}

/** The model reads what the server sends, whatever schema it promised. */
const trusting: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** The SDK never lets go of a signal, and cancels requests that have long been answered. */
function forward(signal: AbortSignal): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, stop: () => signal.removeEventListener('abort', abort) };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
