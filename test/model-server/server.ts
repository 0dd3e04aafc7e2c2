/**
 * A fake model server on 127.0.0.1: `/v1/chat/completions`, `/v1/messages` and `/v1/models` with true server-sent
 * events, scriptable to the byte. It refuses with 400 what the real APIs refuse.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { control } from './control.ts';
import { echo } from './echo.ts';
import { play } from './play.ts';
import { now, RecordedRequest, type RequestWire } from './request.ts';
import type { Answer } from './script.ts';
import { type Refusal, SERVED, type ServedWire } from './wires.ts';

export type Script = Answer | ((request: RecordedRequest) => Answer);

export interface ServerSettings {
  /** The only key that is let in; any key, also none, when undefined. */
  apiKey?: string | undefined;
  /** The only models that exist; all when undefined. */
  models?: readonly string[] | undefined;
  /** What a request for the list of models is answered with, by the end of its path; a list of `models` by default. */
  lists?: Readonly<Record<string, unknown>> | undefined;
  /** Off: histories that the real API refuses are answered all the same. */
  strict: boolean;
}

const MAX_BODY = 64 * 1024 * 1024;

export class ModelServer {
  /** What models were asked. */
  readonly requests: RecordedRequest[] = [];
  /** Where it was asked which models there are. */
  readonly listings: RecordedRequest[] = [];
  readonly settings: ServerSettings = { strict: true };
  /** Answers when no script waits. Repeats what the user said by default. */
  fallback: Script = echo;

  readonly #server: Server;
  readonly #standing = new Map<RecordedRequest, ServerResponse>();
  #scripts: Script[] = [];
  #taken = 0;
  #arrivals: (() => void)[] = [];

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on('connection', (socket) => socket.setNoDelay(true));
  }

  /** Port 0 picks a free one. */
  static async start(port = 0): Promise<ModelServer> {
    const server = new ModelServer();
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(port, '127.0.0.1', resolve);
    });
    return server;
  }

  /** `http://127.0.0.1:<port>` */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What an OpenAI client takes as its base URL. An Anthropic client takes `origin`. */
  get openAiBaseUrl(): string {
    return `${this.origin}/v1`;
  }

  /** Appends answers; each is used for one request, in order. */
  script(...scripts: readonly Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Answers that were not used. */
  get waiting(): number {
    return this.#scripts.length;
  }

  /** Forgets the answers that were not used. */
  forgetScripts(): void {
    this.#scripts = [];
  }

  /** Forgets scripts and requests; standing answers are cut. */
  reset(): void {
    this.#scripts = [];
    this.fallback = echo;
    this.settings.strict = true;
    this.settings.apiKey = undefined;
    this.settings.models = undefined;
    this.settings.lists = undefined;
    this.cutAnswers();
    this.requests.length = 0;
    this.listings.length = 0;
    this.#taken = 0;
  }

  /** The next request that no earlier call of this has returned; waits for it. Its body has arrived. */
  async nextRequest(): Promise<RecordedRequest> {
    const index = this.#taken++;
    return this.request(index);
  }

  /** The request with that index; waits for it. */
  async request(index: number): Promise<RecordedRequest> {
    for (;;) {
      const request = this.requests[index];
      if (request !== undefined) return request;
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }

  /** Destroys the socket of every answer that is not over, as a server that dies does. */
  cutAnswers(): void {
    for (const [request, response] of this.#standing) {
      request.close('server');
      response.socket?.destroy();
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutAnswers();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = now();
    const path = new URL(message.url ?? '/', 'http://127.0.0.1').pathname;
    const bytes = await bodyOf(message);
    if (path.startsWith('/_control')) return control(this, message, response, bytes);

    const { headers } = message;
    const port = message.socket.remotePort;
    const served = SERVED.find((wire) => wire.serves(path));
    const wire: RequestWire = served?.name ?? (this.#list(path) === undefined ? 'unknown' : 'models');
    const index = this.requests.length;
    const request = new RecordedRequest({ index, wire, path, headers, port, arrivedAt, bytes });
    this.#standing.set(request, response);
    // The other side's end is known some turns of the event loop before the response closes.
    const gone = () => void (response.writableEnded || request.close('client'));
    message.socket.once('end', gone);
    response.on('close', () => {
      message.socket.off('end', gone);
      this.#standing.delete(request);
      request.close(response.writableFinished ? 'finished' : 'client');
    });
    const answer = this.#answer(request, served);
    if (wire === 'models') this.listings.push(request);
    else this.#arrive(request);
    await play(request, answer, response, served);
  }

  #arrive(request: RecordedRequest): void {
    this.requests.push(request);
    const waiting = this.#arrivals;
    this.#arrivals = [];
    for (const resolve of waiting) resolve();
  }

  #list(path: string): unknown {
    const own = Object.entries(this.settings.lists ?? {}).find(([end]) => path.endsWith(end));
    if (own !== undefined) return own[1];
    if (!path.endsWith('/models')) return undefined;
    const models = this.settings.models ?? ['test-model'];
    return { object: 'list', data: models.map((id) => ({ id, object: 'model' })) };
  }

  #answer(request: RecordedRequest, served: ServedWire | undefined): Answer {
    const refused = this.#refusal(request, served);
    if (refused !== undefined) return refused;
    if (request.wire === 'models') {
      return { status: 200, body: this.#list(request.path) };
    }
    const script = this.#scripts.shift() ?? this.fallback;
    return typeof script === 'function' ? script(request) : script;
  }

  #refusal(request: RecordedRequest, served: ServedWire | undefined): Answer | undefined {
    const { apiKey, models, strict } = this.settings;
    const refuse = (refusal: Refusal): Answer => ({
      status: refusal.status,
      body: (served ?? SERVED[0])?.refusal(refusal, request),
      headers: { 'x-request-id': `req_${request.index}`, ...served?.refusalHeaders?.(refusal) },
    });
    if (request.wire === 'unknown')
      return refuse({ status: 404, type: 'not_found_error', message: `No route ${request.path}` });
    const { authorization, 'x-api-key': key, 'x-goog-api-key': googleKey } = request.headers;
    if (apiKey !== undefined && authorization !== `Bearer ${apiKey}` && ![key, googleKey].includes(apiKey)) {
      const message = 'Incorrect API key provided.';
      return refuse({ status: 401, type: 'authentication_error', message, code: 'invalid_api_key' });
    }
    if (served === undefined) return undefined;
    const model = served.modelOf(request);
    if (models !== undefined && !models.includes(model)) {
      const message = `The model \`${model}\` does not exist.`;
      return refuse({ status: 404, type: 'not_found_error', message, code: 'model_not_found' });
    }
    request.invalid = served.validate(request);
    if (request.invalid === undefined || !strict) return undefined;
    return refuse({ status: 400, type: 'invalid_request_error', message: request.invalid });
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('The request is larger than 64 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
