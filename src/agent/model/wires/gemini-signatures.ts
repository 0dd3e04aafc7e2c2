/**
 * Gemini signs its calls, and sometimes its text, and wants each signature back on the part that it came with. They
 * travel as `SignedThinking` without text that names who signed (a host's model) and what was signed.
 */

import type { SignedThinking } from '../types.ts';

/** The text of an answer, or one of its calls, counted from 0. */
export type SignedPlace = 'text' | number;

/** What Google documents for calls that have no signature of this model: they are taken as they are. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

const KIND = 'gemini';

/** @param signer without spaces */
export function sealSignature(place: SignedPlace, signature: string, signer: string): SignedThinking {
  return { text: '', signature: `${KIND} ${signer} ${place} ${signature}` };
}

/** The signatures of an answer that this signer made, by what they belong to. */
export function unsealSignatures(
  thinking: readonly SignedThinking[] = [],
  signer: string | undefined,
): ReadonlyMap<SignedPlace, string> {
  const signatures = new Map<SignedPlace, string>();
  for (const { signature } of thinking) {
    const [kind, signedBy, place, ...rest] = signature.split(' ');
    if (kind !== KIND || signedBy !== signer || place === undefined || rest.length === 0) continue;
    signatures.set(place === 'text' ? place : Number(place), rest.join(' '));
  }
  return signatures;
}
