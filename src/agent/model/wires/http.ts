import { type Endpoint, ModelFailure } from '../failure.ts';

export interface WireOptions {
  /** The provider's id, as in `provider/model`: some ways of a server go by it. */
  readonly provider?: string;
  /** Where the API lives; the provider's own address by default. A trailing slash does not matter. */
  readonly baseUrl?: string;
  /** Absent for servers that want none. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The platform's `fetch` by default: it honours the editor's proxy and certificate settings. */
  readonly fetch?: typeof fetch;
}

/**
 * Characters above which a body is handed on as a blob. `fetch` encodes a text and copies that, each time as a whole, before
 * the first byte leaves: twice as long as it takes in pieces for the 3.5 MB of a conversation of 10,000 rows. For 350 kB it
 * is the other way round. The request has its length in both cases.
 */
const AS_BLOB = 1024 * 1024;

/**
 * POSTs JSON. `fetch` has the time limits: its own 300 s until the head and between two pieces of the body are long
 * enough for a model that thinks, and the turn's liveness watch is there before a person has waited for ever.
 */
export function post(
  options: WireOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Response> {
  const send = options.fetch ?? globalThis.fetch;
  return send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...options.headers },
    body: body.length > AS_BLOB ? new Blob([body]) : body,
    signal,
    // A redirect would turn the POST into a GET, or carry the key to another host.
    redirect: 'manual',
  });
}

/**
 * Sends again, once, when `mend` finds in a refusal (400, 422) something that the wire can change by itself; gives the
 * refusal back otherwise.
 */
export async function sendMended(
  response: Response,
  mend: (said: string) => Promise<Response> | undefined,
): Promise<Response> {
  const { status, headers } = response;
  if (status !== 400 && status !== 422) return response;
  const said = await readStart(response);
  return mend(said) ?? new Response(said, { status, headers });
}

export function join(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/** Host and port of an address, or the address itself when it is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** What errors may tell of the provider. The headers of the settings may hold keys too. */
export function endpointOf({ apiKey, headers = {} }: WireOptions, host: string, model: string): Endpoint {
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  return { host, model, hasKey: apiKey !== undefined, secrets };
}

/** Throws what an answer is that no event stream can be: another status, a web page, plain JSON. */
export async function refuseNonStream(response: Response): Promise<void> {
  const { ok, status, headers } = response;
  const contentType = headers.get('content-type') ?? '';
  if (!ok) {
    const location = headers.get('location');
    const body = location === null ? await readStart(response) : `Redirected to ${location}`;
    throw new ModelFailure({ at: 'status', status, headers, body });
  }
  if (contentType.includes('json')) {
    const body = await readStart(response);
    throw new ModelFailure(
      isErrorBody(body) ? { at: 'frame', body: JSON.parse(body) } : { at: 'body', status, contentType, body },
    );
  }
  if (contentType.includes('html')) {
    throw new ModelFailure({ at: 'body', status, contentType, body: await readStart(response) });
  }
}

const MAX_BODY = 64 * 1024;
const BODY_TIMEOUT_MS = 5_000;

/** The first 64 KiB of a body, or what came of it within 5 s: an error must not wait for a server that hangs. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  const timer = setTimeout(() => void reader.cancel().catch(ignoreBrokenBody), BODY_TIMEOUT_MS);
  let text = '';
  try {
    while (text.length < MAX_BODY) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // The status says more than the end of its body would have.
    if (text === '' && isAbort(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
  void reader.cancel().catch(ignoreBrokenBody);
  return text;
}

/** A body that broke before it was cancelled is as good as cancelled. */
function ignoreBrokenBody(): void {}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function isErrorBody(body: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'error' in parsed;
  } catch {
    return false;
  }
}
