/** What a session tells: its events and its hooks, each once, of the right turn, and never of one that is over. */

import type { HookEvent, SessionEvent, TranscriptRow, TurnResult } from '../../../src/api.ts';
import type { Host } from './host.ts';
import type { Stream } from './model.ts';
import type { Asked, Witness } from './witness.ts';

/** Milliseconds that the hooks of a turn's end may take together, with room for two of them one after the other. */
const SETTLE_BOUND = 5000;

export class Told {
  readonly #witness: Witness;
  readonly #asked: ReadonlyMap<Stream, Asked>;
  readonly #ended = new Map<string, TurnResult>();
  readonly #settled = new Set<string>();
  readonly #fired = new Map<string, number>();
  /** Turn ids with the time by which they have settled. */
  readonly #mustSettle = new Map<string, number>();
  /** Rows that this host has announced, how many were stored before it, and how many of them were compared. */
  #announced: TranscriptRow[] = [];
  #before = 0;
  #compared = 0;

  constructor(witness: Witness, asked: ReadonlyMap<Stream, Asked>) {
    this.#witness = witness;
    this.#asked = asked;
  }

  get unsettled(): number {
    return this.#mustSettle.size;
  }

  /** The turn has ended, as far as anybody was told. */
  isOver(turnId: string): boolean {
    return this.#ended.has(turnId);
  }

  opened(): void {
    // A turn that has stored nothing was never there: its id may be given again.
    for (const id of this.#ended.keys()) {
      if (this.#witness.book.turns.has(id)) continue;
      this.#ended.delete(id);
      this.#settled.delete(id);
    }
    this.#mustSettle.clear();
    this.#announced = [];
    this.#before = this.#witness.book.rows.length;
    this.#compared = 0;
  }

  // Hooks

  fired(event: HookEvent, payload: Readonly<Record<string, unknown>>): void {
    const turnId = String(payload.turn_id);
    const of = event === 'post_tool_call' ? `${payload.session_id} ${payload.tool_call_id}` : turnId;
    const times = (this.#fired.get(`${event} ${of}`) ?? 0) + 1;
    this.#fired.set(`${event} ${of}`, times);
    const stopped = this.#witness.isStopped(turnId);
    switch (event) {
      case 'pre_llm_call':
      case 'pre_tool_call':
        if (stopped) this.#report('3 calls', `${event} fires after a stop`);
        return;
      case 'pre_verify':
        if (stopped) this.#report('5 turns', `${turnId} was stopped, and ${event} fires`);
        return;
      case 'post_tool_call':
        if (times > 1) this.#report('5 turns', `${event} ${of} fires twice`);
        return;
      case 'post_llm_call':
      case 'agent_loop_stopped':
      case 'on_session_end': {
        if (times > 1) this.#report('5 turns', `${event} ${of} fires twice`);
        if (event === 'post_llm_call' && stopped) this.#report('5 turns', `${turnId} was stopped, and ${event} fires`);
        if (event === 'agent_loop_stopped' && !stopped) {
          this.#report('5 turns', `${turnId} ended by itself, and ${event} fires`);
        }
        const result = this.#ended.get(turnId);
        if (event === 'on_session_end' && result && payload.interrupted !== result.interrupted) {
          this.#report('5 turns', `${turnId}: ${event} says interrupted: ${payload.interrupted}`);
        }
        return;
      }
      default:
        return;
    }
  }

  // Events

  event(host: Host, event: SessionEvent): void {
    const over = this.isOver(event.turnId ?? '');
    switch (event.type) {
      case 'row':
        this.#announced.push(event.row);
        return;
      case 'turn.started':
        if (over) this.#report('5 turns', `${event.turnId} starts after its end`);
        return;
      case 'turn.ended':
        return this.#turnEnded(host, event.result);
      case 'settled': {
        const { turnId } = event.result;
        if (this.#settled.has(turnId)) this.#report('5 turns', `${turnId} settles twice`);
        this.#settled.add(turnId);
        this.#mustSettle.delete(turnId);
        return this.#hooksFired(host, event.result);
      }
      case 'delta':
        return this.#delta(host, event);
      case 'notice':
        if (event.kind === 'not_stored') this.#witness.book.diverged = true;
        return;
      case 'request.started':
      case 'tool':
      case 'approval.opened':
      case 'question.opened':
        // An agent in the background outlives the turn that started it.
        if (over && event.type !== 'approval.opened') {
          this.#report('9 turns', `${event.type} of ${event.turnId} after its end`);
        }
        return;
      default:
        return;
    }
  }

  #turnEnded(host: Host, result: TurnResult): void {
    const { turnId } = result;
    const { book } = this.#witness;
    if (this.#ended.has(turnId)) this.#report('5 turns', `${turnId} ends twice`);
    this.#ended.set(turnId, result);
    this.#mustSettle.set(turnId, host.clock.now() + SETTLE_BOUND);
    if (!book.diverged && book.turns.get(turnId)?.endedAt === undefined && book.isRunning(turnId)) {
      this.#report('5 turns', `${turnId} is told to be over, but is not stored so`);
    }
  }

  #hooksFired({ hooks }: Host, { turnId, completed }: TurnResult): void {
    const { book } = this.#witness;
    if (book.diverged) return;
    const running = book.isRunning(turnId);
    const stopped = this.#witness.isStopped(turnId);
    const expected: readonly (readonly [HookEvent, boolean])[] = [
      ['agent_loop_stopped', running && stopped],
      ['post_llm_call', running && !stopped && completed],
      ['on_session_end', running],
    ];
    for (const [event, due] of expected) {
      if (!hooks.has(event) || this.#fired.has(`${event} ${turnId}`) === due) continue;
      this.#report('5 turns', `${turnId}: ${event} ${due ? 'did not fire' : 'fired'}`);
    }
  }

  /** 9: what is shown belongs to the attempt that says it. */
  #delta(host: Host, event: SessionEvent & { type: 'delta' }): void {
    for (const serial of serials(event.text)) {
      const stream = host.model.streams[serial];
      const asked = stream && this.#asked.get(stream);
      const own =
        asked?.sessionId === host.session.id &&
        asked.turnId === event.turnId &&
        asked.request === event.request &&
        asked.attempt === event.attempt;
      if (!own) this.#report('9 turns', `a text of stream ${serial} is shown as that of another attempt`);
      if (stream?.aborted) this.#report('9 turns', `a text of stream ${serial} is shown after its abort`);
    }
    if (this.isOver(event.turnId ?? '')) this.#report('9 turns', `a text of ${event.turnId} is shown after its end`);
  }

  // After each step

  check({ clock }: Host): void {
    for (const [turnId, at] of this.#mustSettle) {
      if (clock.now() > at) this.#report('7 stop', `${turnId} has not settled ${SETTLE_BOUND} ms after its end`);
    }
  }

  get rowsAreStored(): boolean {
    return this.#announced.length === this.#witness.book.rows.length - this.#before;
  }

  /** 10: each stored row is announced, once and in order. */
  checkRows(): void {
    const { rows } = this.#witness.book;
    if (!this.rowsAreStored) {
      const stored = rows.length - this.#before;
      this.#report('10 append-only', `${stored} rows are stored, ${this.#announced.length} were announced`);
    }
    for (; this.#compared < this.#announced.length; this.#compared += 1) {
      const row = this.#announced[this.#compared];
      if (row?.id === rows[this.#before + this.#compared]?.id) continue;
      this.#report('10 append-only', `row ${row?.id} is announced out of order`);
    }
  }

  #report(rule: string, problem: string): void {
    this.#witness.report(rule, problem);
  }
}

/** Which attempts speak in a text: `s3.0` is of the stream 3. */
export function serials(text: string): readonly number[] {
  return [...text.matchAll(/s(\d+)\.\d+/g)].map(([, serial]) => Number(serial));
}
