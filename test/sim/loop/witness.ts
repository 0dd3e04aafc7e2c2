/**
 * Watches a session and the agents that work for it from outside: what is stored, what the models are asked, which calls
 * start, what a stop leads to. Each is checked against the invariants; their numbers are those of the list of control
 * rules. What the session itself tells is checked in `told.ts`.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Commit, PartialText } from '../../../src/agent/session/types.ts';
import { toolSpecs } from '../../../src/agent/tools/registry.ts';
import type { ToolContext } from '../../../src/agent/tools/types.ts';
import type { HookEvent, Item, Receipt, SessionEvent, TranscriptRow } from '../../../src/api.ts';
import { Violation } from '../violation.ts';
import { Book } from './book.ts';
import { type Host, isAtWork } from './host.ts';
import type { Stream } from './model.ts';
import { serials, Told } from './told.ts';
import type { Run } from './tools.ts';

/** Milliseconds within which a stopped turn has ended, whatever it was doing. */
const STOP_BOUND = 2500;

/** What an attempt was asked for. Those of a compaction have no numbers, those of agents are not known here. */
export interface Asked {
  readonly sessionId: string;
  readonly turnId: string;
  readonly request?: number;
  readonly attempt?: number;
}

export interface StopPress {
  readonly receipt: Receipt;
  /** The turn that ran when it was pressed. */
  readonly turnId: string | undefined;
  /** A key repeat or the second half of a double click: no stop of its own. */
  readonly same: boolean;
  /** Agents worked, or a result waited to be stored again: their calls are over only a moment later. */
  readonly waits: boolean;
}

export class Witness {
  /** Of the session and of each agent that works for it. */
  readonly #books = new Map<string, Book>();
  readonly #asked = new Map<Stream, Asked>();
  readonly #told = new Told(this, this.#asked);
  readonly #stopped = new Set<string>();
  readonly #ran = new Set<string>();
  /** Turns with the time by which they have ended. */
  readonly #mustEnd = new Map<string, { readonly sessionId: string; readonly at: number }>();
  readonly #problems: Violation[] = [];
  #book: Book | undefined;
  #host: Host | undefined;
  /** The user stopped, or came back after a crash, and has not asked for anything since. */
  #quiet = false;
  /** The host reads what the last one left. */
  #opening = true;

  report(rule: string, problem: string): void {
    this.#problems.push(new Violation(rule, problem));
  }

  /** Throws the first problem since the last call. */
  assertNone(): void {
    const [first] = this.#problems;
    if (first) throw first;
  }

  /** Of the session itself. */
  get book(): Book {
    if (!this.#book) throw new Error('no session has been opened yet');
    return this.#book;
  }

  bookOf(sessionId: string): Book {
    const known = this.#books.get(sessionId);
    if (known) return known;
    const book = new Book(sessionId, (rule, problem) => this.report(rule, problem));
    this.#books.set(sessionId, book);
    return book;
  }

  get diverged(): boolean {
    return this.book.diverged;
  }

  /** Turns whose end was told and whose hooks still run. */
  get unsettled(): number {
    return this.#told.unsettled;
  }

  isStopped(turnId: string): boolean {
    if (this.#stopped.has(turnId)) return true;
    return [...this.#books.values()].some((book) => book.turns.get(turnId)?.stopped !== undefined);
  }

  isOver(sessionId: string, turnId: string): boolean {
    if (sessionId === this.book.sessionId) return this.#told.isOver(turnId);
    if (this.bookOf(sessionId).turns.get(turnId)?.endedAt !== undefined) return true;
    // The end of an agent may be one that could not be stored.
    const agent = this.#host?.session.childAgents().find(({ id }) => id === sessionId);
    return agent !== undefined && !isAtWork(agent);
  }

  hasRun(sessionId: string, callId: string): boolean {
    return this.#ran.has(`${sessionId} ${callId}`);
  }

  // Lives of the host

  opens(sessionId: string | undefined): void {
    this.#host = undefined;
    if (sessionId !== undefined) this.#book = this.bookOf(sessionId);
    this.#opening = true;
  }

  /** Nothing of the last host counts any more; what it had stored is all there is. */
  opened(host: Host): void {
    this.#host = host;
    this.#book = this.bookOf(host.session.id);
    for (const book of this.#books.values()) book.reopened();
    this.#opening = false;
    this.#quiet = true;
    this.#mustEnd.clear();
    for (const id of this.#stopped) if (!this.#isKnown(id)) this.#stopped.delete(id);
    this.#told.opened();
    // The order that the user gave the list may not have been stored.
    for (const id of this.book.items.keys()) this.book.moved.add(id);
  }

  #isKnown(turnId: string): boolean {
    return [...this.#books.values()].some(({ turns }) => turns.has(turnId));
  }

  // What is stored

  committed(commit: Commit): void {
    const book = this.bookOf(commit.sessionId);
    for (const row of commit.rows ?? []) this.#words(book, row);
    const stopped = book.record(commit);
    // A stop that could not be stored when it was pressed is stored later; what was asked since then counts.
    if (stopped && book === this.#book && !this.#stopped.has(commit.turn?.id ?? '')) this.#quiet = true;
  }

  partialSaved(sessionId: string, partial: PartialText | undefined): void {
    this.bookOf(sessionId).partial = partial;
  }

  /** What an agent could not store is not told here: until it is read anew, less is stored of it than it did. */
  refused(sessionId: string): void {
    const book = this.bookOf(sessionId);
    if (book !== this.#book) book.diverged = true;
  }

  /** 9: the words of a row are those of its own attempt or call, all of them and nothing else. */
  #words({ sessionId }: Book, row: TranscriptRow): void {
    const { callId = '', displayText, status } = row;
    if (row.role === 'assistant' && row.kind === 'text') {
      const [serial, ...others] = new Set(serials(displayText ?? ''));
      if (serial === undefined) return;
      const [stream, asked] = [...this.#asked].find(([one]) => one.serial === serial) ?? [];
      const request = asked?.request ?? row.request;
      const own = asked?.sessionId === sessionId && asked.turnId === row.turnId && request === row.request;
      if (!own || others.length > 0) this.report('9 turns', `row ${row.id} holds the text of another attempt`);
      // A recovery knows what was saved last.
      const whole = this.#opening ? stream?.text.startsWith(displayText ?? '') : stream?.text === displayText;
      if (!whole) this.report('9 turns', `row ${row.id} does not hold what was said`);
    }
    if (row.role !== 'tool' || this.#delegated(displayText)) return;
    const ran = this.hasRun(sessionId, callId);
    if (status === 'not_run' && ran) this.report('3 calls', `${callId} ran, its result says not run`);
    if (status !== 'success') return;
    if (!ran) this.report('3 calls', `${callId} never ran, its result says success`);
    if (displayText !== `result of ${callId}`) this.report('9 turns', `the result of ${callId} is not its own`);
  }

  /** What the real tool says of an agent that it started. */
  #delegated(text: string | null): boolean {
    return text?.includes('agent') ?? false;
  }

  // What the user does

  /** A verb that lets something start, and was accepted. */
  userAsked(receipt: Receipt): void {
    if (receipt.outcome !== 'refused') this.#quiet = false;
  }

  userCompacts(): void {
    this.#quiet = false;
  }

  /** Before the press: what it leads to may happen before its receipt comes. */
  userStops(turnId: string | undefined): void {
    if (turnId !== undefined) this.#stopped.add(turnId);
    for (const { openTurn } of this.#books.values()) if (openTurn) this.#stopped.add(openTurn.id);
  }

  /** The user stops one agent. */
  userStopsAgent(id: string): void {
    const turn = this.bookOf(id).openTurn;
    if (turn) this.#stopped.add(turn.id);
  }

  userStopped(host: Host, { turnId, receipt, same, waits }: StopPress): void {
    if (receipt.outcome === 'refused') {
      if (turnId !== undefined) this.#stopped.delete(turnId);
      const allowed = receipt.reason === 'closed' || (receipt.reason === 'read_only' && this.diverged);
      if (!allowed) this.report('7 stop', `a stop was refused: ${receipt.reason}`);
      return;
    }
    if (!same) {
      this.#quiet = true;
      if (host.session.items().some(({ state }) => state.is === 'pending')) {
        this.report('4 after a stop', 'a text still waits after the stop');
      }
      this.#reachesAll(host);
    }
    if (turnId === undefined || this.#told.isOver(turnId)) return;
    const runs = host.tools.runs.some(({ context }) => context.turnId === turnId);
    if (!same && !runs && !waits) this.report('7 stop', 'the turn goes on after a stop although no tool runs');
  }

  /** 5.2 and 8: a stop reaches every call that runs, also those of agents, and all of it has ended in time. */
  #reachesAll(host: Host): void {
    for (const { context } of host.tools.runs) {
      if (this.isOver(context.sessionId, context.turnId) || context.signal.aborted) continue;
      this.report('8 processes', `${context.callId} was not told to stop`);
    }
    const stream = host.model.open.find(({ aborted }) => !aborted);
    if (stream) this.report('7 stop', `the request of stream ${stream.serial} goes on after a stop`);
    const at = host.clock.now() + STOP_BOUND;
    for (const { sessionId, openTurn } of this.#books.values()) {
      if (openTurn && !this.#mustEnd.has(openTurn.id)) this.#mustEnd.set(openTurn.id, { sessionId, at });
    }
  }

  // What the loop does outside

  asked(host: Host, stream: Stream): void {
    const { cacheKey } = stream.request;
    const asked = this.#whoAsks(host, cacheKey);
    if (!asked) return this.report('5 turns', `the model is asked outside of a turn (${cacheKey})`);
    const { sessionId, turnId } = asked;
    this.#asked.set(stream, asked);
    if (this.#quiet) {
      this.report('4 after a stop', 'the model is asked although nobody asked for anything since the stop');
    }
    if (this.isOver(sessionId, turnId)) this.report('9 turns', `the model is asked for ${turnId}, which is over`);
    if (this.isStopped(turnId)) this.report('4 after a stop', `the model is asked for ${turnId}, which was stopped`);
    if (cacheKey === sessionId) this.bookOf(sessionId).sent(stream);
  }

  #whoAsks({ session }: Host, cacheKey: string): Asked | undefined {
    const sessionId = cacheKey.replace(/-summary$/, '');
    const view = sessionId === session.id ? session.view() : undefined;
    if (view && sessionId === cacheKey) return { sessionId, ...view };
    const turn = view?.turnId ?? this.bookOf(sessionId).openTurn?.id;
    return turn === undefined ? undefined : { sessionId, turnId: turn };
  }

  started({ context }: Run): void {
    const { sessionId, turnId, callId } = context;
    if (this.hasRun(sessionId, callId)) this.report('3 calls', `${callId} runs twice`);
    this.#ran.add(`${sessionId} ${callId}`);
    this.#mayStart(context, 'runs');
    const book = this.bookOf(sessionId);
    const stored = book.turns.get(turnId)?.startedCalls?.includes(callId);
    if (!stored && !book.diverged) this.report('3 calls', `${callId} runs, but is not stored as started`);
  }

  lookedUp(context: ToolContext): void {
    this.#mayStart(context, 'begins');
  }

  #mayStart({ sessionId, turnId, callId }: ToolContext, what: string): void {
    if (this.isStopped(turnId)) this.report('3 calls', `${callId} ${what} after a stop`);
    if (this.isOver(sessionId, turnId)) this.report('9 turns', `${callId} ${what} after its turn`);
    const done = this.bookOf(sessionId).results.has(callId);
    if (done) this.report('3 calls', `${callId} ${what} although it has a result`);
  }

  fired(event: HookEvent, payload: Readonly<Record<string, unknown>>): void {
    this.#told.fired(event, payload);
  }

  event(host: Host, event: SessionEvent): void {
    this.#told.event(host, event);
  }

  // After each step

  check(host: Host): void {
    this.#bounds(host);
    this.#told.check(host);
    if (this.book.diverged) this.#converges(host);
    if (!this.book.diverged) {
      this.#processes(host);
      this.#items(host);
      this.#told.checkRows();
      const tools = toolSpecs(host.tools.list());
      for (const book of this.#books.values()) book.survivesCrash(host.clock.now(), tools);
    }
    this.assertNone();
  }

  /** What could not be stored has been stored meanwhile. */
  #converges({ session }: Host): void {
    const listed = session.items();
    const waiting = [...this.book.items.values()].filter(isListed);
    const items =
      listed.length === waiting.length && listed.every((item) => isSame(item, this.book.items.get(item.id)));
    const turn = this.book.openTurn?.id === (session.state === 'idle' ? undefined : session.view()?.turnId);
    if (items && turn && this.#told.rowsAreStored) this.book.diverged = false;
  }

  /** 7 */
  #bounds({ clock }: Host): void {
    for (const [turnId, { sessionId, at }] of this.#mustEnd) {
      if (this.isOver(sessionId, turnId)) this.#mustEnd.delete(turnId);
      else if (clock.now() > at) this.report('7 stop', `${turnId} has not ended ${STOP_BOUND} ms after its stop`);
    }
  }

  /** 8 */
  #processes({ tools }: Host): void {
    for (const { live, context } of tools.runs) {
      const { sessionId, turnId, callId, signal } = context;
      if (!live || !this.isOver(sessionId, turnId) || this.bookOf(sessionId).diverged) continue;
      const status = this.bookOf(sessionId).results.get(callId);
      const alive = `${callId} is alive after its turn, its result says ${status}`;
      if (status !== 'abandoned') this.report('8 processes', alive);
      if (!signal.aborted) this.report('8 processes', `${callId} was not told to stop`);
    }
  }

  /** 1: what is stored as waiting is listed, once and as stored; nothing else is. */
  #items({ session }: Host): void {
    const { items } = this.book;
    const listed = session.items();
    const ids = new Set(listed.map(({ id }) => id));
    if (ids.size < listed.length) this.report('1 items', 'an item is listed twice');
    for (const item of listed) {
      if (!isSame(item, items.get(item.id))) this.report('1 items', `${item.id} is listed otherwise than stored`);
    }
    for (const item of items.values()) {
      const is = ids.has(item.id);
      if (isListed(item) !== is) this.report('1 items', `${item.id} is ${item.state.is}, listed: ${is}`);
    }
    const firstQueued = listed.findIndex(({ kind }) => kind === 'queue');
    const lastLeading = listed.findLastIndex(({ kind }) => kind !== 'queue');
    if (firstQueued !== -1 && lastLeading > firstQueued) {
      this.report('2 order', 'a queue entry stands before a text that leads');
    }
    if (session.state === 'idle' && listed.some(({ state }) => state.is === 'pending')) {
      this.report('7 progress', 'a text waits although nothing runs');
    }
  }

  /** What the store reads back is what was written to it. For a host that has just opened the session. */
  compare({ store: { store } }: Host): void {
    for (const [id, book] of this.#books) {
      const items = store.items(id);
      const same = items.length === book.items.size && items.every((item) => isSame(item, book.items.get(item.id)));
      const open = store.turns(id).filter(({ endedAt }) => endedAt === undefined);
      if (!isDeepStrictEqual(store.rows(id), book.rows)) {
        this.report('10 append-only', 'rows are read otherwise than they were stored');
      }
      if (!same) this.report('1 items', 'items are read otherwise than they were stored');
      if (open.length > 0) this.report('5 turns', `${open.map((turn) => turn.id).join(', ')} never ended in the store`);
    }
    this.assertNone();
  }
}

/** It waits, or waits to be taken back. */
function isListed({ state }: Item): boolean {
  return state.is === 'pending' || state.is === 'held' || (state.is === 'returned' && !state.acknowledged);
}

function isSame(shown: Item, stored: Item | undefined): boolean {
  return (
    stored !== undefined &&
    shown.text === stored.text &&
    shown.kind === stored.kind &&
    shown.revision === stored.revision &&
    shown.state.is === stored.state.is
  );
}
