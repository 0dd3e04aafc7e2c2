/**
 * Gemini signs its calls, and sometimes its text, and wants each signature back on the part that it came with. They
 * travel as `SignedThinking` without text that names who signed (a host's model) and what was signed.
 */

import type { SignedThinking } from '../../types.ts';
import { seal, unseal } from '../seals.ts';

/** The text of an answer, or one of its calls, counted from 0. */
export type SignedPlace = 'text' | number;

/** What Google documents for calls that have no signature of this model: they are taken as they are. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

const KIND = 'gemini';

/** @param signer without spaces */
export function sealSignature(place: SignedPlace, signature: string, signer: string): SignedThinking {
  return seal(KIND, signer, `${place} ${signature}`);
}

/** The signatures of an answer that this signer made, by what they belong to. */
export function unsealSignatures(
  thinking: readonly SignedThinking[] | undefined,
  signer: string | undefined,
): ReadonlyMap<SignedPlace, string> {
  return new Map(
    unseal(KIND, signer, thinking).map(({ value }): [SignedPlace, string] => {
      const [place = '', ...signature] = value.split(' ');
      return [place === 'text' ? place : Number(place), signature.join(' ')];
    }),
  );
}
