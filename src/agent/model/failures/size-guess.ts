import type { ModelError } from '../types.ts';

/** How much a request holds. */
export interface SessionSize {
  /** Estimated. */
  readonly tokens: number;
  readonly messages: number;
  /** Tokens. */
  readonly window: number;
  /** A model that thinks is silent for long, and its connections break for that. */
  readonly thinks: boolean;
}

/** Windows above it hold a long conversation easily, so that only its share of them says something. */
const SMALL_WINDOW = 256_000;

/**
 * Whether a refusal or a broken connection that gives no reason (`vague`) is about the length of the conversation:
 * servers answer one that is too long with a bare 400, a gateway's 5xx or by hanging up.
 */
export function isProbablyTooLong(error: Pick<ModelError, 'status'>, size: SessionSize): boolean {
  if (error.status === 400) return isLarge(size, { share: 0.4, tokens: 80_000, messages: 80 });
  const hungUp = error.status === undefined;
  if (hungUp && size.thinks) return false;
  return isLarge(size, { share: 0.6, tokens: 120_000, messages: 200 });
}

function isLarge(
  { tokens, messages, window }: SessionSize,
  above: { readonly share: number; readonly tokens: number; readonly messages: number },
): boolean {
  if (tokens > window * above.share) return true;
  return window <= SMALL_WINDOW && (tokens > above.tokens || messages > above.messages);
}
