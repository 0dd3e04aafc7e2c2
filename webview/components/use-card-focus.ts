import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from '../chat.ts';
import { lastTyped } from './typing.ts';

/** A user who pressed a key within this many ms is typing. */
const typingPause = 1_500;
/** A card that has just taken the focus ignores answers for this long (ms): the key was meant for something else. */
const settling = 400;

/**
 * Gives a new card the focus, unless the user is typing or is somewhere else in the editor. The returned function says
 * whether an answer counts yet.
 */
export function useCardFocus(card: RefObject<HTMLElement | null>): () => boolean {
  const chat = useChat();
  const tookFocusAt = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    const typing = chat.draft.peek() !== '' || performance.now() - lastTyped() < typingPause;
    if (typing || !document.hasFocus()) return;
    tookFocusAt.current = performance.now();
    const first = card.current?.querySelector<HTMLElement>('[data-autofocus]') ?? card.current;
    first?.focus();
  }, [card, chat]);
  return useCallback(() => performance.now() - tookFocusAt.current > settling, []);
}
