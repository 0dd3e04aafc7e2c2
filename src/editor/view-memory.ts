import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Log } from '../agent/turn/index.ts';
import type { Attachment } from '../api.ts';

const attachment: z.ZodType<Attachment> = z.object({
  kind: z.enum(['image', 'file', 'selection']),
  name: z.string(),
  mime: z.string().exactOptional(),
  ref: z.string(),
});

/** A text alone is kept as that alone, as versions without images did. */
const draft = z.union([
  z.string().transform((text): Draft => ({ text, images: [] })),
  z.object({ text: z.string(), images: z.array(attachment) }),
]);

const memory = z.object({
  lastSession: z.string().exactOptional(),
  drafts: z.record(z.string(), draft).default({}),
});

type Memory = z.infer<typeof memory>;

/** What stands in a composer and is not sent. */
export interface Draft {
  readonly text: string;
  /** The images themselves are with the sessions. */
  readonly images: readonly Attachment[];
}

const EMPTY: Draft = { text: '', images: [] };

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
  /** What stands in the composers of pages that show one session; the newest is last. */
  readonly #composers = new Map<string, Map<object, Draft>>();

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
  draft(sessionId: string): Draft {
    return this.#memory.drafts[sessionId] ?? EMPTY;
  }

  /**
   * Two pages may show one session. What one of them has sent or erased does not take away what stands in the other.
   *
   * @param page whose composer it is
   */
  setDraft(sessionId: string, told: Pick<Draft, 'text'> & Partial<Draft>, page: object = this): void {
    const composers = this.#composers.get(sessionId) ?? new Map<object, Draft>();
    composers.delete(page);
    composers.set(page, { text: told.text, images: told.images ?? [] });
    this.#composers.set(sessionId, composers);
    this.#keepDraft(sessionId, [...composers.values()].findLast((one) => !isSame(one, EMPTY)) ?? EMPTY);
  }

  /** The page was closed or shows another session. What stood in its composer is kept until another page has a text. */
  leaveComposer(sessionId: string, page: object): void {
    this.#composers.get(sessionId)?.delete(page);
  }

  #keepDraft(sessionId: string, { text, images }: Draft): void {
    if (isSame(this.draft(sessionId), { text, images })) return;
    // An empty one is kept too: it takes the place of what another window has stored.
    const drafts = { ...this.#memory.drafts, [sessionId]: { text, images: [...images] } };
    this.#memory = { ...this.#memory, drafts };
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
    const kept = Object.entries(drafts).filter(([, one]) => !isSame(one, EMPTY));
    const next = {
      ...this.#memory,
      drafts: Object.fromEntries(kept.map(([id, one]) => [id, one.images.length === 0 ? one.text : one])),
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

function isSame(one: Draft, other: Draft): boolean {
  const refs = ({ images }: Draft) => images.map(({ ref }) => ref).join(' ');
  return one.text === other.text && refs(one) === refs(other);
}

/** A file that is missing or damaged only means that nothing is remembered. */
function read(file: string): Memory {
  try {
    return memory.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { drafts: {} };
  }
}
