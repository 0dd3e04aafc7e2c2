import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from '../chat.ts';
import { lastTyped } from './typing.ts';

/** A user who pressed a key within this many ms is typing. */
const typingPause = 1_500;
/** A card that has just taken the focus ignores keys that answer for this long (ms): they were meant for something else. */
const settling = 400;
/** Keys that press a button, and those that cards give a meaning to. */
const answering = /^(?:Enter|[ ad1-9])$/i;

/**
 * Gives a new card the focus, unless the user is typing or is somewhere else in the editor. The returned function takes
 * the card's keys before its controls do. A click needs no such care: the pointer has found the card.
 */
export function useCardFocus(card: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  const chat = useChat();
  const tookFocusAt = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    const typing = chat.draft.peek() !== '' || performance.now() - lastTyped() < typingPause;
    if (typing || !document.hasFocus()) return;
    tookFocusAt.current = performance.now();
    const first = card.current?.querySelector<HTMLElement>('[data-autofocus]') ?? card.current;
    first?.focus();
  }, [card, chat]);
  return useCallback((event: KeyboardEvent) => {
    if (performance.now() - tookFocusAt.current > settling) return;
    if (!answering.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
  }, []);
}
