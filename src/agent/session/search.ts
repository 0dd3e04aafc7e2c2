/**
 * Search over what people saw of the conversations: full text where SQLite has FTS5, otherwise (and for scripts that
 * put no spaces between words) by LIKE.
 *
 * The index is brought up to date when somebody searches, so that a commit on a verb's path pays nothing for it.
 */

import type { SearchHit } from '../../api.ts';
import type { Connection, Row } from './sqlite.ts';
import { StorageError } from './types.ts';

export type Hit = SearchHit;

const NO_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const COLUMNS = 'rows.session_id, sessions.title, rows.id, rows.text';

export class SearchIndex {
  readonly #db: Connection;
  readonly #writable: boolean;
  #hasFts: boolean | undefined;

  constructor(db: Connection, writable: boolean) {
    this.#db = db;
    this.#writable = writable;
  }

  /** Newest hits first; every word has to occur, the last one may be unfinished. No query is an error. */
  search(query: string, limit: number): readonly Hit[] {
    const words = query.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0 || limit <= 0) return [];
    const indexable = words.every((word) => /[\p{L}\p{N}]/u.test(word)) && !NO_SPACES.test(query);
    const rows = indexable && this.#update() ? this.#byIndex(words, limit) : this.#byLike(words, limit);
    return rows.map((row) => hitFrom(row, words));
  }

  /** Before a session's rows are deleted, in the same transaction. */
  forget(sessionId: string): void {
    if (this.#fts() && this.#upto() >= 0) {
      this.#db.run(
        `INSERT INTO rows_fts (rows_fts, rowid, text)
         SELECT 'delete', n, text FROM rows WHERE session_id = ? AND n <= (SELECT upto FROM search_index)`,
        sessionId,
      );
    } else {
      this.#db.run('UPDATE search_index SET upto = -1');
    }
  }

  /** @returns false when there is no index to search: LIKE has to do. */
  #update(): boolean {
    if (!this.#writable || !this.#fts()) return false;
    try {
      this.#db.transaction(() => {
        if (this.#upto() < 0) this.#rebuild();
        else this.#append();
        this.#db.run('UPDATE search_index SET upto = (SELECT coalesce(max(n), 0) FROM rows)');
      });
      return true;
    } catch (error) {
      // Another window is writing: this search goes without the index.
      if (error instanceof StorageError && error.kind === 'locked') return false;
      throw error;
    }
  }

  #rebuild(): void {
    this.#db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS rows_fts
      USING fts5(text, content = 'rows', content_rowid = 'n', tokenize = 'unicode61 remove_diacritics 2')`);
    this.#db.run("INSERT INTO rows_fts (rows_fts) VALUES ('rebuild')");
  }

  #append(): void {
    this.#db.run(
      'INSERT INTO rows_fts (rowid, text) SELECT n, text FROM rows WHERE n > (SELECT upto FROM search_index)',
    );
  }

  #byIndex(words: readonly string[], limit: number): Row[] {
    return this.#db.all(
      `SELECT ${COLUMNS} FROM rows_fts JOIN rows ON rows.n = rows_fts.rowid JOIN sessions ON sessions.id = rows.session_id
       WHERE rows_fts MATCH ? AND sessions.parent IS NULL ORDER BY rows_fts.rowid DESC LIMIT ?`,
      // Each word a quoted phrase: no operator, hyphen or stray quote of the user reaches the query language.
      `${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ')}*`,
      limit,
    );
  }

  #byLike(words: readonly string[], limit: number): Row[] {
    const condition = words.map(() => "rows.text LIKE ? ESCAPE '\\'").join(' AND ');
    return this.#db.all(
      `SELECT ${COLUMNS} FROM rows JOIN sessions ON sessions.id = rows.session_id
       WHERE ${condition} AND sessions.parent IS NULL ORDER BY rows.n DESC LIMIT ?`,
      ...words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
      limit,
    );
  }

  #upto(): number {
    return Number(this.#db.get('SELECT upto FROM search_index')?.upto ?? -1);
  }

  /** Asked once for a connection. */
  #fts(): boolean {
    this.#hasFts ??= this.#db.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined;
    return this.#hasFts;
  }
}

const SNIPPET = 120;

function hitFrom(row: Row, words: readonly string[]): Hit {
  return {
    sessionId: String(row.session_id),
    title: String(row.title),
    rowId: String(row.id),
    snippet: snippet(String(row.text ?? ''), words),
  };
}

/** One line of about 120 characters around the first of the words. */
function snippet(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...found, text.length) - SNIPPET / 3);
  const from = found.length === 0 ? 0 : start;
  const piece = text
    .slice(from, from + SNIPPET)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${piece}${from + SNIPPET < text.length ? '…' : ''}`;
}
