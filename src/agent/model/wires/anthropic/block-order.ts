/**
 * Where thinking stood between the text and the calls of an answer. Thinking is signed with its place, so an answer that
 * did not think first, then speak and then call has to go back in its own order.
 */

import * as z from 'zod';
import type { SignedThinking } from '../../types.ts';
import { seal, unseal } from '../seals.ts';

const Place = z.union([z.literal('thinking'), z.literal('call'), z.number().int().nonnegative()]);
const Places = z.array(Place);

/** A number is a block of text with so many characters. */
export type BlockPlace = z.infer<typeof Place>;

const KIND = 'order';

/** Undefined where the order goes without saying, or nothing depends on it. */
export function sealOrder(places: readonly BlockPlace[], host: string): SignedThinking | undefined {
  if (!places.includes('thinking') || !places.includes('call')) return undefined;
  return isUsual(places) ? undefined : seal(KIND, host, JSON.stringify(places));
}

/** First all thinking, then at most one text, then the calls. */
function isUsual(places: readonly BlockPlace[]): boolean {
  const rank = (place: BlockPlace) => (place === 'thinking' ? 0 : place === 'call' ? 2 : 1);
  const texts = places.filter((place) => typeof place === 'number' && place > 0);
  return texts.length <= 1 && places.every((place, at) => at === 0 || rank(places[at - 1] ?? place) <= rank(place));
}

/** The order of an answer whose text and calls are still those that it had; undefined otherwise. */
export function unsealOrder(
  thinking: readonly SignedThinking[] | undefined,
  host: string | undefined,
  now: { readonly characters: number; readonly calls: number; readonly thoughts: number },
): readonly BlockPlace[] | undefined {
  const [sealed] = unseal(KIND, host, thinking);
  if (sealed === undefined) return undefined;
  const places = Places.safeParse(parse(sealed.value)).data;
  if (places === undefined) return undefined;
  const characters = places.reduce<number>((sum, place) => sum + (typeof place === 'number' ? place : 0), 0);
  const calls = places.filter((place) => place === 'call').length;
  const thoughts = places.filter((place) => place === 'thinking').length;
  const fits = characters === now.characters && calls === now.calls && thoughts === now.thoughts;
  return fits ? places : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
