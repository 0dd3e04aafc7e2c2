import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from '../chat.ts';

interface Card {
  /** For the card's outermost element, which has to have `data-asks`. */
  readonly card: RefObject<HTMLElement | null>;
  /** True while its keys work: the person has moved into it. */
  readonly entered: boolean;
  /** To be called when the person has answered it. */
  readonly answered: () => void;
}

/** What every card that asks something has in common: when its keys work, and where the focus goes when it goes. */
export function useCard(): Card {
  const { focus } = useChat();
  const card = useRef<HTMLElement>(null);
  const wasAnswered = useRef(false);
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element) focus.leave(element, wasAnswered.current);
    };
  }, [focus]);
  const answered = () => {
    wasAnswered.current = true;
  };
  const entered = focus.entered.value;
  return { card, entered: entered !== undefined && entered === card.current, answered };
}
