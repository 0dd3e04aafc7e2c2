/**
 * What an answer leaves behind for the next request: its sealed reasoning, its messages with their ids and phases, and
 * the checkpoints of the server's own compaction. It travels as `SignedThinking`, and goes back only to whom it came from.
 */

import * as z from 'zod';
import type { SignedThinking } from '../../types.ts';
import { seal as sealed, unseal as unsealed } from '../seals.ts';

const Part = z.union([
  z.object({ type: z.literal('output_text'), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
]);

const SealedItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning'), id: z.string().optional(), encrypted_content: z.string() }),
  z.object({ type: z.literal('compaction'), id: z.string().optional(), encrypted_content: z.string() }),
  z.object({
    type: z.literal('message'),
    id: z.string().optional(),
    status: z.string().optional(),
    phase: z.string().optional(),
    /** Absent: it is the text of the answer. */
    content: z.array(Part).optional(),
  }),
]);

export type SealedItem = z.infer<typeof SealedItem>;
export type SealedPart = z.infer<typeof Part>;

const KIND = 'responses';
/** Stands where a thought was shown and nothing of it can go back. */
const ONLY_SHOWN = '-';

/** @param text what people can read of it */
export function seal(item: SealedItem | undefined, issuer: string, text: string): SignedThinking {
  return sealed(KIND, issuer, item === undefined ? ONLY_SHOWN : JSON.stringify(item), text);
}

/** The items that this issuer sealed, in order. What others signed is not for it. */
export function unseal(thinking: readonly SignedThinking[] | undefined, issuer: string): readonly SealedItem[] {
  return unsealed(KIND, issuer, thinking).flatMap(({ value }) => {
    if (value === ONLY_SHOWN) return [];
    const parsed = SealedItem.safeParse(parse(value));
    return parsed.success ? [parsed.data] : [];
  });
}

/** Whether a checkpoint of this issuer is among them; read for each message of each request, so without parsing. */
export function hasCheckpoint(thinking: readonly SignedThinking[] | undefined, issuer: string): boolean {
  const { signature: checkpoint } = sealed(KIND, issuer, '{"type":"compaction"');
  return thinking?.some(({ signature }) => signature.startsWith(checkpoint)) ?? false;
}

/** Phases in which a model talks to itself or to the user while it works. */
export function isAside(phase: string | null | undefined): boolean {
  return phase === 'commentary' || phase === 'analysis';
}

/** Who sealed it, in letters that a signature can hold. */
export function issuerOf(named: string | undefined, baseUrl: string): string {
  return named ?? `other:${encodeURI(baseUrl.replace(/\/+$/, ''))}`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
