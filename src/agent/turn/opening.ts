import { isAlive, recover, type SessionStore, StorageError, type StoredSession } from '../session/index.ts';
import type { StoredContent } from './stored-content.ts';
import type { AgentPorts } from './types.ts';

export interface OpenedSession {
  readonly stored: StoredSession;
  /** All that is stored of it, read once: it may be long. */
  readonly content: StoredContent;
  /** Another window runs it, or another object of this one. */
  readonly elsewhere: boolean;
}

/** How often a session is read that another window changes at the same time. */
const TRIES = 3;
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Reads a session. A turn that its window left behind is closed first, unless that window lives.
 *
 * @param newest how many rows are read where no turn has to be closed; all by default. It may be long, and is read in
 *   one piece on the host's one thread
 * @returns undefined when there is no such session
 * @throws StorageError
 */
export function readSession(ports: AgentPorts, id: string, newest = ALL): OpenedSession | undefined {
  for (let tries = TRIES; ; tries--) {
    try {
      return readOnce(ports, id, newest);
    } catch (error) {
      // Another window has closed the same turn a moment before.
      if (tries > 1 && error instanceof StorageError && error.kind === 'moved_on') continue;
      throw error;
    }
  }
}

function readOnce({ store, clock, log }: AgentPorts, id: string, newest: number): OpenedSession | undefined {
  if (store.leases.state(id) === 'lost') store.leases.release(id);
  store.know(id);
  const stored = store.get(id);
  if (!stored) return undefined;
  const content = contentOf(store, id, newest);
  if (runsElsewhere(store, content, id)) return { stored, content, elsewhere: true };
  if (store.readOnly !== undefined) return { stored, content, elsewhere: false };
  const unfinished = { sessionId: id, ...content, partial: store.partial(id) };
  const lease = store.leases.of(id);
  // It ended when its window last gave a sign of life, not when somebody found out.
  const left = recover(unfinished, lease?.beatAt ?? clock.now(), () => crypto.randomUUID());
  if (!left) return { stored, content, elsewhere: false };
  // A holder that only seems dead must not write to a turn that is closed here.
  if (lease?.holder) store.leases.seize(id);
  store.commit(left.commit);
  if (left.closed) log.info(`session ${id}: closed turn ${left.closed.turnId}, which its window left running`);
  return { stored, content: contentOf(store, id, newest), elsewhere: false };
}

function runsElsewhere(store: SessionStore, { turns }: StoredContent, id: string): boolean {
  // Held by this window, it is run by another object than the one that asks: a delegated agent, opened by its id.
  if (store.leases.of(id)) return store.leases.runsElsewhere(id) || store.leases.isHeld(id);
  // Written by a version that had no leases, which may still run in another window.
  const owner = turns.findLast((turn) => turn.endedAt === undefined)?.owner;
  return owner !== undefined && owner.pid !== process.pid && isAlive(owner, 0);
}

function contentOf(store: SessionStore, id: string, newest: number): StoredContent {
  const turns = store.turns(id);
  const isOver = turns.every((turn) => turn.endedAt !== undefined);
  return {
    // A turn that has to be closed is read as a whole.
    rows: store.rows(id, { limit: isOver ? newest : ALL }),
    items: store.items(id),
    turns,
    receipts: store.receipts(id),
    lastSeq: store.lastSeq(id),
  };
}
