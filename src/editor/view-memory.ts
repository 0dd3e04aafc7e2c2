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

  constructor(folder: string, log: Log) {
    this.#file = path.join(folder, 'view.json');
    this.#log = log;
    this.#memory = read(this.#file);
  }

  get lastSession(): string | undefined {
    return this.#memory.lastSession;
  }

  set lastSession(id: string) {
    this.#write({ ...this.#memory, lastSession: id });
  }

  /** Unsent composer text; it survives hiding, reloading and switching. */
  draft(sessionId: string): string {
    return this.#memory.drafts[sessionId] ?? '';
  }

  setDraft(sessionId: string, text: string): void {
    if (this.draft(sessionId) === text) return;
    const { [sessionId]: _old, ...others } = this.#memory.drafts;
    this.#write({ ...this.#memory, drafts: text === '' ? others : { ...others, [sessionId]: text } });
  }

  /** A few hundred bytes, replaced as a whole. Where nothing can be written it holds for this window. */
  #write(next: Memory): void {
    this.#memory = next;
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true });
      writeFileSync(`${this.#file}.new`, JSON.stringify(next));
      renameSync(`${this.#file}.new`, this.#file);
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
