/**
 * What the store and the user have seen so far: a transcript built from the writes, small enough to be part of a
 * state's identity. Each write is checked against what is already there.
 */

import type { ControlEvent, GoOnKind, StepResult, Write } from '../../src/agent/control/index.ts';
import type { Item, Receipt } from '../../src/api.ts';
import { hold } from './violation.ts';

export interface Ledger {
  /** Every item ever accepted, as it was stored last. */
  readonly items: ReadonlyMap<string, Item>;
  /** The last stored sequence number. */
  readonly lastSeq: number;
  readonly lastRowSeq: number;
  readonly rows: number;
  readonly tail: 'none' | 'user' | 'assistant' | 'tool';
  /** Calls of the last answer that have no result yet, in call order. */
  readonly openCalls: readonly string[];
  readonly turn: LedgerTurn | undefined;
  readonly endedTurns: ReadonlySet<string>;
  /** A stop that no user row has told the model of. */
  readonly untold: boolean;
  /** The user stopped, and has not asked for anything since. */
  readonly quiet: boolean;
  /** Items whose place the user chose. */
  readonly moved: ReadonlySet<string>;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** The stored order of the undelivered items, where the user chose one. */
  readonly order: readonly string[];
}

export interface LedgerTurn {
  readonly id: string;
  readonly started: boolean;
  /** It has a text of the user: a turn that only compacts has none. */
  readonly running: boolean;
  readonly compactions: number;
  /** Of an answer that goes on. */
  readonly pieces: number;
  /** The number of the request for the turn's last word. */
  readonly last: number | undefined;
  readonly stopped: boolean;
  readonly begun: readonly string[];
  readonly ran: readonly string[];
  /** How often hooks had it go on; of `stop` in a row. */
  readonly goneOn: Readonly<Record<GoOnKind, number>>;
}

export const EMPTY: Ledger = {
  items: new Map(),
  lastSeq: 0,
  lastRowSeq: 0,
  rows: 0,
  tail: 'none',
  openCalls: [],
  turn: undefined,
  endedTurns: new Set(),
  untold: false,
  quiet: false,
  moved: new Set(),
  receipts: new Map(),
  order: [],
};

type Draft = { -readonly [K in keyof Ledger]: Ledger[K] };

/** The ledger after one step whose writes were stored and whose effects are about to be carried out. */
export function record(ledger: Ledger, event: ControlEvent, result: StepResult): Ledger {
  const draft: Draft = { ...ledger };
  noteUser(draft, event, result);
  for (const write of result.writes) store(draft, event, write);
  for (const effect of result.effects) {
    switch (effect.do) {
      case 'turnStarted':
        hold(!draft.turn, '5 turns', 'a turn starts while another is there');
        hold(!draft.endedTurns.has(effect.turnId), '5 turns', `the id of turn ${effect.turnId} is used again`);
        draft.turn = {
          id: effect.turnId,
          started: false,
          running: false,
          compactions: 0,
          pieces: 0,
          last: undefined,
          stopped: false,
          begun: [],
          ran: [],
          goneOn: { verify: 0, stop: 0 },
        };
        break;
      case 'turnEnded':
        hold(
          draft.endedTurns.has(effect.turnId),
          '5 turns',
          `${effect.turnId} is told to be over, but is not stored so`,
        );
        break;
      case 'request':
        hold(!draft.quiet, '4 after a stop', 'the model is asked although the user stopped and asked for nothing');
        hold(
          draft.tail === 'user' || draft.tail === 'tool',
          '6 history',
          () => `the model is asked after a row of role ${draft.tail}`,
        );
        hold(draft.openCalls.length === 0, '6 history', 'the model is asked while calls have no result');
        hold(draft.turn?.id === effect.turnId && draft.turn.started, '5 turns', 'a request outside of a started turn');
        hold(
          draft.turn.last === undefined || draft.turn.last === effect.request,
          '9 turns',
          'the model is asked again after its last word',
        );
        hold(
          effect.continues === draft.turn.pieces > 0,
          '6 history',
          'a request goes on with nothing, or forgets that',
        );
        if (effect.last) draft.turn = { ...draft.turn, last: effect.request };
        break;
      case 'compact':
        hold(
          !draft.quiet,
          '4 after a stop',
          'the history is compacted although the user stopped and asked for nothing',
        );
        hold(draft.openCalls.length === 0, '6 history', 'the history is compacted while calls have no result');
        hold(
          draft.turn?.id === effect.turnId && draft.turn.started,
          '5 turns',
          'a compaction outside of a started turn',
        );
        hold(draft.turn.compactions === 0, '9 turns', 'a turn compacts twice');
        draft.turn = { ...draft.turn, compactions: 1 };
        break;
      case 'review':
        hold(!draft.quiet, '4 after a stop', 'a review starts although the user stopped and asked for nothing');
        hold(!draft.turn, '9 turns', 'a review starts beside a turn');
        break;
      case 'begin':
      case 'run':
        noteCall(draft, effect);
        break;
      case 'finalize':
        hold(!draft.turn?.stopped, '5 turns', 'end-of-turn work of a stopped turn');
        break;
      default:
        break;
    }
  }
  const ends = result.effects.filter((effect) => effect.do === 'turnEnded').length;
  hold(draft.endedTurns.size - ledger.endedTurns.size === ends, '5 turns', `${ends} ends are told, others are stored`);
  return draft;
}

function noteCall(draft: Draft, { do: what, callId, turnId }: { do: 'begin' | 'run'; callId: string; turnId: string }) {
  const { turn } = draft;
  hold(turn?.id === turnId, '9 turns', `${what} of another turn`);
  hold(!turn.stopped, '3 calls', `${callId}: ${what} after a stop`);
  hold(draft.openCalls.includes(callId), '3 calls', `${callId}: ${what} of a call that has its result`);
  if (what === 'begin') {
    hold(!turn.begun.includes(callId), '3 calls', `${callId} begins twice`);
    draft.turn = { ...turn, begun: [...turn.begun, callId] };
  } else {
    hold(turn.begun.includes(callId) && !turn.ran.includes(callId), '3 calls', `${callId} runs twice or unasked`);
    draft.turn = { ...turn, ran: [...turn.ran, callId] };
  }
}

/** Keeps book of what the user wants: who is quiet, which place was chosen, which receipt came first. */
function noteUser(draft: Draft, event: ControlEvent, { receipt }: StepResult): void {
  switch (event.type) {
    case 'send':
    case 'steer':
    case 'redirect':
    case 'queue':
    case 'stopAndSend': {
      hold(receipt, '1 items', 'no receipt for a text');
      const first = draft.receipts.get(event.id);
      if (first) {
        hold(receipt === first, '1 items', `a repeated id got another receipt: ${JSON.stringify(receipt)}`);
        break;
      }
      if (receipt.outcome === 'refused') break;
      draft.receipts = new Map(draft.receipts).set(event.id, receipt);
      draft.quiet = false;
      break;
    }
    case 'sendNow':
    case 'redirectNow':
    case 'move':
      hold(receipt, '1 items', `no receipt for ${event.type}`);
      if (receipt.outcome === 'refused') break;
      if (event.type === 'move' || isPromoted(draft.items.get(event.id))) {
        draft.moved = new Set(draft.moved).add(event.id);
      }
      if (event.type !== 'move') draft.quiet = false;
      break;
    case 'resumeQueue': {
      // Held texts were passed by newer ones that have started meanwhile.
      const held = [...draft.items.values()].filter(({ state }) => state.is === 'held').map(({ id }) => id);
      draft.moved = new Set([...draft.moved, ...held]);
      draft.quiet = false;
      break;
    }
    case 'compact':
      draft.quiet = false;
      break;
    case 'stop':
      hold(receipt && receipt.outcome !== 'refused', '7 stop', 'a stop was refused');
      break;
    default:
      break;
  }
}

/** *Send now* gives it a place of its own: a queue entry joins those that lead, a held text the running turn. */
function isPromoted(item: Item | undefined): boolean {
  return item?.kind === 'queue' || item?.state.is === 'held';
}

function store(draft: Draft, event: ControlEvent, write: Write): void {
  switch (write.write) {
    case 'item':
      storeItem(draft, event, write.item);
      return;
    case 'callStarted':
      return;
    case 'order':
      draft.order = write.ids;
      return;
    case 'receipt':
      hold(
        draft.receipts.get(write.receipt.id) === write.receipt,
        '1 items',
        `a receipt is stored that nobody got: ${JSON.stringify(write.receipt)}`,
      );
      return;
    case 'turn':
      return storeTurn(draft, write);
    case 'user':
      storeUser(draft, write);
      break;
    case 'answer':
      hold(draft.openCalls.length === 0, '3 calls', 'an answer while calls have no result');
      hold(event.type === 'answered', '6 history', `an answer is stored by ${event.type}`);
      draft.tail = 'assistant';
      draft.openCalls = event.calls.map(({ id }) => id);
      if (draft.turn) draft.turn = { ...draft.turn, pieces: 0 };
      break;
    case 'fragment':
      hold(draft.openCalls.length === 0, '3 calls', 'a piece of an answer while calls have no result');
      hold(event.type === 'continues', '6 history', `a piece of an answer is stored by ${event.type}`);
      hold(!draft.turn?.stopped, '4 after a stop', 'an answer goes on after a stop');
      draft.tail = 'assistant';
      if (draft.turn) draft.turn = { ...draft.turn, pieces: draft.turn.pieces + 1 };
      hold((draft.turn?.pieces ?? 0) <= 3, '6 history', 'an answer goes on a fourth time');
      break;
    case 'nudge':
      hold(draft.openCalls.length === 0, '3 calls', 'a word to the model while calls have no result');
      draft.tail = 'user';
      break;
    case 'goOn':
      storeGoOn(draft, event, write);
      break;
    case 'stitched':
      hold(draft.turn?.pieces === 3, '6 history', 'pieces are put together before the last of them');
      draft.tail = 'assistant';
      break;
    case 'partial':
      if (draft.turn && write.interrupted === 'redirect') draft.turn = { ...draft.turn, pieces: 0 };
      hold(draft.openCalls.length === 0, '3 calls', 'a partial answer while calls have no result');
      draft.tail = 'assistant';
      break;
    case 'result':
      hold(
        draft.openCalls[0] === write.callId,
        '3 calls',
        () => `the result of ${write.callId} is stored, due is ${draft.openCalls[0] ?? 'none'}`,
      );
      hold(
        draft.turn?.ran.includes(write.callId) || (write.status !== 'success' && write.status !== 'abandoned'),
        '3 calls',
        `${write.callId} never ran, its result says ${write.status}`,
      );
      hold(
        !draft.turn?.ran.includes(write.callId) || write.status !== 'not_run',
        '3 calls',
        `${write.callId} ran, its result says not run`,
      );
      draft.openCalls = draft.openCalls.slice(1);
      draft.tail = 'tool';
      break;
    case 'summary':
      hold(draft.openCalls.length === 0, '3 calls', 'a summary while calls have no result');
      hold(event.type === 'compacted' && event.ok, '6 history', `a summary is stored by ${event.type}`);
      break;
    case 'notice':
      hold(draft.openCalls.length === 0, '3 calls', 'a notice while calls have no result');
      draft.tail = 'user';
      break;
    case 'closing':
      hold(draft.openCalls.length === 0, '3 calls', 'the turn is closed while calls have no result');
      if (draft.tail === 'tool') draft.tail = 'assistant';
      break;
    default:
      write satisfies never;
  }
  hold(write.seq > draft.lastRowSeq, '10 append-only', `row ${write.seq} comes after row ${draft.lastRowSeq}`);
  hold(draft.turn?.id === write.turnId, '9 turns', `a row for ${write.turnId}`);
  draft.lastRowSeq = write.seq;
  draft.lastSeq = Math.max(draft.lastSeq, write.seq);
  draft.rows += 1;
}

/** 5: hooks of an end are heard only in a turn that nobody stopped, each kind only so often. */
function storeGoOn(draft: Draft, event: ControlEvent, { text }: Extract<Write, { write: 'goOn' }>): void {
  hold(event.type === 'finalized', '5 turns', `a hook of the end is heard on ${event.type}`);
  hold(draft.turn && !draft.turn.stopped, '5 turns', 'a stopped turn fires the hooks of an end');
  const kind = event.goOns.find((goOn) => goOn.text === text)?.kind;
  hold(kind, '5 turns', `nobody said ${text}`);
  const before = event.goOns.some((goOn) => goOn.kind === 'stop')
    ? draft.turn.goneOn
    : { ...draft.turn.goneOn, stop: 0 };
  const goneOn = { ...before, [kind]: before[kind] + 1 };
  hold(goneOn.verify <= 3 && goneOn.stop <= 8, '5 turns', `hooks have the turn go on for ever: ${kind}`);
  draft.turn = { ...draft.turn, goneOn };
  draft.tail = 'user';
}

function storeUser(draft: Draft, write: Extract<Write, { write: 'user' }>): void {
  hold(draft.openCalls.length === 0, '6 history', 'a user row while calls have no result');
  hold(draft.turn?.started, '5 turns', 'a user row before its turn has started');
  hold(write.items.length > 0, '6 history', 'a user row without a text');
  hold(
    (write.untoldStop !== undefined) === draft.untold,
    '6 history',
    draft.untold ? 'the model is not told of the stop' : 'the model is told of a stop twice',
  );
  for (const item of write.items) {
    const stored = draft.items.get(item.id)?.state;
    hold(
      stored?.is === 'delivered' && stored.rowId === write.rowId,
      '1 items',
      `${item.id} is in the row, but stored as ${stored?.is}`,
    );
  }
  draft.untold = false;
  draft.tail = 'user';
  draft.turn = { ...draft.turn, running: true, goneOn: { ...draft.turn.goneOn, stop: 0 } };
}

function storeTurn(draft: Draft, write: Extract<Write, { write: 'turn' }>): void {
  const { turn } = draft;
  // A turn that starts in the step that ends another one is not announced yet when its writes come; it has none.
  hold(turn?.id === write.turnId, '9 turns', `${write.state} is stored for ${write.turnId}`);
  switch (write.state) {
    case 'started':
      hold(!turn.started, '5 turns', 'a turn starts twice');
      draft.turn = { ...turn, started: true };
      draft.lastSeq = Math.max(draft.lastSeq, numberOf(turn.id));
      return;
    case 'stopped':
      hold(!turn.stopped, '5 turns', 'a turn is stopped twice');
      draft.turn = { ...turn, stopped: true };
      draft.lastSeq = Math.max(draft.lastSeq, write.cause.seq);
      return;
    case 'ended': {
      const { exit, cause, running } = write.end;
      hold(running === turn.running, '5 turns', 'a turn that never ran counts as running, or the other way round');
      hold((cause !== undefined) === turn.stopped, '5 turns', `stopped: ${turn.stopped}, but it ended as ${exit}`);
      hold(
        !turn.stopped || exit.startsWith('interrupted_by') || exit.includes('storage') || exit.includes('persistence'),
        '5 turns',
        `a stopped turn ended as ${exit}`,
      );
      hold(draft.openCalls.length === 0, '3 calls', 'a turn ended while calls have no result');
      if (cause && running) draft.untold = true;
      draft.turn = undefined;
      // The number in its id is taken: a store that forgot it would give the id to another turn after a reload.
      draft.lastSeq = Math.max(draft.lastSeq, numberOf(turn.id));
      hold(!draft.endedTurns.has(turn.id), '5 turns', `${turn.id} ends twice`);
      draft.endedTurns = new Set(draft.endedTurns).add(turn.id);
      return;
    }
    default:
      write satisfies never;
  }
}

/** The sequence number that a turn's id was made of. */
function numberOf(turnId: string): number {
  return Number(turnId.slice(turnId.lastIndexOf('t') + 1));
}

/** The life of an item: which state may follow which, and by what. */
function storeItem(draft: Draft, event: ControlEvent, item: Item): void {
  const before = draft.items.get(item.id)?.state.is ?? 'none';
  const after = item.state.is;
  hold(mayFollow(before, after, event), '1 items', `${item.id} went from ${before} to ${after} by ${event.type}`);
  draft.items = new Map(draft.items).set(item.id, item);
  draft.lastSeq = Math.max(draft.lastSeq, item.seq);
}

function mayFollow(before: Item['state']['is'] | 'none', after: Item['state']['is'], event: ControlEvent): boolean {
  switch (before) {
    case 'none':
      return after === 'pending';
    case 'pending':
      return true;
    case 'held':
      if (after === 'pending') return ['resumeQueue', 'sendNow', 'redirectNow'].includes(event.type);
      return after === 'held' ? ['edit', 'move'].includes(event.type) : after === 'withdrawn';
    case 'delivered':
      return after === 'delivered' && event.type === 'head';
    case 'returned':
      return after === 'returned' && ['acknowledge', 'withdraw'].includes(event.type);
    case 'withdrawn':
      return false;
    default:
      return before satisfies never;
  }
}
