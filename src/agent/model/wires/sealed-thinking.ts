/**
 * Signed thinking goes back only to the host that signed it: another one refuses the whole request. So the signature
 * that leaves this wire names the host and what kind of block it was.
 */

import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { SignedThinking } from '../types.ts';

const KINDS = { thinking: 'signed', redacted: 'redacted' } as const;

export function sealThinking(text: string, signature: string, host: string): SignedThinking {
  return { text, signature: `${KINDS.thinking} ${host} ${signature}` };
}

/** Thinking that the provider sent encrypted: there is no text. */
export function sealRedacted(data: string, host: string): SignedThinking {
  return { text: '', signature: `${KINDS.redacted} ${host} ${data}` };
}

/** The block to send back, or none when another host signed it or the text is no longer what was signed. */
export function unsealThinking(
  thinking: SignedThinking,
  host: string | undefined,
): readonly (ThinkingBlockParam | RedactedThinkingBlockParam)[] {
  const [kind, signedBy, ...rest] = thinking.signature.split(' ');
  const value = rest.join(' ');
  if (signedBy !== host || value === '' || !thinking.text.isWellFormed()) return [];
  if (kind === KINDS.thinking) return [{ type: 'thinking', thinking: thinking.text, signature: value }];
  return kind === KINDS.redacted ? [{ type: 'redacted_thinking', data: value }] : [];
}
