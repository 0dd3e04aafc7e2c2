import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unlessAborted } from '../unless-aborted.ts';

export interface Loopback {
  /** On 127.0.0.1, at a port that was free. */
  readonly uri: string;
  answer(signal: AbortSignal): Promise<URL>;
  close(): void;
}

/** Waits for the browser on this machine. @param page what the browser shows then, plain text */
export async function listenForRedirect(page: string): Promise<Loopback> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname !== '/signed-in') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(page);
    resolve(url);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    uri: `http://127.0.0.1:${port}/signed-in`,
    answer: (signal) => unlessAborted(promise, signal),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
