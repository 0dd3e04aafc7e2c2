import type { ModelMessage } from '../types.ts';
import { GO_ON, isBlank } from './wire-text.ts';

/** The same object each time: what was written is known by its messages. */
const NUDGE: ModelMessage = { role: 'user', text: GO_ON };

/**
 * The history with something at its end that the model is to answer. It has nothing there where an answer of only thoughts
 * goes on, which its own API can do; another one, such as that of a fallback model, refuses an answer at the end.
 */
export function askedLast(history: readonly ModelMessage[]): readonly ModelMessage[] {
  return history.findLast((message) => !isLeftOut(message))?.role === 'assistant' ? [...history, NUDGE] : history;
}

/** It has nothing in it that is sent: no words, no image, no call. */
export function isLeftOut(message: ModelMessage): boolean {
  if (message.role === 'tool' || !isBlank(message.text)) return false;
  return message.role === 'assistant' ? message.calls.length === 0 : (message.images?.length ?? 0) === 0;
}
