/**
 * One session on Codex. A turn of Codex is told as a series of our answers: each ends when an item begins that does
 * something, which becomes a tool call; the next request goes on with the same turn, if it still runs.
 */

import type { Usage } from '../../../api.ts';
import type { AttemptFacts, ModelMessage, ModelPart, ModelRequest } from '../types.ts';
import { CodexFailure, unexpected } from './failures.ts';
import { Refused } from './json-rpc.ts';
import { answers, clientIdOf, type Tokens } from './protocol.ts';
import { callIdOf, Reading, type Teller } from './reading.ts';
import type { CodexServer } from './server.ts';
import { CodexThread } from './thread.ts';
import { clientId, common, type StoredThread, storedThread, untold } from './transcript.ts';

export interface ConversationOptions {
  /** The running process; started when there is none. @throws CodexFailure */
  server(): Promise<CodexServer>;
  /** Where Codex works; undefined for where it was started. */
  folder(): string | undefined;
  /** Milliseconds that an item may take to ask for leave before it counts as allowed. */
  readonly leave: number;
}

/** Messages on their way into the thread: Codex takes them when it gets to them, and says so. */
interface Underway {
  readonly id: string;
  readonly messages: readonly ModelMessage[];
}

/** User messages of a thread that are looked at when it is found again. */
const LOOK_BACK = 100;

export class Conversation implements Teller {
  readonly #options: ConversationOptions;
  #thread: CodexThread | undefined;
  #opening: Promise<CodexThread> | undefined;
  #seen: readonly ModelMessage[] = [];
  #underway: readonly Underway[] = [];
  /** Calls that were refused and not explained yet. */
  readonly #refused = new Set<string>();
  #usage: Usage | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get thread(): CodexThread | undefined {
    return this.#thread;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const startedAt = Date.now();
    let events = 0;
    const facts = (): AttemptFacts => ({
      startedAt,
      elapsedMs: Date.now() - startedAt,
      events,
      headers: {},
      ...(this.#thread?.newestTurn === undefined ? {} : { responseId: this.#thread.newestTurn }),
    });
    let aborted = signal.aborted;
    const onAbort = () => {
      aborted = true;
      this.interrupt();
    };
    signal.addEventListener('abort', onAbort);
    try {
      if (!aborted) {
        for await (const part of this.#parts(request, signal)) {
          events++;
          yield part.type === 'end' ? { ...part, facts: facts() } : part;
          if (part.type === 'end') return;
        }
      }
      yield { type: 'aborted', facts: facts() };
    } catch (error) {
      if (aborted) yield { type: 'aborted', facts: facts() };
      else yield { type: 'error', error: asFailure(error).error, facts: facts() };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** What is said of the turn from now on belongs to nobody; it and what it has running are ended. */
  interrupt(): void {
    void this.#thread?.interrupt();
  }

  /** False when there is no thread in this process, when it is at work, or when Codex does not. Never rejects. */
  async compact(signal: AbortSignal): Promise<boolean> {
    const thread = this.#thread;
    if (!thread?.usable || signal.aborted) return false;
    const stop = () => this.interrupt();
    signal.addEventListener('abort', stop);
    try {
      await thread.settled();
      if (thread.busy) return false;
      await thread.startCompaction();
      for (;;) {
        const event = await thread.next(signal);
        if (event?.type === 'usage') this.count(event.tokens);
        if (!event || event.type === 'over') return event?.status === 'completed';
      }
    } catch {
      // Refused, or Codex is gone: the next request says so.
      return false;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async dispose(): Promise<void> {
    await this.#thread?.dispose();
  }

  /** Ends without an `end` when it is aborted. */
  async *#parts(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const thread = await unlessAborted(this.#open(request), signal);
    if (!thread) return;
    // A last word, or tools that are off now: what runs is over first.
    if (request.tools.length === 0 && thread.turn !== undefined) void thread.interrupt();
    await unlessAborted(thread.settled(), signal);
    if (signal.aborted) return;
    await unlessAborted(this.#tell(thread, request, signal), signal);
    if (signal.aborted) return;
    yield { type: 'head' };
    yield* new Reading(this, thread, request, this.#options.leave).parts(signal);
  }

  /** Sends what the thread was not told: to the running turn, or as a new one. Nothing when the turn has more to tell. */
  async #tell(thread: CodexThread, request: ModelRequest, signal: AbortSignal): Promise<void> {
    const { messages } = request;
    const unanswered = thread.unanswered();
    for (const item of [...unanswered, ...thread.unexplained()]) this.#refused.add(callIdOf(item));
    if (thread.turn !== undefined) {
      const input = untold(messages, this.seen(messages), thread.id, this.#refused);
      if (input.length > 0) {
        const id = clientId(messages, messages.length - 1);
        if (await thread.steer({ input, clientUserMessageId: id })) {
          this.#underway = [...this.#underway, { id, messages }];
          this.#refused.clear();
        }
      }
    }
    // After the words about it, which then stand behind the refusal and before Codex's next thought.
    for (const item of unanswered) item.reply({ allowed: false });
    if (thread.turn === undefined && !thread.hasMore && !signal.aborted) await this.begin(thread, request);
  }

  /** A new turn with what is untold; with nothing, Codex goes on from where it is. */
  async begin(thread: CodexThread, request: ModelRequest): Promise<void> {
    const { messages, tools, effort, model } = request;
    const seen = this.seen(messages);
    // An explanation alone is no reason to begin.
    const something = untold(messages, seen, thread.id, new Set()).length > 0;
    const input = something ? untold(messages, seen, thread.id, this.#refused) : [];
    if (something) this.#refused.clear();
    const id = clientId(messages, messages.length - 1);
    const quiet = tools.length === 0;
    this.#underway = [{ id, messages }];
    await thread.start(
      {
        input,
        ...(input.length === 0 ? {} : { clientUserMessageId: id }),
        ...(model === DEFAULT_MODEL ? {} : { model }),
        ...(effort === undefined ? {} : { effort }),
        approvalPolicy: APPROVALS,
        approvalsReviewer: 'user',
        sandboxPolicy: quiet ? { type: 'readOnly', networkAccess: false } : { type: 'dangerFullAccess' },
      },
      quiet,
    );
  }

  seen(messages: readonly ModelMessage[]): number {
    const thread = this.#thread;
    while (this.#underway[0] && thread?.taken.has(this.#underway[0].id)) {
      this.#seen = this.#underway[0].messages;
      this.#underway = this.#underway.slice(1);
    }
    // What a turn did not get to before it ended is not part of the thread.
    if (thread?.turn === undefined) this.#underway = [];
    return common(this.#underway.at(-1)?.messages ?? this.#seen, messages);
  }

  usageOfAnswer(): Usage | undefined {
    const usage = this.#usage;
    this.#usage = undefined;
    return usage;
  }

  count(tokens: Tokens): void {
    const { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens } = tokens;
    const { input = 0, cacheRead = 0, output = 0, reasoning = 0 } = this.#usage ?? {};
    this.#usage = {
      input: input + Math.max(0, inputTokens - cachedInputTokens),
      cacheRead: cacheRead + cachedInputTokens,
      cacheWrite: 0,
      output: output + outputTokens,
      reasoning: reasoning + reasoningOutputTokens,
    };
  }

  /** One at a time: a request that was stopped meanwhile leaves its thread to the next. */
  #open(request: ModelRequest): Promise<CodexThread> {
    if (this.#thread?.usable) return Promise.resolve(this.#thread);
    this.#opening ??= this.#found(request).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #found(request: ModelRequest): Promise<CodexThread> {
    const known = this.#thread;
    await known?.settled();
    const server = await this.#options.server();
    const { messages, once } = request;
    const stored = once ? undefined : (storedThread(messages) ?? (known && { threadId: known.id, seen: 0 }));
    const thread = (stored && (await this.#resume(server, stored.threadId))) ?? (await this.#begin(server, request));
    this.#underway = [];
    this.#seen = stored?.threadId === thread.id ? messages.slice(0, await this.#known(server, stored, request)) : [];
    this.#thread = thread;
    return thread;
  }

  async #resume(server: CodexServer, threadId: string): Promise<CodexThread | undefined> {
    try {
      const params = { threadId, excludeTurns: true, ...this.#settings() };
      const { thread } = await server.call('thread/resume', params, answers.thread);
      return new CodexThread(thread.id, server);
    } catch (error) {
      // Its file is gone, or another Codex made it: a new thread is told the conversation.
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  async #begin(server: CodexServer, { system, tools, once }: ModelRequest): Promise<CodexThread> {
    const quiet = tools.length === 0;
    const params = {
      ...this.#settings(),
      sandbox: quiet ? 'read-only' : 'danger-full-access',
      // What it can do it knows by itself; our own words are about our own tools.
      ...(quiet ? { developerInstructions: system } : {}),
      ...(once ? { ephemeral: true } : {}),
    };
    const { thread } = await server.call('thread/start', params, answers.thread);
    return new CodexThread(thread.id, server);
  }

  #settings(): Readonly<Record<string, unknown>> {
    const cwd = this.#options.folder();
    return { approvalPolicy: APPROVALS, approvalsReviewer: 'user', ...(cwd === undefined ? {} : { cwd }) };
  }

  /** Behind the newest answer that is part of the thread, and behind what else of ours it has. */
  async #known(server: CodexServer, { threadId, seen }: StoredThread, { messages }: ModelRequest): Promise<number> {
    const params = { threadId, limit: LOOK_BACK, sortDirection: 'desc' };
    const items = await server.call('thread/items/list', params, answers.items).catch((error: unknown) => {
      if (error instanceof Refused) return { data: [] };
      throw error;
    });
    const taken = new Set(items.data.flatMap(({ item }) => clientIdOf(item) ?? []));
    const last = messages.findLastIndex((_, index) => taken.has(clientId(messages, index)));
    return Math.max(seen, last + 1);
  }
}

/** Codex asks about everything that is not known to be harmless, and our cards are where it asks. */
const APPROVALS = 'untrusted';

/** Stands for the model that Codex itself is set to. */
const DEFAULT_MODEL = 'default';

/** Undefined as soon as `signal` is aborted, whatever becomes of the promise. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  // Whoever is not waited for any more has nobody to tell.
  promise.catch(() => undefined);
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    done.abort();
  }
}

function asFailure(error: unknown): CodexFailure {
  return error instanceof CodexFailure ? error : unexpected(error);
}
