import type { Item, Part, Receipt, TranscriptRow, TurnResult } from '../../api.ts';
import { isFailure, type TurnEnd, type Write } from '../control/index.ts';
import { CLOSING_TEXT, deriveTitle } from '../session/index.ts';
import type { Commit, TurnRecord } from '../session/types.ts';
import { cardWords } from './call-result.ts';
import type { History } from './history.ts';
import { textOf } from './history.ts';
import type { LiveTurn } from './live-turn.ts';
import { goOnNote, NUDGES, partsNote, resultText, userText } from './notes.ts';

/** Longer texts are left out of a stored diff: the file itself still shows the change. */
const MAX_DIFF_CHARACTERS = 200_000;

/**
 * Fills the machine's writes with content: one transaction for the store. Nothing is changed here but `turn`'s record
 * of what it stored, which counts only once the transaction is through.
 */
export function resolveWrites(
  sessionId: string,
  writes: readonly Write[],
  turn: LiveTurn | undefined,
  history: History,
  stopAfterStep: boolean,
  now: number,
): Commit {
  const rows: TranscriptRow[] = [];
  const items: Item[] = [];
  let record: TurnRecord | undefined;
  const beside: { order?: readonly string[]; receipts?: readonly Receipt[] } = {};
  for (const write of writes) {
    if (write.write === 'item') {
      items.push(write.item);
      continue;
    }
    if (write.write === 'order') {
      beside.order = write.ids;
      continue;
    }
    if (write.write === 'receipt') {
      beside.receipts = [...(beside.receipts ?? []), write.receipt];
      continue;
    }
    if (!turn || turn.id !== write.turnId) throw new Error(`turn: a write for ${write.turnId}, which is not live`);
    switch (write.write) {
      case 'user':
        rows.push(userRow(write, turn));
        break;
      case 'answer':
        rows.push(answerRow(write, turn));
        break;
      case 'partial': {
        if (turn.text.trim() === '') break;
        const { seq, rowId: id, turnId, request, interrupted } = write;
        const parts: Part[] = [{ type: 'text', text: turn.text }];
        rows.push({
          id,
          seq,
          turnId,
          request,
          role: 'assistant',
          kind: 'text',
          parts,
          displayText: turn.text,
          interrupted,
        });
        break;
      }
      case 'notice': {
        const { seq, rowId: id, turnId, request, text } = write;
        const parts: Part[] = [{ type: 'text', text }];
        rows.push({
          id,
          seq,
          turnId,
          request,
          role: 'notice',
          kind: 'notice',
          parts,
          displayText: text,
          providerText: `[${text}]`,
        });
        break;
      }
      case 'fragment':
        if (turn.text.trim() !== '' || turn.answer?.thinking.length) {
          rows.push({ ...answerRow(write, turn), continued: write.why });
        }
        break;
      case 'nudge':
        rows.push(nudgeRow(write, turn?.cutCall));
        break;
      case 'goOn':
        rows.push(goOnRow(write));
        break;
      case 'stitched':
        if (turn.wholeText !== '') rows.push(stitchedRow(write, turn));
        break;
      case 'summary':
        rows.push(summaryRow(write, turn));
        break;
      case 'result':
        rows.push(resultRow(write, turn, !stopAfterStep && (record ?? turn.record).stopped === undefined));
        break;
      case 'closing': {
        const last = rows.at(-1);
        if (last ? last.role !== 'tool' : !history.endsOnToolResult) break;
        const { seq, rowId: id, turnId } = write;
        const parts: Part[] = [{ type: 'text', text: CLOSING_TEXT }];
        rows.push({ id, seq, turnId, role: 'assistant', kind: 'closing', parts, displayText: null });
        break;
      }
      case 'callStarted':
        record ??= turn.record;
        record = { ...record, startedCalls: [...(record.startedCalls ?? []), write.callId] };
        break;
      case 'turn':
        record = turnRecord(write, record ?? turn.record, turn, rows, now);
        break;
      default:
        write satisfies never;
    }
  }
  const first = rows.find((row) => row.kind === 'message');
  const title = first && deriveTitle(textOf(first.parts));
  return {
    sessionId,
    rows,
    items,
    ...beside,
    ...(record ? { turn: record } : {}),
    ...(title === undefined ? {} : { derivedTitle: title }),
  };
}

type Of<T extends Write['write']> = Extract<Write, { write: T }>;

function userRow(write: Of<'user'>, turn: LiveTurn): TranscriptRow {
  const parts = write.items.flatMap(userParts);
  const text = textOf(parts);
  const context = write.items.flatMap(({ id }) => turn.hookContext.get(id) ?? []);
  const cut = write.cut && turn.text.trim() !== '';
  const meant = textOf(write.items.flatMap((item) => userParts(expanded(item))));
  const told = userText(meant, { cut, untoldStop: write.untoldStop, context });
  const providerText = told ?? (meant === text ? undefined : meant);
  return {
    id: write.rowId,
    seq: write.seq,
    turnId: write.turnId,
    request: write.request,
    role: 'user',
    kind: write.kind,
    parts,
    itemIds: write.items.map((item) => item.id),
    displayText: text,
    ...(providerText === undefined ? {} : { providerText }),
  };
}

function expanded(item: Item): Item {
  return item.providerText === undefined ? item : { ...item, text: item.providerText };
}

/** An item of images alone has no text part: a blank one would stand in front of the next. */
function userParts({ id, text, attachments }: Item): readonly Part[] {
  const images = attachments.flatMap(({ kind, ref, mime = '', name }): Part[] =>
    kind === 'image' ? [{ type: 'image', mime, ref, name }] : [],
  );
  return text.trim() === '' && images.length > 0 ? images : [{ type: 'text', text, itemId: id }, ...images];
}

function answerRow(write: Of<'answer' | 'fragment'>, turn: LiveTurn): TranscriptRow {
  const answer = turn.answer;
  if (!answer) throw new Error(`turn: request ${write.request} has no answer to store`);
  const parts: Part[] = [
    ...answer.thinking.map(
      (thinking): Part => ({ type: 'thinking', text: thinking.text, signed: true, signature: thinking.signature }),
    ),
    ...(turn.reasoning !== '' && answer.thinking.every(({ text }) => text === '')
      ? [{ type: 'thinking' as const, text: turn.reasoning, signed: false }]
      : []),
    ...(answer.text === '' ? [] : [{ type: 'text' as const, text: answer.text }]),
    ...answer.calls.map(
      (call): Part => ({
        type: 'tool_call',
        callId: call.callId,
        name: call.name,
        // Arguments that were no JSON are not sent back: a provider would refuse them for ever.
        input: call.invalidInput === undefined ? call.input : {},
      }),
    ),
  ];
  const { seq, rowId: id, turnId, request } = write;
  return { id, seq, turnId, request, role: 'assistant', kind: 'text', parts, displayText: answer.text };
}

function nudgeRow({ seq, rowId: id, turnId, request, why }: Of<'nudge'>, cutCall: LiveTurn['cutCall']): TranscriptRow {
  const text = why === 'dropped_call' && cutCall ? partsNote(cutCall.limit) : NUDGES[why];
  return {
    id,
    seq,
    turnId,
    request,
    role: 'notice',
    kind: 'notice',
    parts: [{ type: 'text', text }],
    displayText: null,
    providerText: text,
    ...(why === 'step_budget' ? {} : { continued: why }),
  };
}

function goOnRow({ seq, rowId: id, turnId, request, text, by }: Of<'goOn'>): TranscriptRow {
  return {
    id,
    seq,
    turnId,
    request,
    role: 'notice',
    kind: 'notice',
    parts: [{ type: 'text', text }],
    displayText: `Hook ${by}: ${text}`,
    providerText: goOnNote(text, by),
    hook: by,
  };
}

/** For the model only: people have seen the pieces. */
function stitchedRow({ seq, rowId: id, turnId, request, from }: Of<'stitched'>, turn: LiveTurn): TranscriptRow {
  return {
    id,
    seq,
    turnId,
    request,
    role: 'assistant',
    kind: 'closing',
    parts: [{ type: 'text', text: turn.wholeText }],
    displayText: null,
    interrupted: 'stream_cut',
    standsFrom: from,
  };
}

function resultRow(write: Of<'result'>, turn: LiveTurn, steered: boolean): TranscriptRow {
  const call = turn.calls.get(write.callId);
  const text = call?.result?.text || notRunText(write.status, steered, call?.output ?? '');
  const { durationMs = 0, ...known } = call?.result?.card ?? {};
  // The words follow the status that is stored, whatever the tool's own last word was.
  const words = call ? cardWords(call, write.status) : { label: write.callId };
  const card = { ...known, ...words, durationMs };
  const { seq, rowId: id, turnId, request, callId, status } = write;
  return {
    id,
    seq,
    turnId,
    request,
    role: 'tool',
    kind: 'tool_result',
    parts: [{ type: 'text', text }, ...(call?.result?.images ?? [])],
    displayText: text,
    ...(call?.result?.modelText === undefined ? {} : { providerText: call.result.modelText }),
    callId,
    status,
    card: smallCard(card),
  };
}

function summaryRow(write: Of<'summary'>, turn: LiveTurn): TranscriptRow {
  const { summary } = turn;
  if (!summary) throw new Error(`turn: ${write.turnId} has no summary to store`);
  const { seq, rowId: id, turnId, request } = write;
  return {
    id,
    seq,
    turnId,
    ...(request === 0 ? {} : { request }),
    role: 'notice',
    kind: 'summary',
    parts: [{ type: 'text', text: summary.text }],
    displayText: summary.displayText,
    providerText: summary.providerText,
    keepsFrom: summary.keepsFrom,
  };
}

function notRunText(status: TranscriptRow['status'] & string, steered: boolean, output: string): string {
  const text = resultText(status, { steered });
  return output === '' ? text : `${text}\nOutput so far:\n${output}`;
}

function smallCard(card: NonNullable<TranscriptRow['card']>): NonNullable<TranscriptRow['card']> {
  const { diff, ...rest } = card;
  return diff && diff.before.length + diff.after.length <= MAX_DIFF_CHARACTERS ? card : rest;
}

function turnRecord(
  write: Of<'turn'>,
  record: TurnRecord,
  turn: LiveTurn,
  rows: readonly TranscriptRow[],
  now: number,
): TurnRecord {
  switch (write.state) {
    case 'started':
      return record;
    case 'stopped': {
      const { by, reason, seq } = write.cause;
      return { ...record, stopped: { by, reason, seq } };
    }
    case 'ended':
      return {
        ...record,
        endedAt: now,
        result: turnResult(write.end, turn, rows, now),
        ...(turn.contextTokens > 0 ? { contextTokens: turn.contextTokens } : {}),
      };
    default:
      return write satisfies never;
  }
}

/** The result that `turn.ended` and `settled()` give. */
export function turnResult(end: TurnEnd, turn: LiveTurn, rows: readonly TranscriptRow[], now: number): TurnResult {
  const { exit } = end;
  const cut = rows.some((row) => row.role === 'assistant' && row.interrupted !== undefined);
  const partial = cut || (exit !== 'answered' && turn.pieces.length > 0);
  const finalText = partial || turn.answer ? turn.wholeText : turn.finalText;
  // What an attempt failed with is not why a turn was stopped; only a producer's own words say that.
  const isWhy = !exit.startsWith('interrupted_by') || turn.error?.kind === end.cause?.by;
  return {
    turnId: turn.id,
    exitReason: exit,
    completed: exit === 'answered',
    interrupted: exit.startsWith('interrupted_by'),
    failed: isFailure(exit),
    partial,
    ...(end.cause ? { stoppedBy: end.cause.by, phase: end.phase } : {}),
    survivors: [...turn.survivors],
    finalText,
    requests: end.requests,
    attempts: turn.attempts,
    usage: turn.usage,
    ...(turn.byModel.length > 0 ? { byModel: turn.byModel } : {}),
    durationMs: now - turn.startedAt,
    ...(turn.error && isWhy ? { error: turn.error } : {}),
  };
}
