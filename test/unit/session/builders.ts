import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStore, StoredSession, TurnRecord } from '../../../src/agent/session/index.ts';
import type { Item, TranscriptRow, TurnResult } from '../../../src/api.ts';

/** A folder of its own for each test of the `describe` that calls this. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'midcourse-store-'));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}

export function session(id: string, more: Partial<StoredSession> = {}): StoredSession {
  return { id, title: '', titleSource: 'derived', createdAt: 1_000, updatedAt: 1_000, ...more };
}

export function row(seq: number, text: string, more: Partial<TranscriptRow> = {}): TranscriptRow {
  return {
    id: `row-${seq}`,
    seq,
    turnId: 'turn-1',
    role: 'user',
    kind: 'message',
    parts: [{ type: 'text', text }],
    displayText: text,
    ...more,
  };
}

export function answer(seq: number, text: string, more: Partial<TranscriptRow> = {}): TranscriptRow {
  return row(seq, text, { role: 'assistant', kind: 'text', request: 1, ...more });
}

export function calls(seq: number, ...names: readonly string[]): TranscriptRow {
  return answer(seq, '', {
    parts: names.map((name) => ({ type: 'tool_call', callId: `call-${name}`, name, input: { path: `${name}.ts` } })),
  });
}

export function toolResult(seq: number, name: string, more: Partial<TranscriptRow> = {}): TranscriptRow {
  return row(seq, `result of ${name}`, {
    role: 'tool',
    kind: 'tool_result',
    callId: `call-${name}`,
    status: 'success',
    request: 1,
    ...more,
  });
}

export function item(id: string, seq: number, state: Item['state'] = { is: 'pending' }): Item {
  return {
    id,
    sentAs: 'queue',
    kind: 'queue',
    text: `text of ${id}`,
    attachments: [],
    seq,
    revision: 1,
    origin: 'view',
    state,
  };
}

export function result(turnId: string, more: Partial<TurnResult> = {}): TurnResult {
  return {
    turnId,
    exitReason: 'answered',
    completed: true,
    interrupted: false,
    failed: false,
    partial: false,
    survivors: [],
    finalText: 'done',
    requests: 1,
    attempts: 1,
    usage: { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, reasoning: 0 },
    ...more,
  };
}

export function turn(id: string, startedAt: number, more: Partial<TurnRecord> = {}): TurnRecord {
  return { id, startedAt, ...more };
}

export function texts(store: SessionStore, sessionId: string): (string | null)[] {
  return store.rows(sessionId).map((one) => one.displayText);
}
