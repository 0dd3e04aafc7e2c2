/**
 * What has to be written to a session whose host died in the middle of a turn, so that its history is legal on every
 * wire and true (control.md sections 5 to 7). Pure: the caller commits the answer in one transaction.
 */

import type { ExitReason, Item, Part, Phase, TranscriptRow, TurnResult } from '../../api.ts';
import type { Commit, PartialText, TurnRecord } from './types.ts';

export interface Unfinished {
  readonly sessionId: string;
  readonly rows: readonly TranscriptRow[];
  readonly items: readonly Item[];
  readonly turns: readonly TurnRecord[];
  readonly partial: PartialText | undefined;
  /** The session's highest sequence number; new rows get the numbers after it. */
  readonly lastSeq: number;
}

export interface Recovery {
  readonly commit: Commit;
  /** The turn that was closed; undefined when only waiting items were held. */
  readonly closed: TurnResult | undefined;
}

/**
 * @param now milliseconds since the epoch: when the turn counts as ended
 * @param newId makes the ids of new rows
 * @returns undefined when nothing is unfinished
 */
export function recover(session: Unfinished, now: number, newId: () => string): Recovery | undefined {
  const { sessionId } = session;
  const items = session.items.filter((item) => item.state.is === 'pending').map(held);
  const turn = session.turns.findLast((one) => one.endedAt === undefined);
  if (!turn) return items.length > 0 ? { commit: { sessionId, items }, closed: undefined } : undefined;

  const rows = closingRows(session, turn, newId);
  const result = resultOf(session, turn, rows);
  return { commit: { sessionId, rows, items, turn: { ...turn, endedAt: now, result } }, closed: result };
}

/** A waiting text survives, shown but not run (control.md section 4). */
function held(item: Item): Item {
  const { waitsFor: _over, ...rest } = item;
  return { ...rest, state: { is: 'held' } };
}

function closingRows(session: Unfinished, turn: TurnRecord, newId: () => string): TranscriptRow[] {
  const ofTurn = session.rows.filter((row) => row.turnId === turn.id);
  const rows: TranscriptRow[] = [];
  let seq = session.lastSeq;
  const add = (row: Omit<TranscriptRow, 'id' | 'seq' | 'turnId'>): void => {
    seq += 1;
    rows.push({ id: newId(), seq, turnId: turn.id, ...row });
  };

  for (const { call, request } of openCalls(ofTurn)) add({ ...lostResult(call, turn), ...request });

  const text = session.partial?.turnId === turn.id ? session.partial.text : '';
  if (text.trim() !== '') add({ ...partialAnswer(text, turn), request: session.partial?.request ?? 1 });
  else if ((rows.at(-1) ?? ofTurn.at(-1))?.role === 'tool') add(CLOSING);
  return rows;
}

type Call = Extract<Part, { type: 'tool_call' }>;

function openCalls(rows: readonly TranscriptRow[]): { call: Call; request: { request?: number } }[] {
  const answered = new Set(rows.map((row) => row.callId));
  return rows.flatMap((row) =>
    row.parts
      .filter((part): part is Call => part.type === 'tool_call' && !answered.has(part.callId))
      .map((call) => ({ call, request: row.request === undefined ? {} : { request: row.request } })),
  );
}

function lostResult(call: Call, turn: TurnRecord): Omit<TranscriptRow, 'id' | 'seq' | 'turnId'> {
  const mayHaveRun = turn.startedCalls?.includes(call.callId) ?? true;
  const text = mayHaveRun
    ? `The editor was closed or reloaded while ${call.name} was running. It may have run in part and its result is ` +
      'lost: check the state of things before you rely on it.'
    : `${call.name} was not run: the editor was closed or reloaded before it started.`;
  return {
    role: 'tool',
    kind: 'tool_result',
    callId: call.callId,
    status: mayHaveRun ? 'abandoned' : 'not_run',
    parts: [{ type: 'text', text }],
    displayText: mayHaveRun ? 'May have run in part; its result is lost.' : 'Not run.',
  };
}

function partialAnswer(text: string, turn: TurnRecord): Omit<TranscriptRow, 'id' | 'seq' | 'turnId'> {
  return {
    role: 'assistant',
    kind: 'text',
    parts: [{ type: 'text', text }],
    displayText: text,
    interrupted: turn.stopped ? 'stop' : 'reload',
  };
}

/** As little as a provider accepts: models repeat what they believe they said. */
export const CLOSING_TEXT = '…';

/** Ends a tail of tool results for the model, so that the next user message follows an assistant row. Not shown. */
const CLOSING: Omit<TranscriptRow, 'id' | 'seq' | 'turnId'> = {
  role: 'assistant',
  kind: 'closing',
  parts: [{ type: 'text', text: CLOSING_TEXT }],
  displayText: null,
};

function resultOf(session: Unfinished, turn: TurnRecord, added: readonly TranscriptRow[]): TurnResult {
  const rows = [...session.rows.filter((row) => row.turnId === turn.id), ...added];
  const requests = Math.max(0, ...rows.map((row) => row.request ?? 0));
  const cut = added.find((row) => row.kind === 'text');
  return {
    turnId: turn.id,
    exitReason: exitReason(turn),
    completed: false,
    interrupted: true,
    failed: false,
    partial: cut !== undefined,
    ...(turn.stopped ? { stoppedBy: turn.stopped.by } : {}),
    phase: phaseOf(turn, rows, added),
    survivors: [],
    finalText: cut?.displayText ?? '',
    requests,
    attempts: Math.max(requests, cut ? (session.partial?.attempt ?? 0) : 0),
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  };
}

/** Where it was cut, as far as what is stored can tell. */
function phaseOf(turn: TurnRecord, rows: readonly TranscriptRow[], added: readonly TranscriptRow[]): Phase {
  const { compactingAfter } = turn;
  if (compactingAfter !== undefined && rows.every((row) => row.seq <= compactingAfter)) return 'compaction';
  if (added.some((row) => row.role === 'tool')) return 'tool';
  return rows.length > 0 ? 'model' : 'starting';
}

function exitReason(turn: TurnRecord): ExitReason {
  if (!turn.stopped) return 'interrupted_by_reload';
  return turn.stopped.by === 'user' ? 'interrupted_by_user' : `interrupted_by_system(${turn.stopped.by})`;
}
