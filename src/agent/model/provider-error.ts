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

const Words = z.union([z.string(), z.number().transform(String)]).nullish();

const Body = z.object({
  message: Words,
  detail: z.unknown().optional(),
  type: Words,
  code: Words,
  status: z.number().nullish().catch(undefined),
  error_type: Words,
  error_message: Words,
  metadata: z.object({ raw: Words }).nullish().catch(undefined),
});

/** Takes `{ error: {…} }`, `{ error: "…" }`, the inner object itself, or plain text. */
export function providerError(body: unknown): ProviderError {
  if (typeof body === 'string')
    return { message: body.trim(), type: '', code: '', status: undefined, text: body.trim() };
  const inner = isObject(body) && 'error' in body ? body.error : body;
  if (typeof inner === 'string') return providerError(inner);
  const said = Body.safeParse(inner).data;
  if (said === undefined)
    return { message: '', type: '', code: '', status: undefined, text: JSON.stringify(body) ?? '' };
  const message = said.message ?? said.error_message ?? (typeof said.detail === 'string' ? said.detail : '');
  const type = said.type ?? said.error_type ?? '';
  const code = said.code ?? '';
  const numeric = said.status ?? (/^[345]\d\d$/.test(code) ? Number(code) : undefined);
  const raw = said.metadata?.raw ?? '';
  const text = [type, code, message, raw].filter((word) => word !== '').join(' · ');
  return { message, type, code, status: numeric, text };
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
