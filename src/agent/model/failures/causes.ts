/** What a thrown error and those behind it say. */

const DEEPEST = 5;
/** For the log. */
const LINKS = 4;
const LONGEST_LINK = 140;

/** The errors along the cause chain, the thrown one first; at most 5. */
export function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let at = error;
  while (chain.length < DEEPEST && at !== undefined && at !== null) {
    chain.push(at);
    at = typeof at === 'object' ? (at as { cause?: unknown }).cause : undefined;
  }
  return chain;
}

/** The HTTP status that an SDK or a proxy put on one of them. */
export function statusAlongCauses(error: unknown): number | undefined {
  for (const link of chainOf(error)) {
    const status = statusOf(link);
    if (status !== undefined) return status;
  }
  return undefined;
}

function statusOf(link: unknown): number | undefined {
  if (typeof link !== 'object' || link === null) return undefined;
  const { status, statusCode, $metadata, name } = link as Readonly<Record<string, unknown>>;
  const { httpStatusCode } = ($metadata ?? {}) as { httpStatusCode?: unknown };
  const found = [status, statusCode, httpStatusCode].find((one) => typeof one === 'number' && one >= 300 && one < 600);
  if (typeof found === 'number') return found;
  return name === 'RateLimitError' || link.constructor.name === 'RateLimitError' ? 429 : undefined;
}

/** One line for the log: at most 4 links of at most 140 characters. */
export function describeCauses(error: unknown): string {
  return chainOf(error)
    .slice(0, LINKS)
    .map((link) => (link instanceof Error ? `${link.name}: ${link.message}` : String(link)).slice(0, LONGEST_LINK))
    .join(' ← ');
}
