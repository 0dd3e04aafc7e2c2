import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Exactly as it came. */
  readonly body: Buffer;
}

/** A server that keeps what it is sent and answers as it is told. */
export class WebhookServer {
  readonly received: Received[] = [];
  readonly url: string;
  /** The statuses of the next answers; then 200. A function answers by itself, or not at all. */
  answers: (number | ((response: ServerResponse) => void))[] = [];
  readonly #close: () => Promise<void>;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  static async start(): Promise<WebhookServer> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      started.take({ path: request.url ?? '', headers: request.headers, body }, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const started = new WebhookServer(`http://127.0.0.1:${port}/hook`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return started;
  }

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** Resolves when so many have come. */
  async has(count: number): Promise<readonly Received[]> {
    if (this.received.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    }
    return this.received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  take(received: Received, response: ServerResponse): void {
    this.received.push(received);
    const answer = this.answers.shift() ?? 200;
    if (typeof answer === 'function') answer(response);
    else response.writeHead(answer, { location: '/elsewhere' }).end('done');
    for (const { count, resolve } of this.#waiting) if (this.received.length >= count) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.received.length);
  }
}
