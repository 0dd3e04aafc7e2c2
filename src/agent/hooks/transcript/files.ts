import { appendFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
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

/** Sessions whose files are kept; those that were asked for longest ago go. */
const FILES = 50;

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
    if (!isName(sessionId)) return undefined;
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

  /** The session was deleted: so is what hooks could read of it. Never rejects. */
  async forget(sessionId: string): Promise<void> {
    if (!isName(sessionId)) return;
    await this.#writing.get(sessionId);
    this.#written.delete(sessionId);
    try {
      await rm(join(this.#parts.folder, `${sessionId}.jsonl`), { force: true });
    } catch (error) {
      this.#parts.failed(error);
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
    await this.#removeOldest();
  }

  /** One that is needed again is written anew. */
  async #removeOldest(): Promise<void> {
    const { folder } = this.#parts;
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    if (paths.length <= FILES) return;
    const aged = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
    aged.sort((one, other) => other.at - one.at);
    for (const { path } of aged.slice(FILES)) {
      this.#written.delete(basename(path, '.jsonl'));
      await rm(path, { force: true });
    }
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

/** Fit for the name of a file. */
function isName(sessionId: string): boolean {
  return /^[\w-]{1,100}$/.test(sessionId);
}
