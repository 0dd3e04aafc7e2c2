/**
 * What has been stored of one session, kept beside the real store and checked with each write: the life of items, the
 * order of rows, one result for each call, one end for each turn. Requests and crashes are judged by it.
 */

import type { ImageStore } from '../../../src/agent/session/index.ts';
import { recover } from '../../../src/agent/session/recovery.ts';
import type { Commit, PartialText, TurnRecord } from '../../../src/agent/session/types.ts';
import { History } from '../../../src/agent/turn/history.ts';
import { SentImages } from '../../../src/agent/turn/request/sent-images.ts';
import type { Item, ResultStatus, TranscriptRow } from '../../../src/api.ts';
import { illegal } from './legality.ts';
import type { Stream } from './model.ts';

export type Report = (rule: string, problem: string) => void;

export class Book {
  readonly sessionId: string;
  readonly rows: TranscriptRow[] = [];
  /** Every item ever accepted, as it was stored last. */
  readonly items = new Map<string, Item>();
  readonly turns = new Map<string, TurnRecord>();
  readonly results = new Map<string, ResultStatus>();
  partial: PartialText | undefined;
  /** Items whose place the user chose; sequence says nothing about them any more. */
  readonly moved = new Set<string>();
  /** True while a verb runs that may make a held item wait again. */
  mayResume = false;
  /** A state had to count although it could not be stored; until it is, memory and store differ. */
  diverged = false;
  /** A stop that no user row has told the model of. */
  untold = false;
  /** Calls of the last answer that have no result yet, in call order. */
  #open: readonly string[] = [];
  #history = new History([], IMAGES);
  #lastSent: readonly string[] = [];
  #judged = '';
  readonly #report: Report;

  constructor(sessionId: string, report: Report) {
    this.sessionId = sessionId;
    this.#report = report;
  }

  /** The turn that is stored as begun and not as ended. */
  get openTurn(): TurnRecord | undefined {
    return [...this.turns.values()].findLast(({ endedAt }) => endedAt === undefined);
  }

  /** Its first text is in the history; a turn that only compacts has none. */
  isRunning(turnId: string): boolean {
    return this.rows.some((row) => row.turnId === turnId && row.role === 'user');
  }

  /** Another host has read the session: what was only in the memory of the last one is gone. */
  reopened(): void {
    if (this.diverged) this.#lastSent = [];
    this.diverged = false;
  }

  /** @returns true when the transaction stores a stop of a turn that was not stopped before */
  record({ rows = [], items = [], turn }: Commit): boolean {
    const before = new Map(this.items);
    for (const item of items) this.#item(item, rows);
    for (const row of rows) this.#row(row);
    this.#deliveredInOrder(before, rows);
    if (turn?.endedAt !== undefined || rows.some((row) => row.role === 'assistant')) this.partial = undefined;
    return turn !== undefined && this.#turn(turn);
  }

  // 1: items

  #item(item: Item, rows: readonly TranscriptRow[]): void {
    const known = this.items.get(item.id);
    const from = known?.state.is ?? 'none';
    const to = item.state.is;
    this.#hold(this.#mayFollow(known, item), '1 items', `${item.id} went from ${from} to ${to}`);
    if (item.state.is === 'delivered' && from !== 'delivered') {
      const { rowId } = item.state;
      const parts = rows.find((row) => row.id === rowId)?.parts ?? [];
      const inRow = parts.some((part) => part.type === 'text' && part.itemId === item.id && part.text === item.text);
      this.#hold(inRow, '1 items', `${item.id} is delivered, but not in its row`);
    }
    this.items.set(item.id, item);
  }

  #mayFollow(known: Item | undefined, item: Item): boolean {
    const to = item.state;
    const from = known?.state;
    switch (from?.is) {
      case undefined:
        return to.is === 'pending';
      case 'pending':
        return true;
      case 'held':
        return to.is === 'pending' ? this.mayResume : to.is === 'held' || to.is === 'withdrawn';
      case 'delivered':
        return to.is === 'delivered' && to.rowId === from.rowId && to.read;
      case 'returned':
        return to.is === 'returned' && to.acknowledged;
      case 'withdrawn':
        return false;
      default:
        return from satisfies never;
    }
  }

  // 2: order

  /** No text overtakes an older one of its kind, unless the user moved one of them. */
  #deliveredInOrder(before: ReadonlyMap<string, Item>, rows: readonly TranscriptRow[]): void {
    const delivered = rows.flatMap(({ itemIds = [] }) => itemIds).flatMap((id) => this.items.get(id) ?? []);
    if (delivered.length === 0) return;
    const waiting = [...this.items.values()].filter(({ state }) => state.is === 'pending');
    for (const [index, item] of delivered.entries()) {
      for (const other of [...delivered.slice(index + 1), ...waiting]) {
        const old = before.get(other.id);
        if (old?.state.is !== 'pending' || old.kind !== item.kind) continue;
        if (this.moved.has(item.id) || this.moved.has(other.id)) continue;
        this.#hold(other.seq > item.seq, '2 order', `${item.id} overtakes ${other.id}`);
      }
    }
  }

  // 3, 6 and 10: rows

  #row(row: TranscriptRow): void {
    const last = this.rows.at(-1)?.seq ?? 0;
    this.#hold(row.seq > last, '10 append-only', `row ${row.seq} comes after row ${last}`);
    this.#hold(this.turns.get(row.turnId)?.endedAt === undefined, '9 turns', `a row for ${row.turnId}, which is over`);
    if (row.role === 'tool') this.#result(row);
    else {
      const open = this.#open.join(', ');
      this.#hold(open === '', '3 calls', `a ${row.kind} row while ${open} have no result`);
      this.#open = row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []));
    }
    if (row.role === 'user') this.#userRow(row);
    this.rows.push(row);
    this.#history.append(row);
    // From here on the summary, or the whole of an answer, is sent instead of what it stands for.
    if (row.kind === 'summary' || row.standsFrom !== undefined) this.#lastSent = [];
  }

  #result({ callId = '', status }: TranscriptRow): void {
    const [due] = this.#open;
    this.#hold(due === callId, '3 calls', `the result of ${callId} is stored, due is ${due ?? 'none'}`);
    this.#open = this.#open.slice(1);
    if (status) this.results.set(callId, status);
  }

  #userRow(row: TranscriptRow): void {
    for (const id of row.itemIds ?? []) {
      const state = this.items.get(id)?.state;
      const here = state?.is === 'delivered' && state.rowId === row.id;
      this.#hold(here, '1 items', `${id} is in a row, but stored as ${state?.is}`);
      const twice = this.rows.some(({ itemIds = [] }) => itemIds.includes(id));
      this.#hold(!twice, '1 items', `${id} is delivered twice`);
    }
    const told = row.providerText?.includes('stopped your previous turn') ?? false;
    const problem = told ? 'the model is told of a stop twice' : 'the model is not told of the stop';
    this.#hold(this.diverged || told === this.untold, '6 history', problem);
    this.untold = false;
  }

  // 5: turns

  #turn(turn: TurnRecord): boolean {
    const known = this.turns.get(turn.id);
    this.#hold(known?.endedAt === undefined, '5 turns', `${turn.id} is written after its end`);
    this.#hold(!known?.stopped || turn.stopped, '5 turns', `${turn.id} is not stopped any more`);
    this.turns.set(turn.id, turn);
    if (turn.endedAt !== undefined) this.#ended(turn);
    return turn.stopped !== undefined && known?.stopped === undefined;
  }

  #ended({ id, stopped, result }: TurnRecord): void {
    const open = this.#open.join(', ');
    this.#hold(open === '', '3 calls', `${id} ended while ${open} have no result`);
    this.#hold(result, '5 turns', `${id} ended without a result`);
    if (!result) return;
    const stops = result.exitReason.startsWith('interrupted_by_') || result.failed;
    this.#hold(!stopped || stops, '5 turns', `${id} was stopped, and ended as ${result.exitReason}`);
    this.#hold(!stopped || !result.completed, '5 turns', `${id} was stopped, and counts as completed`);
    if (result.stoppedBy !== undefined && this.isRunning(id)) this.untold = true;
  }

  // 6 and 10: what is sent

  /** What was sent before is sent again, byte for byte; what is new was stored before; no provider refuses it. */
  sent({ request }: Stream): void {
    const problem = illegal(request.messages, request.tools);
    this.#hold(problem === undefined, '6 history', `a request is refused: ${problem}`);
    const sent = request.messages.map((message) => JSON.stringify(message));
    const differs = this.#lastSent.findIndex((message, index) => message !== sent[index]);
    this.#hold(differs === -1, '10 append-only', `message ${differs} is sent otherwise than before`);
    this.#lastSent = sent;
    if (this.diverged) return;
    const stored = seen(this.#history);
    const unstored = sent.findIndex((message, index) => message !== JSON.stringify(stored[index]));
    this.#hold(unstored === -1, '10 append-only', `message ${unstored} is sent otherwise than it is stored`);
    this.#hold(stored.length <= sent.length, '10 append-only', 'a stored row is not sent');
  }

  /** 6: if the host died now, the next request after the recovery would be answered. */
  survivesCrash(now: number, tools: Stream['request']['tools']): void {
    const open = this.openTurn;
    const version = `${this.rows.length} ${open?.id} ${open?.startedCalls?.length} ${this.partial?.text}`;
    if (version === this.#judged) return;
    this.#judged = version;
    let made = 0;
    const recovered = recover(
      {
        sessionId: this.sessionId,
        rows: this.rows,
        items: [...this.items.values()],
        turns: [...this.turns.values()],
        partial: this.partial,
        lastSeq: this.#lastSeq,
      },
      now,
      () => `recovered-${made++}`,
    );
    const history = new History([...this.rows, ...(recovered?.commit.rows ?? [])], IMAGES);
    const problem = illegal([...seen(history), { role: 'user', text: 'Go on.' }], tools);
    this.#hold(problem === undefined, '6 history', `after a crash: ${problem}`);
  }

  get #lastSeq(): number {
    const items = [...this.items.values()].map(({ seq }) => seq);
    const turns = [...this.turns.values()].flatMap(({ seq, stopped }) => [seq ?? 0, stopped?.seq ?? 0]);
    return Math.max(this.rows.at(-1)?.seq ?? 0, ...items, ...turns);
  }

  #hold(condition: unknown, rule: string, problem: string): void {
    if (!condition) this.#report(rule, problem);
  }
}

/** The one image that a schedule may send. */
export const IMAGE = { mime: 'image/gif', base64: 'R0lGODlhAQABAAAAACw=' } as const;

const IMAGES: ImageStore = {
  save: () => 'ref',
  facts: () => ({ mime: IMAGE.mime, width: 1, height: 1 }),
  read: () => IMAGE.base64,
};

const images = new SentImages();

/** As the simulated model is sent it, which sees no images. */
function seen(history: History): Stream['request']['messages'] {
  return images.for({ ref: 'fake/model', vision: false }, history.messages());
}
