import type { CallSubject, Item, SessionEvent, TranscriptRow } from '../../src/api.ts';
import type { LiveState } from '../../src/protocol/index.ts';
import type { ChatState } from './chat-state.ts';
import { markRow } from './marks.ts';
import { appendRow } from './sections.ts';

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

/** Output that a card of a running call keeps; older lines are in the full output. */
const liveOutputCharacters = 4_000;

export function reduceEvent(state: ChatState, event: SessionEvent): ChatState {
  switch (event.type) {
    case 'delta':
      return { ...state, live: withDelta(state.live, event) };
    case 'state':
      return withState(state, event);
    case 'turn.started':
      return event.turnId === undefined ? state : { ...state, live: newLive(event.turnId, event.at, 0, 0) };
    case 'request.started':
      return { ...state, live: withRequest(state.live, event) };
    case 'request.ended':
      return state;
    case 'tool':
      return withTool(state, event);
    case 'row':
      return withRow(state, event.row);
    case 'item':
      return withItem(state, event.item);
    case 'approval.opened':
    case 'question.opened':
      // Their contents come beside the events, as the list of all that are open.
      return state;
    case 'approval.closed':
      return { ...state, approvals: state.approvals.filter((approval) => approval.id !== event.id) };
    case 'question.closed':
      return { ...state, questions: state.questions.filter((question) => question.id !== event.id) };
    case 'process':
      return { ...state, processes: upsert(state.processes, event.process) };
    case 'child':
      return { ...state, children: upsert(state.children, event.child) };
    case 'turn.ended':
    case 'settled':
      return {
        ...state,
        turnResults: new Map(state.turnResults).set(event.result.turnId, event.result),
        live: state.live?.turnId === event.result.turnId ? null : state.live,
      };
    case 'notice':
      return withNotice(state, event);
    default:
      return event satisfies never;
  }
}

function newLive(turnId: string, startedAt: number, request: number, attempt: number): LiveState {
  return { turnId, startedAt, request, attempt, text: '', reasoning: '', tools: [] };
}

/** Frames of an attempt that is over are dropped by its number; a new attempt starts from nothing. */
function withDelta(live: LiveState | null, event: EventOf<'delta'>): LiveState | null {
  const current = withRequest(live, event);
  if (!current || current.request !== event.request || current.attempt !== event.attempt) return current;
  return event.part === 'text'
    ? { ...current, text: current.text + event.text }
    : { ...current, reasoning: current.reasoning + event.text };
}

function withRequest(
  live: LiveState | null,
  event: Pick<EventOf<'delta'>, 'turnId' | 'at' | 'request' | 'attempt'>,
): LiveState | null {
  if (event.turnId === undefined) return live;
  if (!live || live.turnId !== event.turnId) return newLive(event.turnId, event.at, event.request, event.attempt);
  const newer = event.request > live.request || (event.request === live.request && event.attempt > live.attempt);
  return newer ? { ...live, request: event.request, attempt: event.attempt, text: '', reasoning: '' } : live;
}

function withState(state: ChatState, event: EventOf<'state'>): ChatState {
  const { phase, label, until } = event;
  // While the model writes, the label counts characters; that is no new beginning.
  const sameThing = phase !== 'tool' || state.state.label === label;
  const same = state.state.state === event.state && state.state.phase === phase && sameThing;
  return {
    ...state,
    state: {
      state: event.state,
      ...(phase !== undefined && { phase }),
      ...(label !== undefined && { label }),
      ...(until !== undefined && { until }),
      since: same ? (state.state.since ?? event.at) : event.at,
    },
    live: event.state === 'idle' ? null : state.live,
  };
}

function withNotice(state: ChatState, event: EventOf<'notice'>): ChatState {
  const mark = markRow(event);
  if (mark) return { ...state, sections: appendRow(state.sections, mark) };
  return { ...state, quietLine: { level: 'info', text: event.text } };
}

const unfinished: ReadonlySet<string> = new Set(['announced', 'waiting', 'approval', 'question', 'running']);

function isUnfinished(toolState: string): boolean {
  return unfinished.has(toolState);
}

function withTool(state: ChatState, event: EventOf<'tool'>): ChatState {
  const live = state.live ?? (event.turnId === undefined ? null : newLive(event.turnId, event.at, 0, 0));
  if (!live) return state;
  const known = live.tools.find((tool) => tool.callId === event.callId);
  const starts = event.state === 'running' && known?.state !== 'running';
  const tool = {
    callId: event.callId,
    name: event.name,
    state: event.state,
    label: event.label ?? known?.label ?? '',
    ...optionalSubject(event.subject ?? known?.subject),
    startedAt: starts || !known ? event.at : known.startedAt,
    output: (withoutEnd(known?.output ?? '', event.replaced ?? 0) + (event.output ?? '')).slice(-liveOutputCharacters),
  };
  const tools = known
    ? live.tools.map((other) => (other.callId === tool.callId ? tool : other))
    : [...live.tools, tool];
  const next = { ...state, live: { ...live, tools } };
  if (isUnfinished(event.state) || !known) return next;
  const card = {
    ...state.calls.get(tool.callId),
    callId: tool.callId,
    label: tool.label,
    ...optionalSubject(tool.subject),
    ...(known.state === 'running' && { durationMs: event.at - known.startedAt }),
  };
  return { ...next, calls: new Map(state.calls).set(tool.callId, card) };
}

/** A line that a command draws anew stands for the one before it. */
function withoutEnd(output: string, characters: number): string {
  return output.slice(0, Math.max(0, output.length - characters));
}

function optionalSubject(subject: CallSubject | undefined): { readonly subject?: CallSubject } {
  return subject === undefined ? {} : { subject };
}

function withRow(state: ChatState, row: TranscriptRow): ChatState {
  const sections = appendRow(state.sections, row);
  const { live } = state;
  if (!live || live.turnId !== row.turnId) return { ...state, sections };
  switch (row.role) {
    case 'assistant':
      return { ...state, sections, live: { ...live, text: '', reasoning: '' } };
    case 'tool':
      return { ...state, sections, live: { ...live, tools: live.tools.filter((tool) => tool.callId !== row.callId) } };
    case 'user':
    case 'notice':
      return { ...state, sections };
    default:
      return row.role satisfies never;
  }
}

function withItem(state: ChatState, item: Item): ChatState {
  const others = state.items.filter((known) => known.id !== item.id);
  switch (item.state.is) {
    case 'delivered':
      return { ...state, items: others, reads: new Map(state.reads).set(item.id, item.state.read) };
    case 'withdrawn':
      return { ...state, items: others };
    case 'returned':
      if (item.state.acknowledged) return { ...state, items: others };
      break;
    case 'pending':
    case 'held':
      break;
    default:
      return item.state satisfies never;
  }
  const place = state.items.findIndex((known) => known.id === item.id);
  return { ...state, items: place < 0 ? [...others, item] : state.items.with(place, item) };
}

function upsert<T extends { readonly id: string }>(values: readonly T[], value: T): readonly T[] {
  const place = values.findIndex((known) => known.id === value.id);
  return place < 0 ? [...values, value] : values.with(place, value);
}
