/**
 * One session in its world: the machine, what is outside, and what has been stored and seen. `perform` is the turn
 * loop in small; everything that may happen next has a label, so that a schedule is a list of labels.
 */

import {
  type ControlEvent,
  type ControlState,
  type LoopEvent,
  restore,
  type StepResult,
  step,
  type VerbEvent,
} from '../../src/agent/control/index.ts';
import type { Item } from '../../src/api.ts';
import { carryOut, consume, NOTHING, type Outside, possible } from './environment.ts';
import { check, isSamePress } from './invariants.ts';
import { EMPTY, type Ledger, record } from './ledger.ts';
import { hold } from './violation.ts';

export interface World {
  readonly control: ControlState;
  readonly outside: Outside;
  readonly ledger: Ledger;
  readonly seq: number;
  readonly at: number;
}

export interface Alphabet {
  /** Ids the user may send texts with, used in this order. */
  readonly ids: readonly string[];
  /** Every verb and option; without it those that differ in what they lead to. */
  readonly full: boolean;
}

export interface Action {
  readonly label: string;
  readonly input: VerbEvent | LoopEvent;
  /** Milliseconds since the event before. */
  readonly after: number;
}

const FEW = 2;
const MANY = 5;
const PAUSE = 400;
const DOUBLE_CLICK = 100;
const SESSION = 's';

export function start(stepBudget: number, { reviews = false }: { readonly reviews?: boolean } = {}): World {
  const stored = { sessionId: SESSION, lastSeq: 0, stepBudget, reviews, wrapsUp: true, items: [] };
  const { state } = restore({ ...stored, untoldStop: undefined });
  return { control: state, outside: NOTHING, ledger: EMPTY, seq: 0, at: 0 };
}

/** Everything that may happen next. */
export function actions(world: World, alphabet: Alphabet): readonly Action[] {
  return [...verbs(world, alphabet), ...answers(world)];
}

export function answers({ outside, control }: World): readonly Action[] {
  const loop = possible(outside).map(({ label, event }) => ({ label, input: event, after: PAUSE }));
  const { turn } = control;
  if (!turn) return loop;
  const failed: LoopEvent = { type: 'storageFailed', turnId: turn.id, callsUnstored: false };
  return [...loop, { label: 'storage fails', input: failed, after: PAUSE }];
}

export function verbs({ control, ledger }: World, { ids, full }: Alphabet): readonly Action[] {
  const list: Action[] = [];
  const add = (label: string, input: VerbEvent, after = PAUSE) => list.push({ label, input, after });
  const fresh = ids.find((id) => !ledger.receipts.has(id));
  if (fresh !== undefined) {
    for (const [label, event] of texts(fresh, full)) add(`${label} ${fresh}`, event);
  }
  const used = ids.find((id) => ledger.receipts.has(id));
  if (used !== undefined) add(`repeat ${used}`, { type: 'steer', ...text(used) });

  const { turn, items } = control;
  const press = { by: 'user', reason: 'stop_button', onQueue: 'hold' } as const;
  add('stop', { type: 'stop', id: 'stop', ...press });
  if (turn?.activity.is === 'stopping') add('double click', { type: 'stop', id: 'stop', ...press }, DOUBLE_CLICK);
  if (full) {
    add('stop, queue back', { type: 'stop', id: 'stop', ...press, onQueue: 'return' });
    add('watchdog stops', { type: 'stop', id: 'stop', ...press, by: 'liveness', reason: 'liveness' });
    add('stop after step, queue back', { type: 'stopAfterStep', id: 'stop', reason: 'key', onQueue: 'return' });
  }
  if (turn || full) add('stop after step', { type: 'stopAfterStep', id: 'stop', reason: 'key', onQueue: 'hold' });
  if (full) {
    // The room of a turn decides what can happen in it: few requests for its last word, more for an answer in pieces.
    const stepBudget = control.stepBudget === FEW ? MANY : FEW;
    const { reviews, wrapsUp } = control;
    const label = `${stepBudget} requests a turn`;
    list.push({ label, input: { type: 'configured', stepBudget, reviews, wrapsUp }, after: PAUSE });
  }
  if (full) add('compact', { type: 'compact', id: 'compact' });
  for (const item of items) itemVerbs(item, items, full, add);
  if (items.some(({ state }) => state.is === 'held') || full) add('resume queue', { type: 'resumeQueue', id: 'r' });
  if (items.length > 0 || full) add('clear queue', { type: 'clearQueue', id: 'c' });
  return list;
}

function texts(id: string, full: boolean): readonly (readonly [string, VerbEvent])[] {
  const stop = { onQueue: 'hold', reason: 'stop_and_send' } as const;
  return [
    ['send', { type: 'send', busyInput: 'steer', ...text(id) }],
    ['steer', { type: 'steer', ...text(id) }],
    ['redirect', { type: 'redirect', ...text(id) }],
    ['queue', { type: 'queue', ...text(id) }],
    ['stop and send', { type: 'stopAndSend', ...stop, ...text(id) }],
    ...(full
      ? ([
          ['send as redirect', { type: 'send', busyInput: 'redirect', ...text(id) }],
          ['send as queue', { type: 'send', busyInput: 'queue', ...text(id) }],
          ['steer with an unseen image', { type: 'steer', ...text(id), seesImages: false }],
          ['blank', { type: 'steer', ...text(id), text: ' ' }],
        ] as const)
      : []),
  ];
}

function text(id: string) {
  return { id, text: `text ${id}`, attachments: [], origin: 'view', seesImages: true } as const;
}

function itemVerbs(
  item: Item,
  items: readonly Item[],
  full: boolean,
  add: (label: string, input: VerbEvent) => void,
): void {
  const { id, revision, state } = item;
  if (state.is === 'returned') add(`acknowledge ${id}`, { type: 'acknowledge', id });
  if (state.is !== 'returned' || full) {
    add(`withdraw ${id}`, { type: 'withdraw', id });
    add(`send now ${id}`, { type: 'sendNow', id, seesImages: true });
    add(`redirect now ${id}`, { type: 'redirectNow', id, seesImages: true });
    const first = items[0];
    if (first && first.id !== id) add(`move ${id} up`, { type: 'move', id, before: first.id });
  }
  if (!full) return;
  add(`edit ${id}`, { type: 'edit', id, text: `text ${id}, better`, revision });
  add(`edit ${id} blindly`, { type: 'edit', id, text: 'too late', revision: revision - 1 });
  add(`move ${id} down`, { type: 'move', id, before: undefined });
}

/** One event through the machine, its writes stored, its effects carried out, every invariant checked. */
export function perform(world: World, { input, after }: Action): World {
  const event: ControlEvent = { ...input, seq: world.seq + 1, at: world.at + after };
  const result = step(world.control, event);
  const outside = carryOut(isOutside(input) ? consume(world.outside, input) : world.outside, result.effects);
  const ledger = record(quieted(world.ledger, world.control, event, result), event, result);
  const next: World = { control: result.state, outside, ledger, seq: result.state.seq, at: event.at };
  check(world, event, result, next);
  return next;
}

function isOutside(input: VerbEvent | LoopEvent): input is LoopEvent {
  switch (input.type) {
    case 'childStarted':
    case 'childEnded':
    case 'reviewEnded':
    case 'configured':
    case 'noticed':
      return true;
    default:
      return 'turnId' in input;
  }
}

/** After a stop the model is not asked before the user asks for something: the press counts, or its commit. */
function quieted(ledger: Ledger, control: ControlState, event: ControlEvent, { writes }: StepResult): Ledger {
  const pressed = event.type === 'stop' && !isSamePress(control, event.at);
  const committed = writes.some((write) => write.write === 'turn' && write.state === 'stopped');
  return pressed || committed ? { ...ledger, quiet: true } : ledger;
}

/** An event of something that is over: it must change nothing at all. */
export function performLate(world: World, input: LoopEvent): void {
  const { control } = world;
  if (isOutstanding(world.outside, input)) return;
  const { state, writes, effects } = step(control, { ...input, seq: control.seq, at: world.at });
  hold(
    writes.length === 0 && effects.length === 0 && state.turn === control.turn && state.items === control.items,
    '9 turns',
    () => `a late event changed something: ${JSON.stringify(input)}`,
  );
}

/** As the store gives them: those whose order was stored first, then by sequence number. */
function storedOrder({ items, order }: Ledger): readonly Item[] {
  const place = (item: Item) => (order.includes(item.id) ? order.indexOf(item.id) : order.length);
  return [...items.values()].sort((a, b) => place(a) - place(b) || a.seq - b.seq);
}

/** Late is not what is awaited: the end of a second compaction in the same turn looks like that of the first. */
function isOutstanding({ gather, finalize, compaction, hold: held }: Outside, input: LoopEvent): boolean {
  if (input.type === 'finalized') return finalize?.turnId === input.turnId;
  if (input.type === 'gathered') return gather === input.turnId;
  if (input.type === 'startAnyway') return held === input.turnId;
  return input.type === 'compacted' && compaction === input.turnId;
}

/**
 * The host dies and comes back: the machine is built anew from what was stored, and what the turn left open in the
 * transcript has been closed before.
 */
export function crash(world: World): World {
  const { ledger } = world;
  const restored = restore({
    sessionId: SESSION,
    lastSeq: ledger.lastSeq,
    stepBudget: world.control.stepBudget,
    reviews: world.control.reviews,
    wrapsUp: world.control.wrapsUp,
    items: storedOrder(ledger),
    receipts: [...ledger.receipts.values()],
    untoldStop: ledger.untold ? { phase: 'tool', by: 'user' } : undefined,
  });
  const items = new Map(ledger.items);
  for (const write of restored.writes) {
    hold(write.write === 'item', '10 append-only', `a restore writes ${write.write}`);
    const before = items.get(write.item.id)?.state.is;
    hold(
      before === 'pending' && write.item.state.is === 'held',
      '1 items',
      `a restore makes ${before} ${write.item.state.is}`,
    );
    items.set(write.item.id, write.item);
  }
  hold(restored.effects.length === 0 && !restored.state.turn, '4 after a stop', 'a restore starts something');
  const closed: Ledger = {
    ...ledger,
    items,
    tail: ledger.tail === 'tool' || ledger.openCalls.length > 0 ? 'assistant' : ledger.tail,
    openCalls: [],
    turn: undefined,
    // A turn that has stored nothing was never there.
    endedTurns: ledger.turn?.started ? new Set(ledger.endedTurns).add(ledger.turn.id) : ledger.endedTurns,
    quiet: true,
  };
  const over = world.outside.over;
  return {
    control: restored.state,
    outside: { ...NOTHING, over },
    ledger: closed,
    seq: restored.state.seq,
    at: world.at + PAUSE,
  };
}
