import type { ChildAgent, TranscriptRow } from '../../api.ts';
import type { Notice } from '../control/index.ts';
import { addUsage, NO_USAGE } from '../model/index.ts';
import type { TurnRecord } from '../session/index.ts';
import { DELEGATE, orderSchema } from '../tools/index.ts';
import type { Order } from '../tools/types.ts';
import type { OpenedSession } from '../turn/index.ts';
import { activityOf } from './activity.ts';
import { type ChildEnd, endStateOf, whyUnfinished } from './child-end.ts';
import { childIdOf } from './child-id.ts';
import { shownTask } from './shown-task.ts';
import { endNotice, tellsEndOf } from './words.ts';

export interface StoredChild {
  readonly agent: ChildAgent;
  /** What the model has not been told of its end. */
  readonly untold: Notice | undefined;
}

/**
 * The agents of a session as the store has them.
 *
 * @param opened their sessions; what nobody runs any more was closed as it was read
 * @param rows the whole transcript of the session
 */
export function storedChildren(
  sessionId: string,
  opened: readonly OpenedSession[],
  rows: readonly TranscriptRow[],
): readonly StoredChild[] {
  if (opened.length === 0) return [];
  const calls = callsOf(sessionId, rows);
  return opened.map((session) => storedChild(session, calls.get(session.stored.id), rows));
}

interface DelegateCall {
  readonly turnId: string;
  readonly callId: string;
  readonly order: Order;
}

function callsOf(sessionId: string, rows: readonly TranscriptRow[]): ReadonlyMap<string, DelegateCall> {
  const calls = new Map<string, DelegateCall>();
  for (const { turnId, parts } of rows) {
    for (const part of parts) {
      if (part.type !== 'tool_call' || part.name !== DELEGATE) continue;
      const order = orderSchema.safeParse(part.input);
      if (order.success)
        calls.set(childIdOf(sessionId, part.callId), { turnId, callId: part.callId, order: order.data });
    }
  }
  return calls;
}

function storedChild(
  { stored: { id, title, createdAt }, content: { turns, rows, items }, elsewhere }: OpenedSession,
  call: DelegateCall | undefined,
  parentRows: readonly TranscriptRow[],
): StoredChild {
  const last = turns.at(-1);
  const results = turns.flatMap((turn) => turn.result ?? []);
  const result = parentRows.find((row) => row.callId !== undefined && row.callId === call?.callId);
  const requests = results.reduce((sum, one) => sum + one.requests, 0);
  const state = elsewhere ? 'running' : endStateOf(last?.result);
  const agent: ChildAgent = {
    id,
    name: title,
    task: shownTask(call?.order.task ?? ''),
    turnId: call?.turnId ?? '',
    callId: call?.callId ?? '',
    mode: isBackground(call, result) ? 'background' : 'foreground',
    state,
    startedAt: createdAt,
    ...endOf(last),
    requests,
    usage: results.map((one) => one.usage).reduce(addUsage, NO_USAGE),
    activity: activityOf(rows),
  };
  if (state === 'running' || isTold(agent, result, parentRows)) return { agent, untold: undefined };
  const end: ChildEnd = {
    state,
    why: whyUnfinished(last?.result),
    text: last?.result?.finalText ?? '',
    survivors: [],
    unread: items.filter(({ sentAs, state: { is } }) => sentAs === 'steer' && is !== 'delivered' && is !== 'withdrawn'),
    left: [],
  };
  return { agent, untold: { id, text: endNotice(agent, end) } };
}

/** A call that could not start its agent has an error for its result, whatever it had asked for. */
function isBackground(call: DelegateCall | undefined, result: TranscriptRow | undefined): boolean {
  return result?.status === 'yielded' || (call?.order.background === true && result?.status !== 'error');
}

function endOf(last: TurnRecord | undefined): { endedAt?: number } {
  return last?.endedAt === undefined ? {} : { endedAt: last.endedAt };
}

/** A call that waited for its agent has the end in its result; any other end is a notice, which names the agent. */
function isTold(agent: ChildAgent, result: TranscriptRow | undefined, rows: readonly TranscriptRow[]): boolean {
  const waited = agent.mode === 'foreground' && result !== undefined && result.status !== 'abandoned';
  return waited || rows.some((row) => row.kind === 'notice' && tellsEndOf(agent.id, row.displayText ?? ''));
}
