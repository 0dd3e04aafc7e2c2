import type { SearchHit, SessionSummary } from '../../api.ts';
import { isAlive, recover, type SessionStore } from '../session/index.ts';
import { LiveSession, type StoredContent } from './session.ts';
import type { AgentPorts } from './types.ts';

const RUNS_ELSEWHERE =
  'This session is running in another window, so it can only be read here. Go on there, or start a new session.';

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
    if (live && !live.isStale()) return live;
    live?.close();
    return this.#open(id);
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

  /** Ends what runs in it. @throws StorageError when it cannot be removed; it goes on then */
  delete(id: string): void {
    const live = this.#live.get(id);
    this.#ports.store.delete(id);
    live?.close();
    this.#live.delete(id);
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

  /**
   * An idle session that nobody sees is closed; the next `open` reads it again. Not while a process of it runs: the new
   * object would not know of it, and nobody could end it.
   */
  #release(session: LiveSession): void {
    if (session.state !== 'idle' || this.#ports.isShown(session.id)) return;
    if (session.processes().some((process) => process.state === 'running')) return;
    session.close();
    this.#live.delete(session.id);
  }

  #open(id: string): LiveSession {
    const { store, clock, log } = this.#ports;
    const stored = store.get(id);
    if (!stored) throw new Error(`There is no session ${id}. It may have been deleted: choose another from the list.`);
    let content = read(store, id);
    const running = content.turns.findLast((turn) => turn.endedAt === undefined);
    const owner = running?.owner;
    const elsewhere = owner !== undefined && owner.pid !== process.pid && isAlive(owner, 0);
    if (store.readOnly === undefined && !elsewhere) {
      const unfinished = { sessionId: id, ...content, partial: store.partial(id) };
      const left = recover(unfinished, clock.now(), () => crypto.randomUUID());
      if (left) {
        store.commit(left.commit);
        content = read(store, id);
      }
      if (left?.closed)
        log.info(`session ${id}: closed turn ${left.closed.turnId}, which the last window left running`);
    }
    const session = new LiveSession(
      this.#ports,
      stored,
      content,
      (released) => this.#release(released),
      elsewhere ? RUNS_ELSEWHERE : undefined,
    );
    this.#live.set(id, session);
    return session;
  }
}

function read(store: SessionStore, id: string): StoredContent {
  store.know(id);
  return { rows: store.rows(id), items: store.items(id), turns: store.turns(id), lastSeq: store.lastSeq(id) };
}
