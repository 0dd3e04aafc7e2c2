import type { SessionStore } from '../../../src/agent/session/types.ts';
import type { AgentSettings } from '../../../src/agent/turn/index.ts';
import type { HookEvent, Receipt } from '../../../src/api.ts';
import { hold } from '../violation.ts';
import { Host } from './host.ts';
import type { Stream } from './model.ts';
import type { Fault } from './store.ts';
import { Witness } from './witness.ts';

const START = 1_700_000_000_000;
/** Milliseconds after which the loop tries a write again that found the lock held. */
const STORE_RETRY = 50;
const MOST_TIMERS = 5000;

/** One session, the hosts that it lives in one after the other, and all that surrounds it. */
export class World {
  readonly witness = new Witness();
  readonly hooks = new Set<HookEvent>();
  /** Ids of texts that the user has sent. */
  readonly used = new Set<string>();
  /** What the first sending of each was answered with. */
  readonly receipts = new Map<string, Receipt>();
  settings: AgentSettings = {
    busyInput: 'steer',
    queueOnStop: 'hold',
    resume: 'offer',
    stepBudget: 4,
    agents: { max: 2, requests: 2 },
    compactionThreshold: 0,
    budget: {},
    review: { enabled: false, requests: 2, tokens: 1000 },
    livenessTimeout: 0,
    maxAttempts: 2,
    folders: [],
    toolsOff: undefined,
    tool: { terminalTimeout: 180 },
  };
  /** True when the look-up of the model takes its time. */
  slowModel = false;
  /** Tokens that the model can read. */
  window = 100_000;
  /** When Stop was pressed last, milliseconds since the epoch. */
  pressedAt = 0;
  host: Host;
  readonly #store: SessionStore;
  readonly #always = new Set<string>();
  readonly #streams: Stream[] = [];

  /** @param store it keeps what earlier worlds have left in it; this one makes a session of its own */
  constructor(store: SessionStore) {
    this.#store = store;
    this.host = this.#live(START, undefined, undefined);
  }

  get now(): number {
    return this.host.clock.now();
  }

  /** The host is gone, and another opens the session. @param fault what becomes of the first write of the next one */
  crash(fault?: Fault): void {
    const { host, witness } = this;
    const listed = host.alive && !witness.diverged ? this.#listed : undefined;
    host.kill();
    this.#reopen(fault);
    if (listed !== undefined && listed !== this.#listed) {
      witness.report('2 order', `what waits stands as ${this.#listed} after a reload, not as ${listed}`);
    }
  }

  /** The window is closed in good order, and another opens the session. */
  reload(): void {
    this.host.agent.dispose();
    this.crash();
  }

  /**
   * Lets time pass: timers fire in their order, and what they lead to happens before the next one. A host that died in
   * a write is replaced.
   *
   * @param ms at least 0
   */
  async pass(ms: number): Promise<void> {
    await quiet();
    const { clock } = this.host;
    for (let left = ms, fired = 0; this.host.alive && (left > 0 || clock.untilNext === 0); fired += 1) {
      hold(fired < MOST_TIMERS, '7 progress', `${MOST_TIMERS} timers fire within ${ms} ms`);
      left = clock.advance(left);
      await quiet();
    }
    if (ms >= STORE_RETRY) this.host.store.retries = false;
    if (!this.host.alive) {
      this.crash();
      await quiet();
    }
  }

  get #listed(): string {
    return this.host.session
      .items()
      .map(({ id }) => id)
      .join(' ');
  }

  #reopen(fault: Fault | undefined): void {
    const { id } = this.host.session;
    const now = this.now + 1000;
    try {
      this.host = this.#live(now, id, fault);
    } catch {
      // The recovery could not be stored, or the host died in it: the next one begins where this one did.
      this.host = this.#live(now, id, undefined);
    }
    if (!this.host.alive) this.host = this.#live(now, id, undefined);
  }

  #live(now: number, sessionId: string | undefined, fault: Fault | undefined): Host {
    const host = new Host({
      inner: this.#store,
      witness: this.witness,
      hooks: this.hooks,
      settings: () => this.settings,
      now,
      sessionId,
      always: this.#always,
      streams: this.#streams,
      fault,
    });
    host.model.slow = this.slowModel;
    host.model.window = this.window;
    return host;
  }
}

/** Everything that follows without time passing has happened: all promises are through before the next macrotask. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
