import * as z from 'zod';

/** What a provider said about its failure, whatever shape it chose. Absent words are ''. */
export interface ProviderError {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  /** An HTTP status inside the body: routers report their upstream's so. */
  readonly status: number | undefined;
  /** Everything that was said, for matching and the log. */
  readonly text: string;
}

const Words = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);

const Body = z.object({
  message: z.unknown().optional(),
  msg: Words,
  detail: z.unknown().optional(),
  type: Words,
  code: Words,
  status: z.number().nullish().catch(undefined),
  error_type: Words,
  error_message: Words,
  error_description: Words,
  metadata: z.object({ raw: z.unknown().optional() }).nullish().catch(undefined),
});

/** A relay in front of a router in front of a provider: each may wrap what the one behind it said. */
const DEEPEST = 4;

/** Takes `{ error: {…} }`, `{ error: "…" }`, the inner object itself, a list of one, or plain text. */
export function providerError(body: unknown, depth = 0): ProviderError {
  if (typeof body === 'string') return plain(body.trim());
  if (Array.isArray(body)) return providerError(body[0], depth);
  const outer = isObject(body) ? body : {};
  if (typeof outer.error === 'string') {
    return 'message' in outer ? said({ type: outer.error, ...outer }, depth) : providerError(outer.error, depth);
  }
  const inner = isObject(outer.error) ? outer.error : body;
  return inner !== body && isOnlyAround(inner) && depth < DEEPEST
    ? providerError(inner, depth + 1)
    : said(inner, depth);
}

/** It says nothing itself, and holds another error. */
function isOnlyAround(inner: unknown): boolean {
  return isObject(inner) && 'error' in inner && !('message' in inner);
}

function said(inner: unknown, depth: number): ProviderError {
  const fields = Body.safeParse(inner).data;
  if (fields === undefined) return { ...plain(''), text: wordsOf(inner) };
  const { type, code, status, metadata } = fields;
  const own = [
    wordsOf(fields.message),
    fields.msg,
    fields.error_message,
    fields.error_description,
    wordsOf(fields.detail),
  ];
  const message = own.find((words) => words) ?? '';
  const wrapped = depth < DEEPEST ? (wrappedIn(metadata?.raw, depth) ?? wrappedIn(message, depth)) : undefined;
  const numeric = status ?? (/^[345]\d\d$/.test(code ?? '') ? Number(code) : undefined);
  const ownType = type ?? fields.error_type ?? '';
  // A code that only repeats the status says less than the one behind it.
  const ownCode = numeric === undefined || String(numeric) !== code ? (code ?? '') : '';
  const text = [ownType, code, message, wrapped?.text ?? wordsOf(metadata?.raw)].filter((words) => words).join(' · ');
  return {
    message: wrapped?.message || message,
    type: ownType || (wrapped?.type ?? ''),
    code: ownCode || wrapped?.code || (code ?? ''),
    status: numeric ?? wrapped?.status,
    text,
  };
}

/** An error body that travels inside another one, as JSON in a string or as it is. */
function wrappedIn(value: unknown, depth: number): ProviderError | undefined {
  if (isObject(value)) return providerError(value, depth + 1);
  if (typeof value !== 'string') return undefined;
  const start = value.search(/[{[]/);
  if (start < 0) return undefined;
  const parsed = parseErrorText(value.slice(start));
  return isObject(parsed) ? providerError(parsed, depth + 1) : undefined;
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested deeper than can be written.
    return '';
  }
}

function plain(text: string): ProviderError {
  return { message: text, type: '', code: '', status: undefined, text };
}

/** An error body as the value it holds, or as its own text. */
export function parseErrorText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
