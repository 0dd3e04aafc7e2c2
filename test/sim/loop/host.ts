import type { SessionStore } from '../../../src/agent/session/types.ts';
import { PlainEditorPort } from '../../../src/agent/tools/index.ts';
import { Agent, type AgentSettings, type LiveSession } from '../../../src/agent/turn/index.ts';
import type { ChildAgent, HookEvent } from '../../../src/api.ts';
import { FakeClock } from './clock.ts';
import { ScriptedHooks } from './hooks.ts';
import { ScriptedModel, type Stream } from './model.ts';
import { ScriptedProcesses } from './processes.ts';
import { type Fault, FaultyStore } from './store.ts';
import { ScriptedTools } from './tools.ts';
import type { Witness } from './witness.ts';

export interface HostParts {
  readonly inner: SessionStore;
  readonly witness: Witness;
  /** They may change. */
  readonly hooks: ReadonlySet<HookEvent>;
  settings(): AgentSettings;
  /** Milliseconds since the epoch at which this host starts. */
  readonly now: number;
  /** The session to open; a new one when undefined. */
  readonly sessionId: string | undefined;
  readonly always: Set<string>;
  /** The model's attempts in earlier lives. */
  readonly streams: Stream[];
  /** What becomes of its first write. */
  readonly fault: Fault | undefined;
}

const EDITOR = new PlainEditorPort();

/** One life of the extension host, from the opening of the session to its death: the real agent in a scripted world. */
export class Host {
  readonly clock: FakeClock;
  readonly store: FaultyStore;
  readonly model: ScriptedModel;
  readonly tools: ScriptedTools;
  readonly hooks: ScriptedHooks;
  readonly processes: ScriptedProcesses;
  readonly agent: Agent;
  /** False from the write on that killed it, or the crash: what it still does is nobody's business. */
  alive = true;
  #session: LiveSession | undefined;
  readonly #witness: Witness;

  /** @throws StorageError when what was left behind cannot be stored */
  constructor(parts: HostParts) {
    const { witness, inner } = parts;
    this.#witness = witness;
    const whileAlive =
      <T extends unknown[]>(tell: (...values: T) => void) =>
      (...values: T) => {
        if (this.alive) tell(...values);
      };
    this.clock = new FakeClock(parts.now);
    this.store = new FaultyStore({
      inner,
      committed: (commit) => witness.committed(commit),
      partialSaved: (sessionId, partial) => witness.partialSaved(sessionId, partial),
      refused: (sessionId) => witness.refused(sessionId),
      died: () => {
        this.alive = false;
      },
    });
    this.store.fault = parts.fault;
    this.model = new ScriptedModel(
      parts.streams,
      whileAlive((stream) => witness.asked(this, stream)),
    );
    this.tools = new ScriptedTools({
      started: whileAlive((run) => witness.started(run)),
      lookedUp: whileAlive((context) => witness.lookedUp(context)),
    });
    this.hooks = new ScriptedHooks(
      parts.hooks,
      whileAlive((event, payload) => witness.fired(event, payload)),
    );
    this.processes = new ScriptedProcesses((process) => this.#session?.processChanged(process));
    this.agent = new Agent({
      store: this.store.store,
      models: this.model,
      tools: this.tools,
      approvals: {
        isAlwaysAllowed: (key) => parts.always.has(key),
        allowAlways: (key) => parts.always.add(key),
      },
      hooks: this.hooks,
      editor: EDITOR,
      processes: () => this.processes,
      clock: this.clock,
      log: {
        debug() {},
        info() {},
        warn() {},
        error: whileAlive((message: string) => {
          if (!message.startsWith('storing in session')) witness.report('9 turns', `logged as an error: ${message}`);
        }),
      },
      settings: parts.settings,
      isShown: () => true,
      systemPrompt: () => 'You are simulated.',
    });
    witness.opens(parts.sessionId);
    this.#session = parts.sessionId === undefined ? this.agent.create() : this.agent.open(parts.sessionId);
    this.#listen();
    witness.opened(this);
  }

  get session(): LiveSession {
    if (!this.#session) throw new Error('no session is open yet');
    return this.#session;
  }

  get agentsAtWork(): number {
    return this.session.childAgents().filter(isAtWork).length;
  }

  /** Opens the session again in the same host: it is another object when what the old one knew is not what is stored. */
  openAgain(): void {
    const again = this.agent.open(this.session.id);
    if (again === this.#session) return;
    this.#session = again;
    this.#listen();
    this.#witness.opened(this);
  }

  /** The host is gone in the middle of whatever it did. */
  kill(): void {
    this.alive = false;
    this.store.kill();
  }

  #listen(): void {
    const session = this.session;
    session.onDidEmit((event) => {
      if (this.alive && session === this.#session) this.#witness.event(this, event);
    });
  }
}

export function isAtWork({ state }: ChildAgent): boolean {
  return state === 'running' || state === 'waiting' || state === 'stopping';
}
