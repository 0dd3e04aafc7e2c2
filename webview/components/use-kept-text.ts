import { useEffect, useRef } from 'preact/hooks';
import { useChat } from '../chat.ts';
import { useSlice } from './use-slice.ts';

/**
 * What is being typed into a card. When the card closes before that was used (the user steered, the turn was stopped)
 * it stays with the user as a draft. Whoever uses it, or lets go of it, empties it.
 */
export function useKeptText(): { current: string } {
  const chat = useChat();
  const typed = useRef('');
  const sessionId = useSlice((state) => state.session.id);
  useEffect(() => () => chat.keepTyped(typed.current.trim(), sessionId), [chat, sessionId]);
  return typed;
}
