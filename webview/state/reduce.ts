/** From a message to the next state. Pure: what has to be said to the host is in the returned state (`outOfStep`). */

import type { SessionEvent } from '../../src/api.ts';
import type { EventsMessage, Snapshot, Stretch, ToView } from '../../src/protocol/index.ts';
import type { ChatState } from './chat-state.ts';
import { settleOutgoing } from './outgoing.ts';
import { reduceEvent } from './reduce-event.ts';
import { prependRows, sectionsOf } from './sections.ts';

export function reduce(state: ChatState, message: ToView): ChatState {
  switch (message.type) {
    case 'snapshot':
      return fromSnapshot(state, message);
    case 'events':
      return fromEvents(state, message);
    case 'meter':
      return { ...state, meter: message.meter };
    case 'model':
      return { ...state, model: message.model };
    case 'settings':
      return { ...state, settings: message.settings };
    case 'title':
      return { ...state, session: { ...state.session, title: message.title } };
    case 'sessions':
      return { ...state, sessions: { list: message.sessions, currentId: message.currentId } };
    case 'models':
      return { ...state, models: { groups: message.groups, current: message.current } };
    case 'notice':
      return { ...state, quietLine: { level: message.level, text: message.text } };
    case 'slashCommands':
      return { ...state, slashCommands: message.commands };
    case 'reply':
    case 'submit':
    case 'focusComposer':
    case 'askFocus':
    case 'showHelp':
    case 'insertDraft':
      return state;
    default:
      return message satisfies never;
  }
}

/** Rows that were asked for by scrolling up. */
export function addOlder(state: ChatState, older: Stretch): ChatState {
  return {
    ...state,
    sections: prependRows(older.rows, state.sections),
    hasOlder: older.hasOlder,
    turnResults: new Map([...byTurn(older.turnResults), ...state.turnResults]),
    calls: new Map([...byCall(older.calls ?? []), ...state.calls]),
  };
}

function fromSnapshot(state: ChatState, snapshot: Snapshot): ChatState {
  const sameSession = snapshot.session.id === state.session.id;
  return settleOutgoing({
    seq: snapshot.seq,
    outOfStep: false,
    session: snapshot.session,
    sections: sectionsOf(snapshot.rows),
    hasOlder: snapshot.hasOlder,
    turnResults: byTurn(snapshot.turnResults),
    calls: byCall(snapshot.calls ?? []),
    items: snapshot.items.filter((item) => item.state.is !== 'delivered'),
    reads: new Map(
      snapshot.items.flatMap((item) => (item.state.is === 'delivered' ? [[item.id, item.state.read] as const] : [])),
    ),
    outgoing: sameSession ? state.outgoing : [],
    approvals: snapshot.approvals,
    questions: snapshot.questions,
    state: snapshot.state,
    live: snapshot.live,
    meter: snapshot.meter,
    model: snapshot.model,
    processes: snapshot.processes,
    children: snapshot.children,
    settings: snapshot.settings,
    workspace: snapshot.workspace,
    welcome: snapshot.welcome,
    quietLine: sameSession ? state.quietLine : null,
    draftImages: state.draftImages,
    sessions: state.sessions,
    models: state.models,
    slashCommands: state.slashCommands,
  });
}

function fromEvents(state: ChatState, message: EventsMessage): ChatState {
  if (state.seq < 0 || message.to <= state.seq) return state;
  if (message.from !== state.seq) return state.outOfStep ? state : { ...state, outOfStep: true };
  const after = message.events.reduce(
    (before, event) => reduceEvent(before, withStreamed(before, event, message)),
    state,
  );
  return settleOutgoing({
    ...after,
    seq: message.to,
    approvals: message.approvals ?? after.approvals,
    questions: message.questions ?? after.questions,
    items: message.items?.filter((item) => item.state.is !== 'delivered') ?? after.items,
    calls: message.calls ? new Map([...after.calls, ...byCall(message.calls)]) : after.calls,
  });
}

/** A row whose text was streamed comes without it. */
function withStreamed(state: ChatState, event: SessionEvent, { streamed }: EventsMessage): SessionEvent {
  if (event.type !== 'row' || !streamed?.includes(event.row.id)) return event;
  return { ...event, row: { ...event.row, displayText: state.live?.text ?? '' } };
}

function byTurn<T extends { readonly turnId: string }>(values: readonly T[]): ReadonlyMap<string, T> {
  return new Map(values.map((value) => [value.turnId, value]));
}

function byCall<T extends { readonly callId: string }>(values: readonly T[]): ReadonlyMap<string, T> {
  return new Map(values.map((value) => [value.callId, value]));
}
