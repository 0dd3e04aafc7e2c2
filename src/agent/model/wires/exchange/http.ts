import type { CacheRequest, CacheTtl } from '../../catalogue/cache-policy.ts';
import type { Quirks } from '../../catalogue/quirks.ts';
import type { LimitSettings } from '../../catalogue/stream-limits.ts';
import { type Endpoint, ModelFailure } from '../../failures/failure.ts';
import { parseErrorText } from '../../failures/provider-error.ts';
import type { ModelMessage } from '../../types.ts';
import { nodePost } from './node-post.ts';

export interface WireOptions {
  /** The provider's id, as in `provider/model`: some ways of a server go by it. */
  readonly provider?: string;
  /** Where the API lives; the provider's own address by default. A trailing slash does not matter. */
  readonly baseUrl?: string;
  /** Absent for servers that want none. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of `node:http`, which honours the editor's proxy and certificate settings. */
  readonly fetch?: typeof fetch;
  /** How long its streams may stand still, where the defaults do not fit. */
  readonly limits?: LimitSettings;
  /** What the settings say of the ways of its models, over what the catalogue knows: for `quirksOf({ own })`. */
  readonly ways?: Quirks;
  /** Whether a model at this address is marked for the provider's cache, where the settings say so. */
  readonly promptCaching?: boolean | ((model: string) => boolean | undefined);
  /** How long the provider keeps what is marked; false marks nothing. Five minutes by default. */
  readonly cacheTtl?: CacheTtl | false;
  /** For the log of details. */
  readonly debug?: (message: string) => void;
  /** How often an answer is asked for again at once that broke off before anything of it was shown; 2 by default. */
  readonly reopens?: number;
}

/** What is read of a response. */
export interface WireResponse extends Pick<Response, 'ok' | 'status' | 'headers'> {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** POSTs JSON; what is too long in coming is the exchange's to say, since only it knows the model. */
export async function post(
  options: WireOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<WireResponse> {
  const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...options.headers };
  if (options.fetch === undefined) return nodePost({ url, headers: all, body, signal });
  // A redirect would turn the POST into a GET, or carry the key to another host.
  return options.fetch(url, { method: 'POST', headers: all, body, signal, redirect: 'manual' });
}

/**
 * Sends again, once, when `mend` finds in a refusal (400 and 422 by default) something that the wire can change by
 * itself; gives the refusal back otherwise.
 */
export async function sendMended(
  response: WireResponse,
  mend: (said: string) => Promise<WireResponse> | undefined,
  statuses: readonly number[] = [400, 422],
): Promise<WireResponse> {
  const { status, headers } = response;
  if (!statuses.includes(status)) return response;
  const said = await readStart(response);
  return mend(said) ?? new Response(said, { status, headers });
}

/** What an address asks for behind its path, such as `?api-version=…`, stays there. */
export function join(baseUrl: string, path: string): string {
  const [base = '', ...query] = baseUrl.replace(/#.*$/, '').split('?');
  return [`${base.replace(/\/+$/, '')}${path}`, ...query].join('?');
}

/** Host and port of an address, or the address itself when it is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The header that some servers want with images; the conversation keeps them, so it goes with all later requests too. */
export function visionHeaders(messages: readonly ModelMessage[], { visionHeader }: Quirks): Record<string, string> {
  if (visionHeader === undefined) return {};
  const sees = messages.some((message) => 'images' in message && (message.images?.length ?? 0) > 0);
  return sees ? { [visionHeader]: 'true' } : {};
}

/** What the settings say of the provider's cache. */
export function cachingOf(
  { provider, promptCaching, cacheTtl: ttl, debug }: WireOptions,
  model: string,
): Pick<CacheRequest, 'provider' | 'ttl' | 'flag' | 'debug'> {
  const flag = () => (typeof promptCaching === 'function' ? promptCaching(model) : promptCaching);
  return { provider, ttl, flag, ...(debug && { debug }) };
}

/** What errors may tell of the provider. The headers of the settings may hold keys too. */
export function endpointOf({ apiKey, headers = {} }: WireOptions, host: string, model: string): Endpoint {
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  return { host, model, hasKey: apiKey !== undefined, secrets };
}

/** An answer that came as one body of JSON. */
export interface WholeBody {
  readonly body: unknown;
  /** What it is when the assembler finds no answer in it. */
  readonly foreign: ModelFailure;
}

/**
 * Throws what an answer is that no event stream can be: another status, a web page, plain JSON. With `takesWhole` a body
 * of JSON is given back instead.
 */
export async function readHead(response: WireResponse, takesWhole: boolean): Promise<WholeBody | undefined> {
  const { ok, status, headers } = response;
  const contentType = headers.get('content-type') ?? '';
  if (!ok) {
    const location = headers.get('location');
    const body = location === null ? await readStart(response) : `Redirected to ${location}`;
    throw new ModelFailure({ at: 'status', status, headers, body });
  }
  if (contentType.includes('json')) {
    const body = takesWhole ? await readWhole(response) : await readStart(response);
    const parsed = parseErrorText(body);
    if (isError(parsed)) throw new ModelFailure({ at: 'frame', body: parsed });
    const foreign = new ModelFailure({ at: 'body', status, contentType, body });
    if (takesWhole && typeof parsed === 'object' && parsed !== null) return { body: parsed, foreign };
    throw foreign;
  }
  if (contentType.includes('html')) {
    throw new ModelFailure({ at: 'body', status, contentType, body: await readStart(response) });
  }
  return undefined;
}

const MAX_ERROR = 64 * 1024;
const ERROR_TIMEOUT_MS = 5_000;
/** Characters of an answer that comes as one body. */
const MAX_WHOLE = 16 * 1024 * 1024;

/** The first 64 KiB of a body, or what came of it within 5 s: an error must not wait for a server that hangs. */
export async function readStart(response: WireResponse): Promise<string> {
  if (response.body === null) return '';
  const chunks = response.body[Symbol.asyncIterator]();
  const leave = () => void chunks.return?.().catch(ignoreBrokenBody);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ERROR_TIMEOUT_MS, undefined);
  });
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < MAX_ERROR) {
      const chunk = await Promise.race([chunks.next(), late]);
      if (chunk === undefined) break;
      if (chunk.done) return text + decoder.decode();
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch (error) {
    // The status says more than the end of its body would have.
    if (text === '' && isAbort(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
  leave();
  return text;
}

async function readWhole({ body }: WireResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_WHOLE) throw new Error('The answer is larger than 16 Mi characters.');
  }
  return text + decoder.decode();
}

/** A body that broke before it was left is as good as left. */
function ignoreBrokenBody(): void {}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function isError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && body.error !== null;
}
