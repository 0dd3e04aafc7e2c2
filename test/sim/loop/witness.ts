/**
 * Watches one session from outside: its events, the requests that the model gets, the tools that run, the hooks that
 * fire and what is stored. Each is checked against the invariants; their numbers are those of the list of control rules.
 */

import { isDeepStrictEqual } from 'node:util';
import { recover } from '../../../src/agent/session/recovery.ts';
import type { Commit, PartialText } from '../../../src/agent/session/types.ts';
import { toolSpecs } from '../../../src/agent/tools/registry.ts';
import { History } from '../../../src/agent/turn/history.ts';
import type {
  HookEvent,
  Item,
  Receipt,
  ResultStatus,
  SessionEvent,
  TranscriptRow,
  TurnResult,
} from '../../../src/api.ts';
import { Violation } from '../violation.ts';
import { Book } from './book.ts';
import type { Host } from './host.ts';
import { illegal } from './legality.ts';
import type { Stream } from './model.ts';
import type { Run } from './tools.ts';

/** Milliseconds within which a stopped turn has ended, whatever it was doing. */
const STOP_BOUND = 2500;
/** Milliseconds that the hooks of a turn's end may take together, with room for two of them one after the other. */
const SETTLE_BOUND = 3000;

interface Asked {
  readonly turnId: string;
  readonly request: number;
  readonly attempt: number;
}

export interface StopPress {
  readonly receipt: Receipt;
  /** The turn that ran when it was pressed. */
  readonly turnId: string | undefined;
  /** A key repeat or the second half of a double click: no stop of its own. */
  readonly same: boolean;
  /** A result waited to be stored again: its call is over, and still counts as running. */
  readonly retried: boolean;
}

export class Witness {
  readonly book = new Book((rule, problem) => this.report(rule, problem));
  /** What was sent by the attempt that each stream belongs to. */
  readonly #asked = new Map<Stream, Asked>();
  readonly #ended = new Map<string, TurnResult>();
  readonly #settled = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #fired = new Map<string, number>();
  readonly #ran = new Set<string>();
  readonly #results = new Map<string, ResultStatus>();
  /** Turn ids with the time by which they have ended, or settled. */
  readonly #mustEnd = new Map<string, number>();
  readonly #mustSettle = new Map<string, number>();
  readonly #problems: Violation[] = [];
  /** The user stopped, or came back after a crash, and has not asked for anything since. */
  #quiet = false;
  /** Rows that were announced by this host, and how many there were before. */
  #announced: TranscriptRow[] = [];
  #rowsBefore = 0;
  #checkedRows = 0;
  #history = new History();
  #lastSent: readonly string[] = [];
  #judged = '';

  report(rule: string, problem: string): void {
    this.#problems.push(new Violation(rule, problem));
  }

  /** Throws the first problem since the last call. */
  assertNone(): void {
    const [first] = this.#problems;
    if (first) throw first;
  }

  get diverged(): boolean {
    return this.book.diverged;
  }

  /** The turn has ended, as far as anybody was told. */
  isOver(turnId: string): boolean {
    return this.#ended.has(turnId);
  }

  get unsettled(): number {
    return this.#mustSettle.size;
  }

  // Lives of the host

  /** Nothing of the last host counts any more; what it had stored is all there is. */
  opened(): void {
    if (this.book.diverged) this.#lastSent = [];
    this.book.diverged = false;
    this.#quiet = true;
    this.#mustEnd.clear();
    this.#mustSettle.clear();
    this.#announced = [];
    this.#rowsBefore = this.book.rows.length;
    this.#checkedRows = 0;
    this.#history = new History(this.book.rows);
    // The order that the user gave the list is not stored.
    for (const id of this.book.items.keys()) this.book.moved.add(id);
  }

  // What is stored

  committed(commit: Commit): void {
    const stopped = this.book.record(commit);
    // A stop that could not be stored when it was pressed is stored later; what was asked since then counts.
    if (stopped && !this.#stopped.has(commit.turn?.id ?? '')) this.#quiet = true;
    for (const row of commit.rows ?? []) {
      this.#history.append(row);
      // From here on the summary is sent instead of what it stands for.
      if (row.kind === 'summary') this.#lastSent = [];
    }
  }

  partialSaved(partial: PartialText | undefined): void {
    this.book.partial = partial;
  }

  // What the user does

  /** A verb that lets something start, and was accepted. */
  userAsked(receipt: Receipt): void {
    if (receipt.outcome !== 'refused') this.#quiet = false;
  }

  /** Before the press: what it leads to may happen before its receipt comes. */
  userStops(turnId: string | undefined): void {
    if (turnId !== undefined) this.#stopped.add(turnId);
  }

  userStopped(host: Host, { turnId, receipt, same, retried }: StopPress, now: number): void {
    if (receipt.outcome === 'refused') {
      if (turnId !== undefined) this.#stopped.delete(turnId);
      const allowed = receipt.reason === 'closed' || (receipt.reason === 'read_only' && this.book.diverged);
      if (!allowed) this.report('7 stop', `a stop was refused: ${receipt.reason}`);
      return;
    }
    if (!same) {
      this.#quiet = true;
      if (host.session.items().some(({ state }) => state.is === 'pending')) {
        this.report('4 after a stop', 'a text still waits after the stop');
      }
    }
    if (turnId === undefined || this.isOver(turnId)) return;
    for (const { context } of host.tools.runs) {
      const told = context.turnId !== turnId || context.signal.aborted;
      if (!told) this.report('8 processes', `${context.callId} was not told to stop`);
    }
    if (!this.#mustEnd.has(turnId)) this.#mustEnd.set(turnId, now + STOP_BOUND);
    const runs = host.tools.runs.some(({ context }) => context.turnId === turnId);
    if (!runs && !retried) this.report('7 stop', 'the turn goes on after a stop although no tool runs');
  }

  // What the loop does outside

  asked(host: Host, stream: Stream): void {
    const view = host.session.view();
    if (!view) return this.report('5 turns', 'the model is asked outside of a turn');
    const { turnId, request, attempt } = view;
    if (this.#quiet)
      this.report('4 after a stop', 'the model is asked although nobody asked for anything since the stop');
    if (this.isOver(turnId)) this.report('9 turns', `the model is asked for ${turnId}, which is over`);
    if (this.#isStopped(turnId)) this.report('4 after a stop', `the model is asked for ${turnId}, which was stopped`);
    const problem = illegal(stream.request.messages, stream.request.tools);
    if (problem) this.report('6 history', `a request is refused: ${problem}`);
    // A compaction asks for a summary beside the turn's own requests.
    if (stream.request.cacheKey !== host.session.id) return;
    this.#asked.set(stream, { turnId, request, attempt });
    this.#isPrefix(stream);
  }

  /** 10: what was sent before is sent again, byte for byte, and what is new was stored before. */
  #isPrefix({ request }: Stream): void {
    const sent = request.messages.map((message) => JSON.stringify(message));
    const differs = this.#lastSent.findIndex((message, index) => message !== sent[index]);
    if (differs !== -1) this.report('10 append-only', `message ${differs} is sent otherwise than before`);
    this.#lastSent = sent;
    if (this.book.diverged) return;
    const stored = this.#history.messages();
    const unstored = sent.findIndex((message, index) => message !== JSON.stringify(stored[index]));
    if (unstored !== -1) this.report('10 append-only', `message ${unstored} is sent otherwise than it is stored`);
    if (stored.length > sent.length) this.report('10 append-only', 'a stored row is not sent');
  }

  started({ context: { turnId, callId } }: Run): void {
    if (this.#ran.has(callId)) this.report('3 calls', `${callId} runs twice`);
    this.#ran.add(callId);
    this.#mayStart(turnId, callId, 'runs');
    const stored = this.book.turns.get(turnId)?.startedCalls?.includes(callId);
    if (!stored && !this.book.diverged) this.report('3 calls', `${callId} runs, but is not stored as started`);
  }

  lookedUp(turnId: string, callId: string): void {
    this.#mayStart(turnId, callId, 'begins');
  }

  #mayStart(turnId: string, callId: string, what: string): void {
    if (this.#isStopped(turnId)) this.report('3 calls', `${callId} ${what} after a stop`);
    if (this.isOver(turnId)) this.report('9 turns', `${callId} ${what} after its turn`);
    if (this.#results.has(callId)) this.report('3 calls', `${callId} ${what} although it has a result`);
  }

  #isStopped(turnId: string): boolean {
    return this.#stopped.has(turnId) || this.book.turns.get(turnId)?.stopped !== undefined;
  }

  fired(event: HookEvent, payload: Readonly<Record<string, unknown>>): void {
    const turnId = String(payload.turn_id);
    const key = event === 'post_tool_call' ? `${event} ${payload.tool_call_id}` : `${event} ${turnId}`;
    const times = (this.#fired.get(key) ?? 0) + 1;
    this.#fired.set(key, times);
    const result = this.#ended.get(turnId);
    switch (event) {
      case 'pre_llm_call':
      case 'pre_tool_call':
        if (this.#isStopped(turnId)) this.report('3 calls', `${event} fires after a stop`);
        return;
      case 'post_tool_call':
        if (times > 1) this.report('5 turns', `${key} fires twice`);
        return;
      case 'post_llm_call':
      case 'agent_loop_stopped':
      case 'on_session_end':
        if (times > 1) this.report('5 turns', `${key} fires twice`);
        return this.#endHook(event, turnId, result, payload);
      default:
        return;
    }
  }

  #endHook(
    event: 'post_llm_call' | 'agent_loop_stopped' | 'on_session_end',
    turnId: string,
    result: TurnResult | undefined,
    payload: Readonly<Record<string, unknown>>,
  ): void {
    // Fired in the step that ends the turn: its event may follow.
    const stopped = this.#isStopped(turnId);
    if (event === 'post_llm_call' && stopped) this.report('5 turns', `${turnId} was stopped, and post_llm_call fires`);
    if (event === 'agent_loop_stopped' && !stopped)
      this.report('5 turns', `${turnId} ended by itself, and agent_loop_stopped fires`);
    if (event === 'on_session_end' && result && payload.interrupted !== result.interrupted) {
      this.report('5 turns', `${turnId}: on_session_end says interrupted: ${payload.interrupted}`);
    }
  }

  // What is told

  event(host: Host, event: SessionEvent): void {
    switch (event.type) {
      case 'row':
        this.#announced.push(event.row);
        if (event.row.callId !== undefined && event.row.status) this.#results.set(event.row.callId, event.row.status);
        this.#words(event.row, host);
        return;
      case 'turn.started':
        if (this.isOver(event.turnId ?? '')) this.report('5 turns', `${event.turnId} starts after its end`);
        return;
      case 'turn.ended':
        return this.#turnEnded(host, event.result);
      case 'settled':
        if (this.#settled.has(event.result.turnId)) this.report('5 turns', `${event.result.turnId} settles twice`);
        this.#settled.add(event.result.turnId);
        this.#mustSettle.delete(event.result.turnId);
        return this.#hooksFired(host, event.result);
      case 'delta':
        return this.#delta(host, event);
      case 'notice':
        if (event.kind === 'not_stored') this.book.diverged = true;
        return;
      case 'request.started':
      case 'tool':
      case 'approval.opened':
      case 'question.opened':
        if (this.isOver(event.turnId ?? '')) this.report('9 turns', `${event.type} of ${event.turnId} after its end`);
        return;
      default:
        return;
    }
  }

  #turnEnded(host: Host, result: TurnResult): void {
    const { turnId } = result;
    if (this.#ended.has(turnId)) this.report('5 turns', `${turnId} ends twice`);
    this.#ended.set(turnId, result);
    this.#mustEnd.delete(turnId);
    this.#mustSettle.set(turnId, host.clock.now() + SETTLE_BOUND);
    if (!this.book.diverged && this.book.turns.get(turnId)?.endedAt === undefined && this.book.isRunning(turnId)) {
      this.report('5 turns', `${turnId} is told to be over, but is not stored so`);
    }
  }

  #hooksFired({ hooks }: Host, { turnId, completed }: TurnResult): void {
    if (this.book.diverged) return;
    const running = this.book.isRunning(turnId);
    const stopped = this.#isStopped(turnId);
    const expected: readonly (readonly [HookEvent, boolean])[] = [
      ['agent_loop_stopped', running && stopped],
      ['post_llm_call', running && !stopped && completed],
      ['on_session_end', running],
    ];
    for (const [event, due] of expected) {
      const fired = this.#fired.has(`${event} ${turnId}`);
      if (hooks.has(event) && fired !== due) {
        this.report('5 turns', `${turnId}: ${event} ${due ? 'did not fire' : 'fired'}`);
      }
    }
  }

  /** 9: what is shown belongs to the attempt that says it. */
  #delta(host: Host, event: SessionEvent & { type: 'delta' }): void {
    for (const serial of serials(event.text)) {
      const stream = host.model.streams[serial];
      const asked = stream && this.#asked.get(stream);
      const own =
        asked?.turnId === event.turnId && asked?.request === event.request && asked?.attempt === event.attempt;
      if (!own) this.report('9 turns', `a text of stream ${serial} is shown as that of another attempt`);
      if (stream?.aborted) this.report('9 turns', `a text of stream ${serial} is shown after its abort`);
    }
    if (this.isOver(event.turnId ?? '')) this.report('9 turns', `a text of ${event.turnId} is shown after its end`);
  }

  /** 9: the words of a row are those of its own attempt or call, all of them and nothing else. */
  #words(row: TranscriptRow, host: Host): void {
    if (row.role === 'assistant' && row.kind === 'text') {
      const [serial, ...others] = new Set(serials(row.displayText ?? ''));
      if (serial === undefined) return;
      const stream = host.model.streams[serial];
      const asked = stream && this.#asked.get(stream);
      const own = others.length === 0 && asked?.turnId === row.turnId && asked?.request === row.request;
      if (!own) this.report('9 turns', `row ${row.id} holds the text of another attempt`);
      if (stream && row.displayText !== stream.text)
        this.report('9 turns', `row ${row.id} does not hold all that was said`);
    }
    if (row.role === 'tool' && row.status === 'success' && row.displayText !== `result of ${row.callId}`) {
      this.report('9 turns', `the result of ${row.callId} is not its own`);
    }
    if (row.role === 'tool' && row.status === 'not_run' && this.#ran.has(row.callId ?? '')) {
      this.report('3 calls', `${row.callId} ran, its result says not run`);
    }
    if (row.role === 'tool' && row.status === 'success' && !this.#ran.has(row.callId ?? '')) {
      this.report('3 calls', `${row.callId} never ran, its result says success`);
    }
  }

  // After each step

  check(host: Host): void {
    this.#bounds(host);
    this.#processes(host);
    if (!this.book.diverged) {
      this.#items(host);
      this.#rows();
      this.#survivesCrash(host);
    }
    this.assertNone();
  }

  /** 7 */
  #bounds(host: Host): void {
    const now = host.clock.now();
    for (const [turnId, at] of this.#mustEnd) {
      if (now > at) this.report('7 stop', `${turnId} has not ended ${STOP_BOUND} ms after its stop`);
    }
    for (const [turnId, at] of this.#mustSettle) {
      if (now > at) this.report('7 stop', `${turnId} has not settled ${SETTLE_BOUND} ms after its end`);
    }
  }

  /** 8 */
  #processes({ tools }: Host): void {
    for (const { live, context } of tools.runs) {
      const status = this.#results.get(context.callId);
      const named = status === 'abandoned';
      if (!live || !this.isOver(context.turnId)) continue;
      if (!named) this.report('8 processes', `${context.callId} is alive after its turn, its result says ${status}`);
      if (!context.signal.aborted) this.report('8 processes', `${context.callId} was not told to stop`);
    }
  }

  /** 1: what is stored as waiting is listed, once and as stored; nothing else is. */
  #items({ session }: Host): void {
    const listed = session.items();
    const ids = new Set(listed.map(({ id }) => id));
    if (ids.size < listed.length) this.report('1 items', 'an item is listed twice');
    for (const item of listed) {
      if (!isSame(item, this.book.items.get(item.id)))
        this.report('1 items', `${item.id} is listed otherwise than it is stored`);
    }
    for (const { id, state } of this.book.items.values()) {
      const waits = state.is === 'pending' || state.is === 'held' || (state.is === 'returned' && !state.acknowledged);
      if (waits !== ids.has(id)) this.report('1 items', `${id} is ${state.is}, listed: ${ids.has(id)}`);
    }
    const firstQueued = listed.findIndex(({ kind }) => kind === 'queue');
    const lastLeading = listed.findLastIndex(({ kind }) => kind !== 'queue');
    if (firstQueued !== -1 && lastLeading > firstQueued)
      this.report('2 order', 'a queue entry stands before a text that leads');
    if (session.state === 'idle' && listed.some(({ state }) => state.is === 'pending')) {
      this.report('7 progress', 'a text waits although nothing runs');
    }
  }

  /** 10: each stored row is announced, once and in order. */
  #rows(): void {
    const { rows } = this.book;
    if (this.#announced.length !== rows.length - this.#rowsBefore) {
      this.report(
        '10 append-only',
        `${rows.length - this.#rowsBefore} rows are stored, ${this.#announced.length} were announced`,
      );
    }
    for (; this.#checkedRows < this.#announced.length; this.#checkedRows += 1) {
      const row = this.#announced[this.#checkedRows];
      if (row?.id !== rows[this.#rowsBefore + this.#checkedRows]?.id)
        this.report('10 append-only', `row ${row?.id} is announced out of order`);
    }
  }

  /** What the store reads back is what was written to it. For a host that has just opened the session. */
  compare({ session, store: { store } }: Host): void {
    const rows = isDeepStrictEqual(store.rows(session.id), this.book.rows);
    const items = store.items(session.id);
    const sameItems =
      items.length === this.book.items.size && items.every((item) => isSame(item, this.book.items.get(item.id)));
    const open = store.turns(session.id).filter(({ endedAt }) => endedAt === undefined);
    if (!rows) this.report('10 append-only', 'rows are read otherwise than they were stored');
    if (!sameItems) this.report('1 items', 'items are read otherwise than they were stored');
    if (open.length > 0) this.report('5 turns', `${open.map(({ id }) => id).join(', ')} never ended in the store`);
    this.assertNone();
  }

  /** 6: if the host died now, the next request after the recovery would be answered. */
  #survivesCrash(host: Host): void {
    const { book } = this;
    const open = book.openTurn;
    const version = `${book.rows.length} ${open?.id} ${open?.startedCalls?.length} ${book.partial?.text}`;
    if (version === this.#judged) return;
    this.#judged = version;
    let made = 0;
    const recovered = recover(
      {
        sessionId: host.session.id,
        rows: book.rows,
        items: [...book.items.values()],
        turns: [...book.turns.values()],
        partial: book.partial,
        lastSeq: book.lastSeq,
      },
      host.clock.now(),
      () => `recovered-${made++}`,
    );
    const history = new History([...book.rows, ...(recovered?.commit.rows ?? [])]);
    const problem = illegal([...history.messages(), { role: 'user', text: 'Go on.' }], toolSpecs(host.tools.list()));
    if (problem) this.report('6 history', `after a crash: ${problem}`);
  }
}

/** Which attempts speak in a text: `s3.0` is of the stream 3. */
function serials(text: string): readonly number[] {
  return [...text.matchAll(/s(\d+)\.\d+/g)].map(([, serial]) => Number(serial));
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
