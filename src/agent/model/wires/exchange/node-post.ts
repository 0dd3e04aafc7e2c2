/**
 * POST over `node:http`. The platform's `fetch` ends a stream that says nothing for 300 s, whatever its caller wants,
 * and a model may think longer; it also takes some milliseconds more until a request leaves, and until a stop closes it.
 */

import http, { type IncomingMessage, type RequestOptions } from 'node:http';
// Not by their names: the editor puts its proxy and its certificates into these very objects.
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { WireResponse } from './http.ts';

export interface NodePost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Closes the socket at once, before the head and after. */
  readonly signal: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Idle connections that are kept for each host. */
const KEPT = { keepAlive: true, maxFreeSockets: 4 } as const;
const agents = { 'http:': new http.Agent(KEPT), 'https:': new https.Agent(KEPT) };

/**
 * Resolves with the head of the answer; redirects are not followed. Rejects with the platform's error.
 *
 * A server may close a kept connection in the moment in which it is used again: nothing of the request was read then,
 * so it goes out once more.
 */
export async function nodePost(post: NodePost): Promise<WireResponse> {
  try {
    return await attempt(post);
  } catch (error) {
    if (!(error instanceof StaleConnection) || post.signal.aborted) throw error;
    return attempt(post);
  }
}

class StaleConnection extends Error {
  readonly code = 'ECONNRESET';
}

function attempt({ url, headers, body, signal }: NodePost): Promise<WireResponse> {
  const target = new URL(url);
  const secure = target.protocol === 'https:';
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options: RequestOptions = {
      method: 'POST',
      agent: agents[secure ? 'https:' : 'http:'],
      headers: {
        'user-agent': 'midcourse',
        'accept-encoding': 'identity',
        ...headers,
        'content-length': String(bytes.length),
      },
    };
    const request = (secure ? https : http).request(target, options);
    let headed = false;
    // Behind the head the body's reader is told by itself, and a socket whose answer is complete has no listener left.
    const abort = () => request.destroy(headed ? undefined : new DOMException('It was stopped.', 'AbortError'));
    const connecting = setTimeout(() => request.destroy(timedOut()), CONNECT_TIMEOUT_MS);
    signal.addEventListener('abort', abort, { once: true });
    request.on('socket', (socket) => {
      const connected = () => clearTimeout(connecting);
      if (!socket.connecting) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    });
    request.on('response', (message) => {
      headed = true;
      // Who reads the body is told by its iterator; when nobody does, nobody has to know.
      message.on('error', () => {});
      resolve(responseOf(message));
    });
    request.on('error', (error) => {
      const stale = request.reusedSocket && (error as { code?: unknown }).code === 'ECONNRESET';
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    request.on('close', () => {
      clearTimeout(connecting);
      signal.removeEventListener('abort', abort);
      // Also without an error, as after an answer that switches to another protocol. Nothing, when it was settled before.
      reject(hungUp());
    });
    request.end(bytes);
  });
}

function hungUp(): Error {
  return Object.assign(new Error('The server closed the connection without an answer.'), { code: 'ECONNRESET' });
}

function timedOut(): Error {
  return Object.assign(new Error('The connection was not made in time.'), { code: 'ETIMEDOUT' });
}

function responseOf(message: IncomingMessage): WireResponse {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const status = message.statusCode ?? 0;
  return { ok: status >= 200 && status < 300, status, headers, body: decoded(message) };
}

/** As it was sent, also by a server that compresses what it was asked not to. */
function decoded(message: IncomingMessage): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(message.headers['content-encoding']);
  if (decoder === undefined) return message;
  // `pipe` hands no failure on.
  message.on('error', (error) => decoder.destroy(error));
  message.on('close', () => {
    if (!message.complete) decoder.destroy(new StaleConnection('The answer broke off.'));
  });
  decoder.on('close', () => message.destroy());
  return message.pipe(decoder);
}

function decoderOf(encoding: string | undefined): Duplex | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
