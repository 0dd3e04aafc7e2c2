/** Signed thinking of the Messages API: it goes back only to the host that signed it. */

import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { SignedThinking } from '../types.ts';
import { seal } from './seals.ts';

const KINDS = { thinking: 'signed', redacted: 'redacted', unsigned: 'unsigned' } as const;

/** Whose thinking goes back: all that the host has signed, also what it has not, only that, or none. */
export type ThinkingPolicy = 'signed' | 'all' | 'unsigned' | 'none';

export function sealThinking(text: string, signature: string, host: string): SignedThinking {
  return seal(KINDS.thinking, host, signature, text);
}

/** Thinking that the provider sent encrypted: there is no text. */
export function sealRedacted(data: string, host: string): SignedThinking {
  return seal(KINDS.redacted, host, data);
}

export function sealUnsigned(text: string, host: string): SignedThinking {
  return seal(KINDS.unsigned, host, '', text);
}

/** The block to send back, or none when another host made it or the text is no longer what was signed. */
export function unsealThinking(
  thinking: SignedThinking,
  host: string | undefined,
  policy: ThinkingPolicy = 'signed',
): readonly (ThinkingBlockParam | RedactedThinkingBlockParam)[] {
  const [kind, madeBy, ...rest] = thinking.signature.split(' ');
  const value = rest.join(' ');
  if (policy === 'none' || madeBy !== host || !thinking.text.isWellFormed()) return [];
  switch (kind) {
    case KINDS.unsigned:
      // The SDK knows only Anthropic's own, which is always signed.
      return policy === 'signed' ? [] : [{ type: 'thinking', thinking: thinking.text } as ThinkingBlockParam];
    case KINDS.thinking:
      if (policy === 'unsigned' || value === '') return [];
      return [{ type: 'thinking', thinking: thinking.text, signature: value }];
    case KINDS.redacted:
      return policy === 'unsigned' || value === '' ? [] : [{ type: 'redacted_thinking', data: value }];
    default:
      return [];
  }
}
