import { isAlive, type ProcessRecord, type SessionStore, thisProcess } from '../session/index.ts';
import { endLeftover, type ProcessLedger, type TreeRoot } from '../tools/index.ts';
import type { Clock, Log } from './types.ts';

/** Milliseconds until a write is tried again that another window's lock, or the disk, kept from being stored. */
const AGAIN = 1_000;

export interface LedgerParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps in the store what runs in the background, for the window that comes after this one should it die. What cannot
 * be written now is written later; until then only the sweep would miss it.
 */
export class StoredProcesses {
  readonly #parts: LedgerParts;
  readonly #unwritten = new Map<string, ProcessRecord | undefined>();
  #cancel: (() => void) | undefined;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** For the processes of one session. */
  ledger(sessionId: string): ProcessLedger {
    return {
      started: ({ mark, pid, startTime }, command) => {
        const record = { mark, pid, command, sessionId, window: thisProcess() };
        this.#write(mark, startTime === undefined ? record : { ...record, startTime });
      },
      ended: ({ mark }) => this.#write(mark, undefined),
    };
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #write(mark: string, record: ProcessRecord | undefined): void {
    this.#unwritten.set(mark, record);
    this.#flush();
  }

  #flush(): void {
    this.dispose();
    const { store, clock, log } = this.#parts;
    if (store.readOnly !== undefined) return;
    try {
      for (const [mark, record] of this.#unwritten) {
        if (record) store.recordProcess(record);
        else store.forgetProcess(mark);
        this.#unwritten.delete(mark);
      }
    } catch (error) {
      log.warn(`what runs in the background could not be recorded, later again: ${error}`);
      this.#cancel = clock.after(AGAIN, () => this.#flush());
    }
  }
}

/** What was found running although its window is gone. */
export interface Swept {
  readonly command: string;
  /** What could not be ended; empty when all of it is gone. */
  readonly survivors: readonly { readonly pid: number; readonly command: string }[];
}

/**
 * Ends the background processes of windows that died. Never rejects.
 *
 * @returns those that ran, each once: the next sweep does not tell of them again
 */
export async function sweepProcesses({ store, log }: Omit<LedgerParts, 'clock'>): Promise<readonly Swept[]> {
  try {
    if (store.readOnly !== undefined) return [];
    const swept = await Promise.all(deserted(store).map((record) => endRecorded(store, record)));
    return swept.flatMap((one) => one ?? []);
  } catch (error) {
    log.warn(`what earlier windows left running could not be looked for: ${error}`);
    return [];
  }
}

function deserted(store: SessionStore): readonly ProcessRecord[] {
  return store.processes().filter(({ window }) => !isAlive(window, 0));
}

async function endRecorded(store: SessionStore, record: ProcessRecord): Promise<Swept | undefined> {
  // Of this window from now on: should it die before it is through, the next sweep goes on.
  store.recordProcess({ ...record, window: thisProcess() });
  const { pid, mark, startTime, command } = record;
  const root: TreeRoot = { pid, mark, ...(startTime === undefined ? {} : { startTime }) };
  const left = await endLeftover(root);
  store.forgetProcess(mark);
  return left === 'gone' ? undefined : { command, survivors: left };
}
