import { useComputed } from '@preact/signals';
import { useChat } from '../chat.ts';
import type { ChatState } from '../state/chat-state.ts';

/** A part of the state; the component is drawn anew only when that part has changed. `select` must not close over props. */
export function useSlice<T>(select: (state: ChatState) => T): T {
  const chat = useChat();
  return useComputed(() => select(chat.state.value)).value;
}
