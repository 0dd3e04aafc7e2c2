import type { ToView } from '../../src/protocol/index.ts';
import type { ChatPage } from './stage.ts';

/** A moment of the chat that is worth looking at. */
export interface Scene {
  readonly name: string;
  readonly messages: () => readonly ToView[];
  readonly act?: (chat: ChatPage) => Promise<void>;
}
