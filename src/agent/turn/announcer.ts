import type { Item, Phase, SessionEvent, SessionStateName } from '../../api.ts';
import { callWords } from '../../words/call-words.ts';
import { type ControlState, phaseOf } from '../control/index.ts';
import { EventLog } from './event-log.ts';
import type { LiveCall } from './live-turn.ts';
import type { AgentPorts } from './types.ts';
import { type DescribeCall, waitsFor } from './waits-for.ts';

/** An event without what the session adds. */
export type Announcement = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, 'seq' | 'at'>
    : never
  : never;

export type StateEvent = SessionEvent & { readonly type: 'state' };

/** A session's one counter: it numbers verbs, rows and events, so that any two of them can be put in order. */
export class Sequence {
  value: number;

  constructor(value: number) {
    this.value = value;
  }

  next(): number {
    this.value += 1;
    return this.value;
  }

  atLeast(value: number): void {
    this.value = Math.max(this.value, value);
  }
}

/** Tells the world what a session does: by numbered events, each change once. */
export class Announcer {
  readonly events: EventLog;
  readonly #ports: AgentPorts;
  readonly #sequence: Sequence;
  readonly #shownItems = new Map<string, string>();
  readonly #moved: () => void;
  #shownState = '';
  #lastState: StateEvent | undefined;

  /** @param moved called for each event but notices: something of the session goes on */
  constructor(ports: AgentPorts, sessionId: string, sequence: Sequence, moved: () => void) {
    this.#moved = moved;
    this.#ports = ports;
    this.#sequence = sequence;
    this.events = new EventLog((error) => ports.log.error(`a listener of session ${sessionId} threw: ${error}`));
  }

  /** Something of the session goes on that nobody is told of. */
  progress(): void {
    this.#moved();
  }

  emit(event: Announcement): void {
    // The union is rebuilt by the spread; TypeScript cannot follow it through `Omit`.
    const numbered = { ...event, seq: this.#sequence.next(), at: this.#ports.clock.now() } as SessionEvent;
    if (numbered.type === 'state') this.#lastState = numbered;
    if (numbered.type !== 'notice') this.#moved();
    this.events.emit(numbered);
  }

  notice(kind: string, text: string, turnId?: string): void {
    this.emit({ type: 'notice', kind, text, ...(turnId === undefined ? {} : { turnId }) });
  }

  tool(
    turnId: string,
    call: LiveCall,
    state: Extract<SessionEvent, { type: 'tool' }>['state'],
    output?: { readonly text: string; readonly replaced: number },
  ): void {
    const { callId, name } = call.call;
    this.emit({
      type: 'tool',
      turnId,
      callId,
      name,
      state,
      label: callWords(call.subject, state),
      subject: call.subject,
      ...(output ? { output: output.text, ...(output.replaced > 0 ? { replaced: output.replaced } : {}) } : {}),
    });
  }

  item(item: Item, state: ControlState, describe: DescribeCall): void {
    const waiting = state.items.some(({ id }) => id === item.id);
    const shown = waiting ? withWaitsFor(item, state, describe) : item;
    if (waiting) this.#shownItems.set(item.id, JSON.stringify(shown.waitsFor));
    else this.#shownItems.delete(item.id);
    this.emit({ type: 'item', item: shown });
  }

  /** Chips say what they wait for, and that changes with the turn. */
  waiting(state: ControlState, describe: DescribeCall): void {
    for (const item of state.items) {
      const { waitsFor: waiting } = withWaitsFor(item, state, describe);
      if (this.#shownItems.get(item.id) !== JSON.stringify(waiting)) this.item(item, state, describe);
    }
  }

  get lastState(): StateEvent | undefined {
    return this.#lastState;
  }

  /**
   * @param label the card label of what runs, or why a failed request waits
   * @param until when that request is repeated
   */
  state(state: ControlState, label: string | undefined, until: number | undefined): void {
    const name = stateName(state);
    const phase = phaseName(state);
    const shown = `${state.turn?.id} ${name} ${phase} ${label} ${until}`;
    if (shown === this.#shownState) return;
    this.#shownState = shown;
    this.emit({
      type: 'state',
      state: name,
      ...(state.turn ? { turnId: state.turn.id } : {}),
      ...(phase ? { phase } : {}),
      ...(label === undefined ? {} : { label }),
      ...(until === undefined ? {} : { until }),
    });
  }
}

export function stateName(state: ControlState): SessionStateName {
  const activity = state.turn?.activity;
  if (!activity) return 'idle';
  if (activity.is === 'stopping') return 'stopping';
  const phase = phaseOf(activity);
  return phase === 'approval' || phase === 'question' ? 'waiting' : 'running';
}

export function phaseName(state: ControlState): Phase | undefined {
  return state.turn && phaseOf(state.turn.activity);
}

export function withWaitsFor(item: Item, state: ControlState, describe: DescribeCall): Item {
  const { waitsFor: _old, ...rest } = item;
  const waiting = waitsFor(item, state, describe);
  return waiting ? { ...rest, waitsFor: waiting } : rest;
}
