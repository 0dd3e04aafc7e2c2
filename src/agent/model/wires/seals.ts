/**
 * What an answer leaves behind for later requests travels as `SignedThinking`. Its `signature` says what it is and who
 * made it: only the same host gets it back, since another one refuses the whole request for it.
 */

import type { SignedThinking } from '../types.ts';

/** @param kind one word */
export function seal(kind: string, host: string, value: string, text = ''): SignedThinking {
  return { text, signature: `${kind} ${host} ${value}` };
}

/** What the kind was sealed with by that host, in order. */
export function unseal(
  kind: string,
  host: string | undefined,
  thinking: readonly SignedThinking[] | undefined,
): readonly { readonly text: string; readonly value: string }[] {
  const own = `${kind} ${host} `;
  if (host === undefined) return [];
  return (thinking ?? []).flatMap(({ text, signature }) =>
    signature.startsWith(own) ? [{ text, value: signature.slice(own.length) }] : [],
  );
}
