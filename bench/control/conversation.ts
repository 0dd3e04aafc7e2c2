import type { SessionStore } from '../../src/agent/session/index.ts';
import type { TranscriptRow } from '../../src/api.ts';

const ROLES = ['question', 'call', 'result', 'answer'] as const;
const WORDS = 'A line of a conversation that is about nothing in particular, and as long as most lines are. '.repeat(3);

/** Stores a session of that many rows: questions, calls, their results and answers in turn. @returns its id */
export function storeConversation(store: SessionStore, length: number): string {
  const id = crypto.randomUUID();
  store.create({ id, title: `${length} rows`, titleSource: 'user', createdAt: 0, updatedAt: 0 });
  store.commit({ sessionId: id, rows: Array.from({ length }, (_, index) => rowOf(index, length)) });
  return id;
}

function rowOf(index: number, length: number): TranscriptRow {
  const text = `${index}: ${WORDS}`;
  const of = { id: `row-${index}`, seq: index + 1, turnId: `turn-${index - (index % 4)}`, displayText: text };
  const parts = [{ type: 'text' as const, text }];
  // The last row closes the conversation, wherever in the pattern it stands.
  const role = index === length - 1 ? 'answer' : ROLES[index % 4];
  switch (role) {
    case 'call': {
      // A call needs its result behind it.
      if (index + 2 >= length) return { ...of, role: 'assistant', kind: 'text', parts };
      const input = { path: 'notes.txt' };
      const call = { type: 'tool_call' as const, callId: `call-${index}`, name: 'read_file', input };
      return { ...of, role: 'assistant', kind: 'text', parts: [...parts, call] };
    }
    case 'result':
      return { ...of, role: 'tool', kind: 'tool_result', callId: `call-${index - 1}`, status: 'success', parts };
    case 'answer':
      return { ...of, role: 'assistant', kind: 'text', parts };
    default:
      return { ...of, role: 'user', kind: 'message', parts };
  }
}
