import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptRow } from '../../../api.ts';
import { type LinePlace, transcriptLine } from './line.ts';

export interface TranscriptParts {
  /** Absolute; made when needed. */
  readonly folder: string;
  /** As of the session store: `limit` counts from the end. @throws when the session cannot be read */
  rows(
    sessionId: string,
    options: { readonly before?: number; readonly after?: number; readonly limit?: number },
  ): readonly TranscriptRow[];
  /** Absolute. */
  cwd(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A transcript could not be written. */
  failed(error: unknown): void;
}

/** Rows of an old session that are written at first: 20 pages of 50, the newest. */
const PAGE = 50;
const PAGES = 20;

interface Written {
  readonly lastId: string;
  readonly lastSeq: number;
}

/**
 * The sessions as files of JSON lines, for hooks that read the conversation. A file is written when a hook first needs it,
 * and from then on only what is new is added; never more than the newest 1,000 rows of the past.
 */
export class TranscriptFiles {
  readonly #parts: TranscriptParts;
  readonly #written = new Map<string, Written>();
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  /** The absolute path of the file, which holds all rows of this moment. Undefined when it cannot be written; never rejects. */
  async path(sessionId: string): Promise<string | undefined> {
    if (!/^[\w-]{1,100}$/.test(sessionId)) return undefined;
    const path = join(this.#parts.folder, `${sessionId}.jsonl`);
    // Hooks of one event ask at the same time.
    const writing = (this.#writing.get(sessionId) ?? Promise.resolve()).then(() =>
      this.#bringUpToDate(sessionId, path),
    );
    const settled = writing.catch(() => undefined);
    this.#writing.set(sessionId, settled);
    try {
      await writing;
      return path;
    } catch (error) {
      this.#parts.failed(error);
      return undefined;
    } finally {
      if (this.#writing.get(sessionId) === settled) this.#writing.delete(sessionId);
    }
  }

  async #bringUpToDate(sessionId: string, path: string): Promise<void> {
    const written = this.#written.get(sessionId);
    const since = written && this.#parts.rows(sessionId, { after: written.lastSeq - 1 });
    // A row that is gone was undone, and perhaps others before it.
    if (written && since?.[0]?.id === written.lastId) return await this.#append(sessionId, path, since.slice(1));
    await mkdir(this.#parts.folder, { recursive: true });
    const rows = await this.#newest(sessionId);
    await writeFile(path, this.#lines(sessionId, rows), { mode: 0o600 });
    this.#remember(sessionId, rows);
  }

  async #append(sessionId: string, path: string, rows: readonly TranscriptRow[]): Promise<void> {
    if (rows.length === 0) return;
    await appendFile(path, this.#lines(sessionId, rows), { mode: 0o600 });
    this.#remember(sessionId, rows);
  }

  /** Read in pages: the store answers at once, and a long session would hold up the thread. */
  async #newest(sessionId: string): Promise<readonly TranscriptRow[]> {
    let rows: readonly TranscriptRow[] = [];
    for (let page = 0; page < PAGES; page++) {
      const [oldest] = rows;
      const before = oldest === undefined ? {} : { before: oldest.seq };
      const read = this.#parts.rows(sessionId, { ...before, limit: PAGE });
      rows = [...read, ...rows];
      if (read.length < PAGE) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return rows;
  }

  #lines(sessionId: string, rows: readonly TranscriptRow[]): string {
    const place: LinePlace = { sessionId, cwd: this.#parts.cwd(), time: new Date(this.#parts.now()).toISOString() };
    return rows.flatMap((row) => transcriptLine(row, place) ?? []).join('');
  }

  #remember(sessionId: string, rows: readonly TranscriptRow[]): void {
    const last = rows.at(-1);
    if (last) this.#written.set(sessionId, { lastId: last.id, lastSeq: last.seq });
  }
}
