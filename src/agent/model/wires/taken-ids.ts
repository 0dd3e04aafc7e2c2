import type { ModelMessage } from '../types.ts';

/** The ids of all calls of a history. */
export function takenIds(history: readonly ModelMessage[]): Set<string> {
  return new Set(
    history.flatMap((message) => (message.role === 'assistant' ? message.calls.map((call) => call.callId) : [])),
  );
}
