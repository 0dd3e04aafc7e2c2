import type { SearchHit, SessionSummary } from '../../api.ts';
import { atMost } from './at-most.ts';
import { readSession } from './opening.ts';
import { LiveSession } from './session.ts';
import type { AgentPorts } from './types.ts';

/** Milliseconds that hooks have when the window closes. */
const CLOSE_LIMIT = 1500;

/** The sessions of one window. At most one live object stands for a stored session. */
export class Agent {
  readonly #ports: AgentPorts;
  readonly #live = new Map<string, LiveSession>();

  constructor(ports: AgentPorts) {
    this.#ports = ports;
  }

  create(options: { readonly title?: string; readonly model?: string } = {}): LiveSession {
    const now = this.#ports.clock.now();
    const { title, model } = options;
    const id = crypto.randomUUID();
    this.#ports.store.create({
      id,
      title: title ?? '',
      titleSource: title === undefined ? 'derived' : 'user',
      createdAt: now,
      updatedAt: now,
      ...(model === undefined ? {} : { model }),
    });
    return this.#open(id);
  }

  /** @throws when there is no such session */
  open(id: string): LiveSession {
    const live = this.#live.get(id);
    if (!live) return this.#open(id);
    live.look();
    return live;
  }

  live(): readonly LiveSession[] {
    return [...this.#live.values()];
  }

  list(): readonly SessionSummary[] {
    return this.#ports.store.list();
  }

  search(query: string, limit = 50): readonly SearchHit[] {
    return this.#ports.store.search(query, limit);
  }

  /** Stops what runs in it, with its hooks, and removes it for good. @throws StorageError when it cannot be removed */
  delete(id: string): void {
    const live = this.#live.get(id);
    if (live && live.state !== 'idle') live.stop({ reason: 'deleted' });
    this.#ports.store.delete(id);
    this.#live.delete(id);
    live?.closeWhenSettled();
  }

  /** Why nothing can be written, or undefined. */
  get readOnly(): string | undefined {
    return this.#ports.store.readOnly;
  }

  settingsChanged(): void {
    for (const session of this.#live.values()) session.settingsChanged();
  }

  dispose(): void {
    for (const session of this.#live.values()) session.close();
    this.#live.clear();
  }

  /** As the window closes: everything ends at once, then hooks are told of it. Resolves in bounded time. */
  async close(): Promise<void> {
    const open = this.live();
    this.dispose();
    const finalized = open.map((session) => session.finalizeWithWindow());
    await atMost(this.#ports.clock, CLOSE_LIMIT, Promise.all(finalized));
  }

  /** A session that nobody sees or needs is closed; the next `open` reads it again. */
  #release(session: LiveSession): void {
    if (session.isNeeded || this.#ports.isShown(session.id)) return;
    void session.finalize('session_closed');
    session.close();
    this.#live.delete(session.id);
  }

  #runningBeside(session: LiveSession): number {
    const others = [...this.#live.values()].filter((other) => other !== session);
    return others.reduce((sum, { runningCost }) => sum + runningCost, 0);
  }

  #open(id: string): LiveSession {
    const opened = readSession(this.#ports, id);
    if (!opened) throw new Error(`There is no session ${id}. It may have been deleted: choose another from the list.`);
    const session = new LiveSession(this.#ports, opened, {
      release: (released) => this.#release(released),
      read: () => readSession(this.#ports, id),
      runningBeside: (asking) => this.#runningBeside(asking),
    });
    this.#live.set(id, session);
    return session;
  }
}
