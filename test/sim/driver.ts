/**
 * Drives the control machine by hand: every verb and every event of the loop is a method, and what came of them can be
 * read. Without `hooks` the answer of the prompt hooks comes at once, as in a session that has none; without `oneTick` the
 * tick ends behind each event.
 */

import {
  type ControlState,
  type Effect,
  type GoOnKind,
  type LoopEvent,
  phaseOf,
  restore,
  type StepResult,
  step,
  type TurnEnd,
  type VerbEvent,
  type Write,
} from '../../src/agent/control/index.ts';
import type { Attachment, Item, Receipt, ResultStatus } from '../../src/api.ts';

type TextOptions = {
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
  readonly seesImages?: boolean;
};
type StopOptions = { readonly by?: string; readonly onQueue?: 'hold' | 'return'; readonly after?: number };
type Did<T extends Effect['do']> = Extract<Effect, { do: T }>;

export class Driver {
  state: ControlState;
  /** Milliseconds between two events. */
  pause = 1000;
  /** Of the last event, with what the prompt hooks led to. */
  effects: Effect[] = [];
  writes: Write[] = [];
  /** The transcript so far: `user a+b`, `answer`, `partial stop`, `result c1 success`, `closing`. */
  readonly rows: string[] = [];
  readonly userRows: Extract<Write, { write: 'user' }>[] = [];
  readonly ends: TurnEnd[] = [];
  readonly #items = new Map<string, Item>();
  readonly #hooks: boolean;
  readonly #oneTick: boolean;
  #at = 0;
  #nested = 0;

  constructor({
    hooks = false,
    oneTick = false,
    stepBudget = 20,
    wrapsUp = false,
    state,
  }: { hooks?: boolean; oneTick?: boolean; stepBudget?: number; wrapsUp?: boolean; state?: ControlState } = {}) {
    this.#hooks = hooks;
    this.#oneTick = oneTick;
    this.state =
      state ?? restore({ sessionId: 's', lastSeq: 0, stepBudget, wrapsUp, items: [], untoldStop: undefined }).state;
    for (const item of this.state.items) this.#items.set(item.id, item);
  }

  // The user

  send(id: string, busyInput: 'steer' | 'queue' | 'redirect' = 'steer', options: TextOptions = {}): Receipt {
    return this.#verb({ type: 'send', busyInput, ...text(id, options) });
  }

  steer(id: string, options: TextOptions = {}): Receipt {
    return this.#verb({ type: 'steer', ...text(id, options) });
  }

  redirect(id: string, options: TextOptions = {}): Receipt {
    return this.#verb({ type: 'redirect', ...text(id, options) });
  }

  queue(id: string, options: TextOptions = {}): Receipt {
    return this.#verb({ type: 'queue', ...text(id, options) });
  }

  stopAndSend(id: string, options: TextOptions = {}): Receipt {
    return this.#verb({ type: 'stopAndSend', onQueue: 'hold', reason: 'stop_and_send', ...text(id, options) });
  }

  /** @param options.after milliseconds since the event before */
  stop({ by = 'user', onQueue = 'hold', after = this.pause }: StopOptions = {}): Receipt {
    return this.#verb({ type: 'stop', id: 'stop', by, reason: 'stop_button', onQueue }, after);
  }

  stopAfterStep(onQueue: 'hold' | 'return' = 'hold'): Receipt {
    return this.#verb({ type: 'stopAfterStep', id: 'stop', reason: 'stop_key', onQueue });
  }

  withdraw(id: string): Receipt {
    return this.#verb({ type: 'withdraw', id });
  }

  edit(id: string, words: string, revision = this.item(id)?.revision ?? 1): Receipt {
    return this.#verb({ type: 'edit', id, text: words, revision });
  }

  move(id: string, before?: string): Receipt {
    return this.#verb({ type: 'move', id, before });
  }

  sendNow(id: string, { seesImages = true }: TextOptions = {}): Receipt {
    return this.#verb({ type: 'sendNow', id, seesImages });
  }

  redirectNow(id: string, { seesImages = true }: TextOptions = {}): Receipt {
    return this.#verb({ type: 'redirectNow', id, seesImages });
  }

  resumeQueue(): Receipt {
    return this.#verb({ type: 'resumeQueue', id: 'resume' });
  }

  clearQueue(): Receipt {
    return this.#verb({ type: 'clearQueue', id: 'clear' });
  }

  acknowledge(id: string): void {
    this.feed({ type: 'acknowledge', id });
  }

  // The loop

  /** Prompt hooks answer for the texts they were asked about last. */
  hooks(...blocked: readonly string[]): void {
    const activity = this.state.turn?.activity;
    if (activity?.is !== 'starting' && activity?.is !== 'hook') throw new Error(`no hooks run while ${this.phase}`);
    const refused = blocked.map((id) => ({ id, why: 'blocked by a hook' }));
    this.feed({ type: 'prepared', ...this.#turn, itemIds: activity.asking, blocked: refused });
  }

  /** The tick of a redirect is over. */
  tickEnds(): void {
    this.feed({ type: 'gathered', ...this.#turn });
  }

  head(): void {
    this.feed({ type: 'head', ...this.attempt });
  }

  /** The model answers with these calls: an array holds calls that may overlap; none at all is a text. */
  answer(...calls: readonly (string | readonly string[])[]): void {
    const segments = calls.map((call) => (typeof call === 'string' ? [call] : call));
    const flat = segments.flatMap((ids, segment) => ids.map((id) => ({ id, segment })));
    this.feed({ type: 'answered', ...this.attempt, calls: flat, substance: true });
  }

  emptyAnswer(): void {
    this.feed({ type: 'answered', ...this.attempt, calls: [], substance: false });
  }

  fail(exit: Extract<LoopEvent, { type: 'failed' }>['exit'] = 'model_error'): void {
    this.feed({ type: 'failed', ...this.attempt, retry: undefined, exit });
  }

  /** The answer was cut and can go on. */
  cutShort(why: Extract<LoopEvent, { type: 'continues' }>['why'] = 'length'): void {
    this.feed({ type: 'continues', ...this.attempt, why });
  }

  backOff(retryAfter = false): void {
    this.feed({ type: 'failed', ...this.attempt, retry: { ms: 500, retryAfter }, exit: 'model_error' });
  }

  waited(): void {
    this.feed({ type: 'waited', ...this.attempt });
  }

  compacting(): void {
    this.feed({ type: 'compacting', ...this.attempt });
  }

  compacted(ok = true): void {
    this.feed({ type: 'compacted', ...this.#turn, ok });
  }

  /** The calls need no permission and run. */
  run(...callIds: readonly string[]): void {
    for (const callId of callIds) this.feed({ type: 'cleared', ...this.#turn, callId });
  }

  approval(callId: string): void {
    this.feed({ type: 'approval', ...this.#turn, callId });
  }

  question(callId: string, freeText = true): void {
    this.feed({ type: 'question', ...this.#turn, callId, freeText });
  }

  allow(callId: string): void {
    this.feed({ type: 'allowed', ...this.#turn, callId });
  }

  result(callId: string, status: ResultStatus = 'success'): void {
    this.feed({ type: 'result', ...this.#turn, callId, status });
  }

  /** @param kinds of the hooks that make the agent go on */
  endWork(...kinds: readonly GoOnKind[]): void {
    const goOns = kinds.map((kind) => ({ kind, text: `${kind}: go on`, by: `the ${kind} hook` }));
    this.feed({ type: 'finalized', ...this.#turn, goOns });
  }

  abandon(): void {
    this.feed({ type: 'abandon', ...this.#turn });
  }

  storageFails(callsUnstored = false): void {
    this.feed({ type: 'storageFailed', ...this.#turn, callsUnstored });
  }

  /** Hands one event in. The state before it is frozen: the machine may not change it. */
  feed(input: VerbEvent | LoopEvent, after = this.pause): StepResult {
    this.effects = [];
    this.writes = [];
    return this.#step(input, after);
  }

  // What came of it

  get phase(): string {
    const activity = this.state.turn?.activity;
    if (!activity) return 'idle';
    return activity.is === 'stopping' ? 'stopping' : phaseOf(activity);
  }

  get turnId(): string | undefined {
    return this.state.turn?.id;
  }

  /** The request that is under way, by turn, number and attempt. */
  get attempt(): { turnId: string; request: number; attempt: number } {
    const { turn } = this.state;
    if (!turn) throw new Error('no turn');
    return { turnId: turn.id, request: turn.request, attempt: turn.attempt };
  }

  /** An item as it was stored last, delivered ones too. */
  item(id: string): Item | undefined {
    return this.#items.get(id);
  }

  stateOf(id: string): Item['state']['is'] | undefined {
    return this.item(id)?.state.is;
  }

  /** Ids of the items that are listed, in their order. */
  get waiting(): readonly string[] {
    return this.state.items.map(({ id }) => id);
  }

  /** The effects of one kind that the last event had. */
  did<T extends Effect['do']>(name: T): readonly Did<T>[] {
    return this.effects.filter((effect): effect is Did<T> => effect.do === name);
  }

  /** The last row with user text: `a+b`. */
  get lastUserRow(): string | undefined {
    return this.userRows
      .at(-1)
      ?.items.map(({ id }) => id)
      .join('+');
  }

  get #turn(): { turnId: string } {
    return { turnId: this.attempt.turnId };
  }

  #verb(input: VerbEvent, after?: number): Receipt {
    const { receipt } = this.feed(input, after);
    if (!receipt) throw new Error(`no receipt for ${input.type}`);
    return receipt;
  }

  #step(input: VerbEvent | LoopEvent, after: number): StepResult {
    this.#at += after;
    const result = step(freeze(this.state), { ...input, seq: this.state.seq + 1, at: this.#at });
    this.state = result.state;
    this.writes.push(...result.writes);
    this.effects.push(...result.effects);
    for (const write of result.writes) this.#store(write);
    for (const effect of result.effects) {
      if (effect.do === 'turnEnded') this.ends.push(effect.end);
      const answer = this.#atOnce(effect);
      if (!answer) continue;
      this.#nested += 1;
      if (this.#nested > 50) throw new Error('prompt hooks are asked again and again');
      this.#step(answer, 0);
      this.#nested -= 1;
    }
    return result;
  }

  #atOnce(effect: Effect): LoopEvent | undefined {
    const { turnId } = this;
    if (effect.do === 'gather' && !this.#oneTick && turnId === effect.turnId) return { type: 'gathered', turnId };
    if (effect.do !== 'prepare' || this.#hooks || turnId !== effect.turnId) return undefined;
    return { type: 'prepared', turnId, itemIds: effect.items.map(({ id }) => id), blocked: [] };
  }

  #store(write: Write): void {
    switch (write.write) {
      case 'item':
        this.#items.set(write.item.id, write.item);
        return;
      case 'user':
        this.userRows.push(write);
        this.rows.push(`user ${write.items.map(({ id }) => id).join('+')}`);
        return;
      case 'answer':
        this.rows.push('answer');
        return;
      case 'fragment':
      case 'nudge':
        this.rows.push(`${write.write} ${write.why}`);
        return;
      case 'stitched':
      case 'goOn':
        this.rows.push(write.write);
        return;
      case 'partial':
        this.rows.push(`partial ${write.interrupted}`);
        return;
      case 'result':
        this.rows.push(`result ${write.callId} ${write.status}`);
        return;
      case 'notice':
        this.rows.push(`notice ${write.text}`);
        return;
      case 'closing':
        if (this.rows.at(-1)?.startsWith('result')) this.rows.push('closing');
        return;
      case 'summary':
        this.rows.push('summary');
        return;
      case 'order':
      case 'receipt':
      case 'callStarted':
      case 'turn':
        return;
      default:
        write satisfies never;
    }
  }
}

function text(id: string, { text: words = `text ${id}`, attachments = [], seesImages = true }: TextOptions) {
  return { id, text: words, attachments, origin: 'view', seesImages } as const;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}

/** What a session can be doing when a verb comes: the columns of the table of verbs, and their parts. */
export type Column =
  | 'starting'
  | 'hook'
  | 'compaction'
  | 'model'
  | 'backoff'
  | 'tool'
  | 'approval'
  | 'question'
  | 'finalizing'
  | 'stopping'
  | 'idle';

/**
 * A session in that column. Its turn was started with the text `first`; the call is `c1`, alone in its batch; a hook
 * runs for the steer `early`, which is the only text that waits.
 */
export function during(column: Column): Driver {
  if (column === 'idle') return new Driver();
  const session = new Driver({ hooks: column === 'starting' || column === 'hook' });
  session.send('first');
  switch (column) {
    case 'starting':
      break;
    case 'hook':
      session.steer('early');
      session.hooks();
      break;
    case 'compaction':
      session.compacting();
      break;
    case 'model':
      break;
    case 'backoff':
      session.backOff();
      break;
    case 'tool':
      session.answer('c1');
      session.run('c1');
      break;
    case 'approval':
      session.answer('c1');
      session.approval('c1');
      break;
    case 'question':
      session.answer('c1');
      session.question('c1', false);
      break;
    case 'finalizing':
      session.answer();
      break;
    case 'stopping':
      session.answer('c1');
      session.run('c1');
      session.stop();
      break;
    default:
      column satisfies never;
  }
  return session;
}
