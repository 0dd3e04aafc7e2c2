import type { Receipt } from '../../api.ts';
import {
  type ControlState,
  type Effect,
  type LoopEvent,
  type Notice,
  type StepResult,
  step,
  type VerbEvent,
} from '../control/index.ts';
import { type Commit, StorageError } from '../session/index.ts';
import type { Announcer, Sequence } from './announcer.ts';
import type { History } from './history.ts';
import type { LiveTurn } from './live-turn.ts';
import { resolveWrites } from './rows.ts';
import type { AgentPorts } from './types.ts';

/** Milliseconds between two tries of the loop to store while another window holds the database. */
const STORE_RETRY = 50;
const STORE_TRIES = 400;

const MOVED_ON =
  'This session went on in another window; what happened there is shown now. Nothing was sent: look at it and send again. Your text is kept.';

export type Input = VerbEvent | LoopEvent;

export interface LoopParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  /** Why every verb is refused, or undefined. */
  readOnly(): string | undefined;
  /** Why no turn may begin, in words; undefined when it may. */
  overBudget(): string | undefined;
  readonly sequence: Sequence;
  readonly announcer: Announcer;
  readonly history: History;
  /** The turn whose writes are to be filled with content. */
  turn(): LiveTurn | undefined;
  /** What is waited for, in words. */
  label(): string | undefined;
  stored(commit: Commit): void;
  /** Another window changed the session or runs it: it is read again. */
  changedElsewhere(): void;
  carryOut(effect: Effect): void;
}

/**
 * The way of every event: number it, step the machine, store what it wrote, take over its state, then carry out its
 * effects in order. When storing fails the step did not happen.
 */
export class ControlLoop {
  state: ControlState;
  readonly #parts: LoopParts;
  readonly #closed = new AbortController();
  /** What had to happen and could not be stored, oldest first: nothing is stored before it. */
  #owed: Commit[] = [];
  #cancelPayment: (() => void) | undefined;
  #effects: Effect[] = [];
  #carryingOut = false;

  constructor(parts: LoopParts, state: ControlState) {
    this.#parts = parts;
    this.state = state;
  }

  /** Every verb gets its receipt in the same tick. */
  verb(event: VerbEvent & { readonly id: string }): Receipt {
    const receipt = this.dispatch(event);
    if (!receipt) throw new Error(`control: ${event.type} gave no receipt`);
    return receipt;
  }

  /** For what a verb carries and the store would not take: the verb does not happen. */
  refuse(id: string, verb: Receipt['verb'], { kind, message }: StorageError): Receipt {
    const reason = kind === 'locked' || kind === 'disk' ? 'storage_busy' : 'read_only';
    return { id, verb, seq: this.#parts.sequence.next(), outcome: 'refused', reason, message };
  }

  dispatch(input: Input): Receipt | undefined {
    return this.#parts.announcer.events.afterwards(() => this.#dispatch(input, 1));
  }

  /**
   * The session was read again. No turn runs in it; agents and a review that work for it here go on.
   *
   * @param isUntold false for a notice of which what was read tells by itself
   */
  reset(state: ControlState, isUntold: (notice: Notice) => boolean): void {
    const { children, review, notices } = this.state;
    this.state = { ...state, children, review, notices: notices.filter(isUntold) };
    this.#owed = [];
    this.#parts.sequence.atLeast(state.seq);
  }

  close(): void {
    if (this.#owed.length > 0 && !this.#pay()) {
      this.#parts.ports.log.warn(`session ${this.#parts.sessionId}: its last stop was never stored`);
    }
    this.#cancelPayment?.();
    this.#closed.abort();
  }

  /** True when another window has written to the session since it was read here. */
  isStale(): boolean {
    return this.#parts.ports.store.isChanged(this.#parts.sessionId);
  }

  #dispatch(input: Input, tries: number): Receipt | undefined {
    const { ports, sequence, announcer } = this.#parts;
    const seq = sequence.next();
    if (this.#closed.signal.aborted) return refusal(input, seq, 'closed', 'This session is closed: open it again.');
    const readOnly = this.#parts.readOnly();
    if (readOnly !== undefined && isVerb(input)) return refusal(input, seq, 'read_only', readOnly);
    if (isVerb(input) && !this.state.turn && this.isStale()) return this.#refuseStale(input, seq, MOVED_ON);
    const over = this.#mayBegin(input) ? this.#parts.overBudget() : undefined;
    if (over !== undefined) return refusal(input, seq, 'over_budget', over);
    const next = step(this.state, { ...input, seq, at: ports.clock.now() });
    const commit = this.#commitOf(next);
    const failure = commit && this.#store(commit);
    if (failure && !mustHappen(input) && !this.#isGivenUp(input, failure)) {
      return this.#notStored(input, failure, seq, tries);
    }
    if (failure && mustHappen(input)) this.#owe(commit, failure);
    this.state = next.state;
    sequence.atLeast(next.state.seq);
    // Before anything that may call back in (a hook, an effect): effects stay in the order of their steps.
    this.#effects.push(...next.effects);
    if (commit) this.#parts.stored(commit);
    this.#carryOut();
    this.announce();
    announcer.waiting(this.state, (callId) => this.#parts.turn()?.describe(callId) ?? { what: 'tool', label: '' });
    return next.receipt;
  }

  /** Tells what the session does, where that has changed. */
  announce(): void {
    const { announcer, label, turn } = this.#parts;
    announcer.state(this.state, label(), turn()?.waitUntil);
  }

  /** The lease is taken with the first write of a turn and let go of with the last. */
  #commitOf(next: StepResult): Commit | undefined {
    const { turn } = this.state;
    const lease = !turn && next.state.turn ? 'take' : turn && !next.state.turn ? 'release' : undefined;
    if (next.writes.length === 0 && lease === undefined) return undefined;
    return { ...this.#resolve(next.writes), ...(lease === undefined ? {} : { lease }) };
  }

  /** The session belongs to another window now: what is left of the turn here ends without being stored. */
  #isGivenUp(input: Input, failure: StorageError): boolean {
    return !isVerb(input) && isLoss(failure) && this.state.turn?.activity.is === 'stopping';
  }

  /** True for what begins a turn. A text that comes again gets its first receipt, whatever has been spent since. */
  #mayBegin(input: Input): boolean {
    if (this.state.turn || !BEGINS.has(input.type)) return false;
    return !('text' in input) || this.state.receipts.get(input.id) === undefined;
  }

  #refuseStale(input: VerbEvent, seq: number, message: string): Receipt | undefined {
    this.#parts.changedElsewhere();
    return refusal(input, seq, 'read_only', this.#parts.readOnly() ?? message);
  }

  #resolve(writes: Parameters<typeof resolveWrites>[1]): Commit {
    const { sessionId, history, ports } = this.#parts;
    const stopAfterStep = this.state.turn?.stopAfterStep !== undefined;
    return resolveWrites(sessionId, writes, this.#parts.turn(), history, stopAfterStep, ports.clock.now());
  }

  #store(commit: Commit): StorageError | undefined {
    const { ports, sessionId } = this.#parts;
    try {
      this.#payOwed();
      ports.store.commit(commit);
      return undefined;
    } catch (error) {
      const failure =
        error instanceof StorageError ? error : new StorageError('unknown', String(error), { cause: error });
      const words = `storing in session ${sessionId} failed: ${failure.kind}: ${failure.message}`;
      if (isLoss(failure)) ports.log.warn(words);
      else ports.log.error(words);
      return failure;
    }
  }

  /**
   * The step counts although it is not stored. It is kept and goes before everything else, so that what is stored later
   * never stands on rows that are missing.
   */
  #owe(commit: Commit, failure: StorageError): void {
    this.#parts.announcer.notice(noticeKind(failure), failure.message);
    if (isLoss(failure)) return;
    this.#owed.push(commit);
    this.#payLater(1);
  }

  #payLater(tries: number): void {
    this.#cancelPayment?.();
    this.#cancelPayment = this.#parts.ports.clock.after(STORE_RETRY, () => {
      if (!this.#pay() && tries < STORE_TRIES) this.#payLater(tries + 1);
    });
  }

  /** False when it still cannot be stored; the next write tries again. */
  #pay(): boolean {
    try {
      this.#payOwed();
      return true;
    } catch {
      // That it is not stored was said when it happened.
      return false;
    }
  }

  /** @throws StorageError */
  #payOwed(): void {
    for (let commit = this.#owed[0]; commit; commit = this.#owed[0]) {
      this.#parts.ports.store.commit(commit);
      this.#owed.shift();
    }
  }

  /** A verb is refused; the loop tries again while another window holds the lock, and gives the turn up after that. */
  #notStored(input: Input, failure: StorageError, seq: number, tries: number): Receipt | undefined {
    if (isVerb(input)) {
      if (isLoss(failure) && !this.state.turn) return this.#refuseStale(input, seq, failure.message);
      const reason = isLoss(failure) || failure.kind === 'read_only' ? 'read_only' : 'storage_busy';
      return refusal(input, seq, reason, failure.message);
    }
    if (failure.kind === 'locked' && tries < STORE_TRIES) {
      this.#tryAgain(input, tries + 1);
      return undefined;
    }
    const turn = this.#parts.turn();
    if (!turn || !('turnId' in input)) return undefined;
    if (isLoss(failure)) return this.dispatch(takenOver());
    turn.error = { kind: `storage_${failure.kind}`, message: failure.message, action: 'midcourse.openDataFolder' };
    const callsUnstored = input.type === 'answered' && input.calls.length > 0;
    return this.dispatch({ type: 'storageFailed', turnId: turn.id, callsUnstored });
  }

  #tryAgain(input: Input, tries: number): void {
    const { signal } = this.#closed;
    const cancel = this.#parts.ports.clock.after(STORE_RETRY, () => {
      signal.removeEventListener('abort', cancel);
      this.#parts.announcer.events.afterwards(() => this.#dispatch(input, tries));
    });
    signal.addEventListener('abort', cancel, { once: true });
  }

  /** Also the effects of events that an effect feeds in: one queue keeps them in order. */
  #carryOut(): void {
    if (this.#carryingOut) return;
    this.#carryingOut = true;
    try {
      for (let effect = this.#effects.shift(); effect; effect = this.#effects.shift()) {
        this.#parts.carryOut(effect);
      }
    } finally {
      this.#carryingOut = false;
    }
  }
}

const BEGINS: ReadonlySet<Input['type']> = new Set([
  'send',
  'steer',
  'redirect',
  'queue',
  'stopAndSend',
  'sendNow',
  'redirectNow',
  'resumeQueue',
]);

function isVerb(input: Input): input is VerbEvent {
  switch (input.type) {
    case 'configured':
    case 'noticed':
    case 'childStarted':
    case 'childEnded':
    case 'reviewEnded':
      return false;
    default:
      return !('turnId' in input);
  }
}

/** A stop is carried out even when it cannot be stored; so is the end after a failed write. */
function mustHappen(input: Input): boolean {
  return input.type === 'stop' || input.type === 'storageFailed';
}

/** Another window took the session, changed it or removed it: nothing of this turn can be stored any more. */
function isLoss({ kind }: StorageError): boolean {
  return kind === 'taken_over' || kind === 'moved_on';
}

function noticeKind(failure: StorageError): string {
  return isLoss(failure) ? TAKEN_OVER : 'not_stored';
}

/** Producer of the stop of a turn whose session another window has taken. */
export const TAKEN_OVER = 'taken_over';

function takenOver(): VerbEvent {
  return { type: 'stop', id: crypto.randomUUID(), by: TAKEN_OVER, reason: TAKEN_OVER, onQueue: 'hold' };
}

function refusal(
  input: Input,
  seq: number,
  reason: Extract<Receipt, { outcome: 'refused' }>['reason'],
  message: string,
): Receipt | undefined {
  if (!isVerb(input) || input.type === 'acknowledge' || input.type === 'compact') return undefined;
  const verb = input.type === 'redirectNow' ? 'redirect' : input.type;
  return { id: input.id, verb, seq, outcome: 'refused', reason, message };
}
