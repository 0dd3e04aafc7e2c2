/** One item that does something, from its start to its end, which may come after the end of its turn. */

import { RollingBuffer, type Survivor } from '../../tools/index.ts';
import type { ServerRequest, WorkItem } from './protocol.ts';
import { Pulse } from './pulse.ts';

/** Characters of its output that are kept, the newest. */
const OUTPUT = 200_000;

/** What Codex asks outside of an item is shown like one. */
export type Work = WorkItem | AskItem | ElicitationItem;

/** A question of the model to the user. */
export interface AskItem {
  readonly type: 'ask';
  readonly id: string;
  readonly question: string;
  readonly choices: readonly string[];
}

/** A question of an MCP server, or about one. */
export interface ElicitationItem {
  readonly type: 'elicitation';
  readonly id: string;
  readonly server: string;
  readonly message: string;
}

/** Codex asks for leave and waits. */
export interface Question {
  readonly request: ServerRequest;
  /** A call stands for it: the user is asked. */
  shown: boolean;
  /** Has to be called once. */
  answer(reply: Reply): void;
}

export type Reply = { readonly allowed: boolean } | { readonly words: string };

export class LiveItem {
  readonly id: string;
  readonly turnId: string;
  readonly changed = new Pulse();
  #item: Work;
  #over = false;
  readonly #output = new RollingBuffer(OUTPUT);
  #wrote = false;
  /** How many calls have stood for it so far. */
  calls = 0;
  /** Its call ended before it did: it gets another one. */
  openAgain = false;
  /** What of it could not be ended. */
  survivors: readonly Survivor[] = [];
  question: Question | undefined;
  /** Leave was refused while other calls ran; Codex was not told why. */
  refused = false;
  /** It goes on in the background: a stop of the turn leaves it alone. */
  background = false;
  /** Codex went on without waiting for its end. */
  left = false;
  readonly #listeners = new Set<(text: string) => void>();

  constructor(item: Work, turnId: string) {
    this.id = item.id;
    this.turnId = turnId;
    this.#item = item;
  }

  get item(): Work {
    return this.#item;
  }

  get over(): boolean {
    return this.#over;
  }

  /** What it wrote so far, as far as Codex passed it on. */
  get output(): string {
    return this.#output.text();
  }

  /** The user is to be asked, or it has to be shown once more. */
  get wantsCall(): boolean {
    if (this.question && !this.question.shown) return true;
    return this.calls === 0 || (this.openAgain && !this.#over && !this.background);
  }

  /** Answers what Codex asks; nothing when it asks nothing. */
  reply(reply: Reply): void {
    const { question } = this;
    this.question = undefined;
    question?.answer(reply);
  }

  /** Something is known of it beside its start, so it does not wait for leave that is still to be asked for. */
  get underway(): boolean {
    return this.#over || this.question !== undefined || this.#wrote;
  }

  update(item: WorkItem): void {
    this.#item = item;
    this.changed.fire();
  }

  append(text: string): void {
    this.#output.append(text);
    this.#wrote ||= text !== '';
    for (const listener of this.#listeners) listener(text);
    this.changed.fire();
  }

  /** The returned function ends it. */
  listen(onText: (text: string) => void): () => void {
    this.#listeners.add(onText);
    return () => this.#listeners.delete(onText);
  }

  /** It has ended; Codex tells how, unless Codex itself is gone. */
  end(item?: WorkItem): void {
    if (this.#over) return;
    if (item) this.#item = item;
    this.#over = true;
    this.question = undefined;
    this.changed.fire();
  }

  /** Resolves with its end. */
  async ended(): Promise<void> {
    while (!this.#over) await this.changed.next();
  }
}
