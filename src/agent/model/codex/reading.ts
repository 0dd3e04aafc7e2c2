/**
 * One answer: from the events of the turn to its end, or to the items that the next calls stand for.
 */

import type { Usage } from '../../../api.ts';
import type { ModelCall, ModelMessage, ModelPart, ModelRequest } from '../types.ts';
import { callOf } from './calls.ts';
import { interruptedByItself, turnFailed } from './failures.ts';
import type { LiveItem } from './live-item.ts';
import type { Tokens } from './protocol.ts';
import type { CodexThread, ThreadEvent } from './thread.ts';
import { sealThread, untold } from './transcript.ts';

/** Who tells the thread what the user says, and counts. */
export interface Teller {
  /** How many of the messages the thread has, or will have when it gets to them. */
  seen(messages: readonly ModelMessage[]): number;
  begin(thread: CodexThread, request: ModelRequest): Promise<void>;
  count(tokens: Tokens): void;
  /** What was counted since the last answer. */
  usageOfAnswer(): Usage | undefined;
}

/** Kinds of items that Codex may ask about. */
const ASKING: ReadonlySet<string> = new Set(['commandExecution', 'fileChange', 'mcpToolCall']);

/** Milliseconds that an item which asks waits for others of the same answer: they are shown together. */
const SIBLINGS = 50;

export class Reading {
  readonly #teller: Teller;
  readonly #thread: CodexThread;
  readonly #request: ModelRequest;
  readonly #leave: number;
  #reasoning = '';
  readonly #newest: { text?: string; reasoning?: string } = {};

  constructor(teller: Teller, thread: CodexThread, request: ModelRequest, leave: number) {
    this.#teller = teller;
    this.#thread = thread;
    this.#request = request;
    this.#leave = leave;
  }

  async *parts(signal: AbortSignal): AsyncGenerator<ModelPart> {
    for (;;) {
      const event = await this.#thread.next(signal);
      if (!event) return;
      const part = await this.#part(event, signal);
      if (signal.aborted) return;
      if (!part) continue;
      yield part;
      if (part.type === 'end') return;
    }
  }

  async #part(event: ThreadEvent, signal: AbortSignal): Promise<ModelPart | undefined> {
    switch (event.type) {
      case 'text':
        return { type: 'text', text: this.#separated('text', event.itemId, event.text) };
      case 'reasoning': {
        const text = this.#separated('reasoning', event.part, event.text);
        this.#reasoning += text;
        return { type: 'reasoning', text };
      }
      case 'usage':
        this.#teller.count(event.tokens);
        return undefined;
      case 'work':
        if (!event.item.wantsCall) return undefined;
        await this.#leaveAsked(event.item, signal);
        return this.#calls();
      case 'over':
        return await this.#over(event);
      default:
        return event satisfies never;
    }
  }

  /** Messages, and thoughts, of one turn are told apart by a blank line. */
  #separated(kind: 'text' | 'reasoning', from: string, text: string): string {
    const before = this.#newest[kind];
    this.#newest[kind] = from;
    return before !== undefined && before !== from ? `\n\n${text}` : text;
  }

  /** An item asks for leave a moment after it has begun, or not at all. */
  async #leaveAsked(item: LiveItem, signal: AbortSignal): Promise<void> {
    const asks = ASKING.has(item.item.type);
    const deadline = performance.now() + this.#leave;
    while (asks && !item.underway && !signal.aborted) {
      const rest = deadline - performance.now();
      if (rest <= 0) return;
      await item.changed.next([signal], rest);
    }
    // Calls of one answer follow each other closely; those that ask are shown together.
    if (item.question) await item.changed.next([signal], SIBLINGS);
  }

  #calls(): ModelPart | undefined {
    const calls = this.#thread.waiting().map((item): ModelCall => {
      item.calls += 1;
      item.openAgain = false;
      if (item.question) item.question.shown = true;
      return callOf(item, callIdOf(item));
    });
    return calls.length === 0 ? undefined : this.#end('tool_calls', calls);
  }

  async #over(event: Extract<ThreadEvent, { type: 'over' }>): Promise<ModelPart | undefined> {
    const calls = this.#calls();
    if (calls) {
      this.#thread.putBack(event);
      return calls;
    }
    if (event.status === 'failed') throw turnFailed(event.error, this.#request.model);
    if (event.status !== 'completed') throw interruptedByItself();
    // What the user said while the turn came to its end.
    const { messages } = this.#request;
    if (untold(messages, this.#teller.seen(messages), this.#thread.id, new Set()).length === 0) {
      return this.#end('stop', []);
    }
    await this.#teller.begin(this.#thread, this.#request);
    return undefined;
  }

  #end(finish: 'stop' | 'tool_calls', calls: readonly ModelCall[]): ModelPart {
    const usage = this.#teller.usageOfAnswer();
    const thinking = [sealThread(this.#reasoning, this.#thread.id)];
    return { type: 'end', finish, calls, thinking, ...(usage === undefined ? {} : { usage }) };
  }
}

/** The id of the newest call that stands for the item. */
export function callIdOf(item: LiveItem): string {
  return item.calls <= 1 ? item.id : `${item.id}~${item.calls}`;
}
