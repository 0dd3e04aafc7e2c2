/** A server that is reached over HTTP. */

import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isThisMachine } from '../oauth/endpoints.ts';

/** Gives and renews what a server asks for (OAuth); the editor keeps it. */
export interface McpAuth {
  /** The token to send to that address; undefined when nobody has signed in. */
  token(url: string): Promise<string | undefined>;
  /** Another one in place of a refused one; undefined when only a person can get it. */
  renew(url: string, refused: string, signal: AbortSignal): Promise<string | undefined>;
}

/** What a server said when it refused a request for want of a sign-in. */
export interface Challenge {
  /** Where it says who may sign people in; absolute. */
  readonly metadataUrl?: string;
  readonly scope?: string;
}

export class SignInNeeded extends Error {
  readonly url: string;
  readonly challenge: Challenge;

  constructor(url: string, challenge: Challenge) {
    super('The server asks for a sign-in.');
    this.name = 'SignInNeeded';
    this.url = url;
    this.challenge = challenge;
  }
}

/** Milliseconds that renewing a token may take. */
const RENEWAL = 20_000;

/**
 * A `fetch` for the server at that address, which sends its token and renews it once when it is refused. It never opens
 * a browser. A server that is given a key by its definition is not signed in to.
 *
 * @returns rejects with `SignInNeeded` when a person has to sign in
 */
export function fetchFor(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  auth: McpAuth,
): FetchLike {
  if (new Headers(headers).has('authorization')) return async (address, init) => bounded(await fetch(address, init));
  return async (address, init) => {
    // What the SDK is told to ask comes from the server as well: its token goes to where it was given for.
    if (!isHome(address, url)) return bounded(await fetch(address, init));
    const token = await auth.token(url);
    const answer = await fetch(address, withToken(init, token));
    if (answer.status !== 401) return bounded(answer);
    const challenge = challengeOf(answer);
    await answer.body?.cancel();
    const renewed = token === undefined ? undefined : await auth.renew(url, token, AbortSignal.timeout(RENEWAL));
    if (renewed === undefined) throw new SignInNeeded(url, challenge);
    const again = await fetch(address, withToken(init, renewed));
    if (again.status !== 401) return bounded(again);
    await again.body?.cancel();
    throw new SignInNeeded(url, challengeOf(again));
  };
}

/** The same origin, which nobody on the way can read: encrypted, or on this machine. */
function isHome(address: string | URL, url: string): boolean {
  const { origin, protocol, hostname } = new URL(address);
  return origin === new URL(url).origin && (protocol === 'https:' || isThisMachine(hostname));
}

/** Bytes of one answer or event, as of a message over stdio. */
const LONGEST_MESSAGE = 10 * 1024 * 1024;
export const TOO_LONG = `it sent a message of more than ${LONGEST_MESSAGE / 1024 / 1024} MB`;

/** Its body fails where a message in it is longer than anybody could use. */
export function bounded(answer: Response): Response {
  const { status, statusText, headers } = answer;
  if (answer.body === null || [204, 205, 304].includes(status)) return answer;
  const isStream = /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const ended = isStream ? endOfEvents(chunk) : undefined;
      bytes = ended === undefined ? bytes + chunk.length : chunk.length - ended;
      if (bytes > LONGEST_MESSAGE) controller.error(new Error(TOO_LONG));
      else controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(count), { status, statusText, headers });
}

/** Where the last event that ends in it does; undefined when none does. */
function endOfEvents(chunk: Uint8Array): number | undefined {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const end = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
  return end < 0 ? undefined : end + 2;
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** Reads `WWW-Authenticate` (RFC 9728). */
function challengeOf(answer: Response): Challenge {
  const header = answer.headers.get('www-authenticate') ?? '';
  const metadataUrl = /resource_metadata="?([^",\s]+)"?/.exec(header)?.[1];
  const scope = /scope="([^"]+)"/.exec(header)?.[1];
  return {
    ...(metadataUrl !== undefined && URL.canParse(metadataUrl) ? { metadataUrl } : {}),
    ...(scope === undefined ? {} : { scope }),
  };
}
