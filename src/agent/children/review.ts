import type { Usage } from '../../api.ts';
import { transcriptText } from '../context/index.ts';
import { addUsage, NO_USAGE } from '../model/index.ts';
import type { ModelMessage } from '../model/types.ts';
import { openMemoryStore, type SessionStore } from '../session/index.ts';
import type { AgentPorts, LiveSession } from '../turn/index.ts';
import { ReviewNotes } from './review-notes.ts';
import { reviewPorts } from './review-ports.ts';

/** Milliseconds that one review may take. */
const LONGEST = 60_000;
/** Characters of the turn, and of the notes, that it is shown. */
const TURN_CHARACTERS = 24_000;
const NOTES_CHARACTERS = 16_000;

export interface ReviewParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  modelRef(): string | undefined;
  /** What the model was sent and answered in that turn. */
  messages(turnId: string): readonly ModelMessage[];
  /** Why no turn may begin for what was spent, or undefined. */
  overBudget(): string | undefined;
  /** A live session of the store of those ports. */
  open(ports: AgentPorts, id: string): LiveSession;
  /** Told once for each `start`, unless this was closed. */
  ended(): void;
}

interface Review {
  readonly turnId: string;
  readonly controller: AbortController;
  session?: LiveSession;
  store?: SessionStore;
  noted: number;
}

/**
 * The quiet review after an answered turn: a session of its own in a store of its own, which reads and notes. The
 * session that it belongs to is idle meanwhile. Only its notes and its usage stay.
 */
export class Reviews {
  readonly #parts: ReviewParts;
  #running: Review | undefined;
  #usage = NO_USAGE;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  /** Of all reviews since the session was opened, also of the one that runs. */
  get usage(): Usage {
    const running = this.#running?.session?.usage;
    return running ? addUsage(this.#usage, running) : this.#usage;
  }

  /** Begins in the next round of the event loop: the end of the turn is shown first. */
  start(turnId: string): void {
    const review: Review = { turnId, controller: new AbortController(), noted: 0 };
    const { ports, sessionId } = this.#parts;
    const { clock, log } = ports;
    this.#running = review;
    const cancel = clock.after(0, () => {
      this.#begin(review).catch((error: unknown) => {
        log.error(`the review of ${sessionId} failed: ${error instanceof Error ? error.stack : error}`);
        this.#end(review, 'it failed');
      });
    });
    review.controller.signal.addEventListener('abort', cancel, { once: true });
  }

  /** Ends it, at once while it asks its model, and after a call that it runs. */
  cancel(): void {
    const review = this.#running;
    if (!review) return;
    review.controller.abort();
    if (!review.session) this.#end(review, 'cancelled before it began');
    else review.session.stop({ by: 'review', reason: 'cancelled' });
  }

  /** Ends it; nothing is told any more. */
  close(): void {
    const review = this.#running;
    this.#running = undefined;
    review?.controller.abort();
    this.#dispose(review);
  }

  async #begin(review: Review): Promise<void> {
    const { ports, sessionId, modelRef, messages, overBudget, open } = this.#parts;
    const { signal } = review.controller;
    if (overBudget() !== undefined) return this.#end(review, 'a budget is used up');
    const [folder] = ports.settings().folders;
    if (folder === undefined) return this.#end(review, 'there is no folder to note in');
    const model = await ports.models.resolve(modelRef());
    if (signal.aborted) return;
    // It works with tools of its own: it could neither read with ours nor note.
    if ('wire' in model && model.keepsHistory) return this.#end(review, 'its model takes no tools of ours');
    const notes = new ReviewNotes(folder, ports.editor);
    const known = await notes.text();
    if (signal.aborted) return;
    const store = openMemoryStore(() => ports.clock.now());
    review.store = store;
    const id = `${sessionId}-review`;
    const now = ports.clock.now();
    const ref = modelRef();
    store.create({
      id,
      title: 'Review',
      titleSource: 'user',
      createdAt: now,
      updatedAt: now,
      ...(ref === undefined ? {} : { model: ref }),
    });
    const session = open(
      reviewPorts(ports, store, notes, () => {
        review.noted += 1;
      }),
      id,
    );
    review.session = session;
    this.#bound(review, session);
    const turn = transcriptText(messages(review.turnId), TURN_CHARACTERS);
    const task = `<notes>\n${known.slice(-NOTES_CHARACTERS)}\n</notes>\n\n<turn>\n${turn}\n</turn>`;
    const receipt = session.send(task);
    if (receipt.outcome === 'refused') this.#end(review, receipt.message);
  }

  #bound(review: Review, session: LiveSession): void {
    const { clock, settings } = this.#parts.ports;
    const { signal } = review.controller;
    const cancel = clock.after(LONGEST, () => session.stop({ by: 'budget', reason: 'time' }));
    signal.addEventListener('abort', cancel, { once: true });
    const mostTokens = settings().review.tokens;
    session.onDidEmit((event) => {
      if (event.type === 'request.ended' && tokensOf(session.usage) > mostTokens && session.state !== 'stopping') {
        session.stop({ by: 'budget', reason: 'tokens' });
      }
      if (event.type !== 'turn.ended') return;
      const { exitReason, requests, error } = event.result;
      this.#end(review, `${requests} requests, ${exitReason}${error ? `: ${error.message}` : ''}`);
    });
  }

  #end(review: Review, how: string): void {
    if (this.#running !== review) return;
    const { ports, sessionId, ended } = this.#parts;
    const used = review.session?.usage ?? NO_USAGE;
    this.#usage = addUsage(this.#usage, used);
    this.#running = undefined;
    review.controller.abort();
    this.#dispose(review);
    const { turnId, noted } = review;
    ports.log.info(`review of ${turnId} in ${sessionId}: ${how}; noted ${noted}, ${tokensOf(used)} tokens`);
    ended();
  }

  #dispose(review: Review | undefined): void {
    review?.session?.close();
    review?.store?.close();
  }
}

function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
