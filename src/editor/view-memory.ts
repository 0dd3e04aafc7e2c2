import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Log } from '../agent/turn/index.ts';

const memory = z.object({
  lastSession: z.string().exactOptional(),
  drafts: z.record(z.string(), z.string()).default({}),
});

type Memory = z.infer<typeof memory>;

/**
 * What the chat of this workspace shows and what was typed into it, in a small file beside the sessions. VS Code's own
 * workspace state goes to the window and is written there some time later: a reload within that time lost it.
 */
export class ViewMemory {
  readonly #file: string;
  readonly #log: Log;
  #memory: Memory;
  /** Sessions whose drafts this window has changed. */
  readonly #written = new Set<string>();

  constructor(folder: string, log: Log) {
    this.#file = path.join(folder, 'view.json');
    this.#log = log;
    this.#memory = read(this.#file);
  }

  get lastSession(): string | undefined {
    return this.#memory.lastSession;
  }

  set lastSession(id: string) {
    this.#memory = { ...this.#memory, lastSession: id };
    this.#write();
  }

  /** Unsent composer text; it survives hiding, reloading and switching. */
  draft(sessionId: string): string {
    return this.#memory.drafts[sessionId] ?? '';
  }

  setDraft(sessionId: string, text: string): void {
    if (this.draft(sessionId) === text) return;
    // An empty one is kept too: it takes the place of what another window has stored.
    this.#memory = { ...this.#memory, drafts: { ...this.#memory.drafts, [sessionId]: text } };
    this.#written.add(sessionId);
    this.#write();
  }

  /**
   * A few hundred bytes, replaced as a whole; drafts that another window on the workspace has stored stay. Where nothing
   * can be written it holds for this window.
   */
  #write(): void {
    const own = Object.entries(this.#memory.drafts).filter(([sessionId]) => this.#written.has(sessionId));
    const drafts = { ...read(this.#file).drafts, ...Object.fromEntries(own) };
    const next: Memory = {
      ...this.#memory,
      drafts: Object.fromEntries(Object.entries(drafts).filter(([, text]) => text !== '')),
    };
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true });
      writeFileSync(`${this.#file}.${process.pid}`, JSON.stringify(next));
      renameSync(`${this.#file}.${process.pid}`, this.#file);
    } catch (error) {
      this.#log.warn(`What the chat shows could not be remembered: ${error}`);
    }
  }
}

/** A file that is missing or damaged only means that nothing is remembered. */
function read(file: string): Memory {
  try {
    return memory.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { drafts: {} };
  }
}
