import * as z from 'zod';

/** Longer waits are cut to ten minutes: by then a person wants to decide. */
const MAX_RETRY_AFTER_MS = 600_000;

const Seconds = z.coerce.number().optional().catch(undefined);

const Said = z.object({
  retry_after: Seconds,
  error: z
    .object({
      retry_after: Seconds,
      resets_in_seconds: Seconds,
      message: z.string().optional(),
      details: z
        .array(z.object({ retryDelay: z.string().optional().catch(undefined) }).catch({}))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/**
 * Milliseconds a server asked to wait, at most 600,000: `retry-after-ms`, `Retry-After` in seconds or as an HTTP date,
 * `retry_after` in the body (seconds), or "try again in 20s" in its message. Zero and the past are no wish.
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown, now: number): number | undefined {
  const header = headers?.get('retry-after') ?? undefined;
  const said = Said.safeParse(body).data;
  const wishes = [
    numberOf(headers?.get('retry-after-ms')),
    seconds(numberOf(header)),
    header === undefined ? undefined : Date.parse(header) - now,
    seconds(said?.retry_after),
    seconds(said?.error?.retry_after),
    seconds(said?.error?.resets_in_seconds),
    seconds(delayIn(said?.error?.details)),
    fromWords(said?.error?.message),
  ];
  const wish = wishes.find((ms) => ms !== undefined && Number.isFinite(ms) && ms > 0);
  return wish === undefined ? undefined : Math.min(Math.ceil(wish), MAX_RETRY_AFTER_MS);
}

function numberOf(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000;
}

function fromWords(message: string | undefined): number | undefined {
  const match = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|sec|second|m|min|minute)\w*\b/i.exec(
    message ?? '',
  );
  if (match === null) return undefined;
  const unit = match[2]?.toLowerCase() ?? 's';
  return Number(match[1]) * (unit === 'ms' ? 1 : unit.startsWith('m') ? 60_000 : 1000);
}

/** Google's `RetryInfo`, such as `"34.07s"`. */
function delayIn(details: readonly { readonly retryDelay?: string | undefined }[] | undefined): number | undefined {
  const delay = details?.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  return numberOf(delay?.replace(/s$/, ''));
}
