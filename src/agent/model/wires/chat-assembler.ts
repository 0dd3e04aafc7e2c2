/** Puts the chunks of a Chat Completions stream together. */

import * as z from 'zod';
import { ModelFailure } from '../failure.ts';
import type { ModelPart } from '../types.ts';
import { callOf, readArguments, type WrittenCall } from './arguments.ts';
import { ChatUsage, usageOfChat } from './chat-usage.ts';
import type { Assembler } from './exchange.ts';
import type { ServerEvent } from './sse.ts';
import { ThinkTags } from './think-tags.ts';

const Text = z.string().nullish().catch(undefined);

const CallDelta = z.object({
  index: z.number().int().nullish(),
  // Some servers count their calls instead of naming them.
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  function: z.object({ name: Text, arguments: Text }).nullish(),
});

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({ content: Text, reasoning_content: Text, reasoning: Text, tool_calls: z.array(CallDelta).nullish() })
          .nullish(),
        finish_reason: Text,
      }),
    )
    .nullish(),
  usage: ChatUsage.nullish(),
  x_groq: z.object({ usage: ChatUsage.nullish() }).nullish().catch(undefined),
  error: z.unknown().optional(),
  error_type: Text,
  error_message: Text,
});

type Finish = Extract<ModelPart, { type: 'end' }>['finish'];
type Delta = z.infer<typeof CallDelta>;

interface Slot {
  readonly index: number;
  id: string;
  name: string;
  readonly fragments: string[];
  characters: number;
}

export class ChatAssembler implements Assembler {
  /** In the order in which the calls began. */
  readonly #slots: Slot[] = [];
  readonly #thinkTags = new ThinkTags();
  #done = false;
  #spoke = false;
  #finish: Finish | undefined;
  #usage: z.infer<typeof ChatUsage> | undefined;

  get closed(): boolean {
    return this.#done;
  }

  *push({ event, data }: ServerEvent): Generator<ModelPart> {
    if (data.startsWith('[DONE]')) {
      this.#done = true;
      return yield* this.#thinkTags.flush();
    }
    if (data === '') return;
    const chunk = parseChunk(data, event);
    // Finish and usage first: a chunk that has them may have nothing else.
    this.#usage = chunk.usage ?? chunk.x_groq?.usage ?? this.#usage;
    const choice = chunk.choices?.[0];
    this.#finish = finishOf(choice?.finish_reason, data) ?? this.#finish;
    const delta = choice?.delta;
    const reasoning = delta?.reasoning_content || delta?.reasoning;
    if (reasoning) {
      this.#spoke = true;
      yield { type: 'reasoning', text: reasoning };
    }
    if (delta?.content) {
      this.#spoke = true;
      yield* this.#thinkTags.push(delta.content);
    }
    if (this.#finish !== undefined) yield* this.#thinkTags.flush();
    for (const call of delta?.tool_calls ?? []) yield this.#write(call);
  }

  end(): ModelPart {
    const finish = this.#wholeFinish();
    const calls =
      finish === 'length' || finish === 'content_filter' ? [] : this.#slots.map((slot) => callOf(writtenOf(slot)));
    return { type: 'end', finish, calls, thinking: [], ...this.usage() };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: usageOfChat(this.#usage) };
  }

  /** Throws when nothing proves that the answer is whole. */
  #wholeFinish(): Finish {
    const unfinished = this.#slots.filter((slot) => readArguments(textOf(slot)).is === 'unfinished');
    if (this.#finish === 'length' || this.#finish === 'content_filter') return this.#finish;
    if (unfinished.length > 0)
      throw cut(`The arguments of ${unfinished.map(({ name }) => name).join(', ')} are unfinished.`);
    const actual = this.#slots.length > 0 ? 'tool_calls' : 'stop';
    if (this.#finish !== undefined) return actual;
    if (!this.#spoke && this.#slots.length === 0) throw cut('The stream was empty.');
    if (this.#slots.some((slot) => slot.characters === 0)) throw cut('A call has no arguments and no finish reason.');
    // Without a finish reason only a closing frame, or for plain text the count of tokens, tells that it is all.
    if (this.#done || (this.#slots.length === 0 && this.#usage !== undefined)) return actual;
    throw cut('The stream ended without a finish reason.');
  }

  #write(delta: Delta): ModelPart {
    const slot = this.#slotOf(delta);
    // The whole name each time is what some servers send, so it is set and never appended.
    if (delta.function?.name) slot.name = delta.function.name;
    const fragment = delta.function?.arguments ?? '';
    if (fragment !== '') slot.fragments.push(fragment);
    slot.characters += fragment.length;
    return { type: 'call_progress', index: this.#slots.indexOf(slot), name: slot.name, characters: slot.characters };
  }

  /** By index, but a new id at a known index is a new call: Ollama sends a whole batch under index 0. */
  #slotOf({ index, id }: Delta): Slot {
    const at = index ?? 0;
    const slot = this.#slots.findLast((candidate) => candidate.index === at);
    if (slot !== undefined && (!id || slot.id === id)) return slot;
    if (slot !== undefined && slot.id === '') {
      slot.id = id ?? '';
      return slot;
    }
    const fresh: Slot = { index: at, id: id ?? '', name: '', fragments: [], characters: 0 };
    this.#slots.push(fresh);
    return fresh;
  }
}

function parseChunk(data: string, event: string | null): z.infer<typeof Chunk> {
  let body: unknown;
  try {
    body = JSON.parse(data);
  } catch {
    throw event === 'error'
      ? new ModelFailure({ at: 'frame', body: data })
      : cut(`A frame is no JSON: ${data.slice(0, 200)}`);
  }
  const chunk = Chunk.safeParse(body);
  if (!chunk.success) throw cut(`A frame does not fit: ${z.prettifyError(chunk.error)}`);
  const { error, error_type, error_message } = chunk.data;
  if (error || error_type || error_message || event === 'error') throw new ModelFailure({ at: 'frame', body });
  return chunk.data;
}

function finishOf(reason: string | null | undefined, data: string): Finish | undefined {
  switch (reason?.toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'tool_calls':
    case 'function_call':
      return 'tool_calls';
    case 'error':
    case 'error_finish':
      throw new ModelFailure({
        at: 'frame',
        body: { message: `The model finished with an error: ${data.slice(0, 500)}` },
      });
    default:
      return 'stop';
  }
}

function textOf(slot: Slot): string {
  return slot.fragments.join('');
}

function writtenOf(slot: Slot): WrittenCall {
  return { id: slot.id, name: slot.name, text: textOf(slot) };
}

function cut(why: string): ModelFailure {
  return new ModelFailure({ at: 'cut', why });
}
