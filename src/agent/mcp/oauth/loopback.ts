import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { unlessAborted } from '../unless-aborted.ts';
import { answersSignIn } from './answer.ts';

export interface Loopback {
  /** Where the browser comes back to. */
  readonly uri: string;
  /**
   * Resolves with the first answer that has this state. What else is asked of the port is refused, and changes nothing:
   * any program and any web page can ask.
   */
  answer(state: string, signal: AbortSignal): Promise<URL>;
  close(): void;
}

/** What the browser shows, plain text. */
export interface LoopbackWords {
  readonly signedIn: string;
  readonly refused: string;
}

const PATH = '/signed-in';
/** Bytes of all headers: a browser sends this machine's cookies of other ports along. */
const MOST_HEADERS = 16 * 1024;
/** Connections at once; the oldest one makes room, so that whoever holds many cannot keep the browser out. */
const MOST_SOCKETS = 32;
/** Milliseconds that a request may take to arrive. */
const PATIENCE = 5_000;

/**
 * Waits for the browser on this machine, on 127.0.0.1 at a port that was free.
 *
 * @param external the address by which the browser reaches that port, which another machine may forward
 */
export async function listenForRedirect(
  words: LoopbackWords,
  external: (uri: string) => Promise<string> = async (uri) => uri,
): Promise<Loopback> {
  let waiting: { readonly state: string; resolve(url: URL): void } | undefined;
  const hosts = new Set<string>();
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADERS,
      headersTimeout: PATIENCE,
      requestTimeout: PATIENCE,
      connectionsCheckingInterval: 500,
    },
    (request, response) => {
      const url = answerOf(request, hosts);
      if (typeof url === 'number') return say(response, url, words.refused);
      if (!waiting || !answersSignIn(url, waiting.state)) return say(response, 400, words.refused);
      say(response, 200, words.signedIn);
      waiting.resolve(url);
      // It counts once.
      waiting = undefined;
    },
  );
  boundSockets(server);
  const port = await listening(server);
  for (const name of ['127.0.0.1', 'localhost']) hosts.add(`${name}:${port}`);
  try {
    const uri = await external(`http://127.0.0.1:${port}${PATH}`);
    hosts.add(new URL(uri).host);
    return {
      uri,
      answer: (state, signal) => {
        const { promise, resolve } = Promise.withResolvers<URL>();
        waiting = { state, resolve };
        return unlessAborted(promise, signal);
      },
      close: () => close(server),
    };
  } catch (error) {
    close(server);
    throw error;
  }
}

/** The address that was asked for, or the status of its refusal. */
function answerOf({ method, url = '', headers }: IncomingMessage, hosts: ReadonlySet<string>): URL | number {
  // A name that was made to lead here belongs to somebody else's page (DNS rebinding).
  if (headers.host === undefined || !hosts.has(headers.host.toLowerCase())) return 421;
  // With the path as it is written: a whole address in its place would choose its own host.
  if (url.split('?', 1)[0] !== PATH) return 404;
  if (method !== 'GET') return 405;
  return URL.canParse(url, 'http://127.0.0.1') ? new URL(url, 'http://127.0.0.1') : 400;
}

function say(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(text);
}

function boundSockets(server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > MOST_SOCKETS) oldest?.destroy();
  });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}
