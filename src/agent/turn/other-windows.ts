import { TAKEN_OVER } from './control-loop.ts';
import { LeaseWatch } from './lease-watch.ts';
import type { OpenedSession } from './opening.ts';
import { takeOver } from './take-over.ts';
import type { AgentPorts } from './types.ts';

const RUNS_ELSEWHERE =
  'This session is running in another window, so it can only be read here. Go on there, take it over, or start a new session.';
const DELETED_ELSEWHERE = 'This session was deleted in another window. What you see of it is all that is left.';
const REREAD = 'Another window changed this session; what happened there is shown now.';
const GIVEN_AWAY =
  'Another window took this session over, so its turn was stopped here. You can go on there, or here once it is idle.';

export interface OtherWindowsParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  state(): 'idle' | 'stopping' | 'running' | 'waiting';
  /** True when another window wrote to the session since it was read. */
  isChanged(): boolean;
  /** Stops the turn in the name of a system producer. */
  stop(by: string): void;
  notice(kind: string, text: string): void;
  /** Reads the session again; undefined when it was deleted. @throws StorageError */
  read(): OpenedSession | undefined;
  /** From now on the session is what was read. Called while nothing runs. */
  take(opened: OpenedSession): void;
  /** Shows the rows that were added since the session was read. */
  readOn(): void;
  /** The newest row that is shown. */
  shownUpTo(): number;
}

/** What the other windows of the user do to a session, and what that means for this one. */
export class OtherWindows {
  readonly #parts: OtherWindowsParts;
  readonly #watch: LeaseWatch;
  readonly #closed = new AbortController();
  #runsElsewhere: boolean;
  #deleted = false;
  #takingOver: Promise<boolean> | undefined;

  /** @param runsElsewhere as the session was when it was opened */
  constructor(parts: OtherWindowsParts, runsElsewhere: boolean) {
    this.#parts = parts;
    this.#runsElsewhere = runsElsewhere;
    const { clock, log, store } = parts.ports;
    this.#watch = new LeaseWatch({
      clock,
      log,
      leases: store.leases,
      sessionId: parts.sessionId,
      isIdle: () => parts.state() === 'idle',
      isChanged: () => parts.isChanged(),
      follows: () => this.#runsElsewhere,
      yieldTurn: () => this.#yieldTurn(),
      reread: () => this.#reread(),
      readOn: () => parts.readOn(),
    });
  }

  get runsElsewhere(): boolean {
    return this.#runsElsewhere;
  }

  /** Why nothing can be said here, or undefined. */
  get readOnly(): string | undefined {
    if (this.#deleted) return DELETED_ELSEWHERE;
    return this.#parts.ports.store.readOnly ?? (this.#runsElsewhere ? RUNS_ELSEWHERE : undefined);
  }

  /** False also while a version without leases runs the session: that one could not be kept from writing. */
  get canTakeOver(): boolean {
    const { store } = this.#parts.ports;
    return this.#runsElsewhere && store.readOnly === undefined && store.leases.runsElsewhere(this.#parts.sessionId);
  }

  /** A turn runs here from now on. */
  turnStarted(): void {
    this.#watch.start();
  }

  /** Brings in what they did, now. */
  look(): void {
    this.#watch.look();
  }

  /** @returns false when the session still cannot be used here @throws (rejects) StorageError */
  async takeOver(): Promise<boolean> {
    this.look();
    if (!this.canTakeOver) return this.readOnly === undefined;
    this.#takingOver ??= this.#take().finally(() => {
      this.#takingOver = undefined;
    });
    return await this.#takingOver;
  }

  /** Nothing of this window writes to the session any more: another one may close its turn and go on. */
  close(): void {
    this.#watch.dispose();
    this.#closed.abort();
    const { store, log } = this.#parts.ports;
    if (store.readOnly !== undefined || this.#runsElsewhere) return;
    try {
      store.leases.release(this.#parts.sessionId);
    } catch (error) {
      store.leases.forget(this.#parts.sessionId);
      log.warn(`session ${this.#parts.sessionId} was not let go of; other windows find out by themselves: ${error}`);
    }
  }

  async #take(): Promise<boolean> {
    const { store, clock } = this.#parts.ports;
    const how = await takeOver(store.leases, clock, this.#parts.sessionId, this.#closed.signal);
    if (how === 'unfinished') return false;
    // It may be live here already: the watch looks too.
    if (this.#runsElsewhere) this.#reread();
    return this.readOnly === undefined;
  }

  #yieldTurn(): void {
    const { ports, sessionId, state, stop, notice } = this.#parts;
    if (state() === 'stopping') return;
    stop(TAKEN_OVER);
    // Of a session that was taken already the stop itself could not be stored, and has said so.
    if (ports.store.leases.state(sessionId) !== 'lost') notice(TAKEN_OVER, GIVEN_AWAY);
  }

  /** Everything is read again, in place: whoever holds the session sees it as it is now. */
  #reread(): void {
    const { read, take, notice, shownUpTo } = this.#parts;
    const [followed, shown] = [this.#runsElsewhere, shownUpTo()];
    const opened = read();
    this.#deleted = opened === undefined;
    this.#runsElsewhere = opened?.elsewhere ?? false;
    if (opened) take(opened);
    const nothingNew = followed && this.#runsElsewhere && shown === shownUpTo();
    if (!nothingNew) notice('reread', REREAD);
    this.#watch.look();
  }
}
