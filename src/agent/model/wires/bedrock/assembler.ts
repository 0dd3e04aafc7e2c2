/** Puts the events of a ConverseStream together, or reads the one answer of Converse. */

import * as z from 'zod';
import type { Usage } from '../../../../api.ts';
import type { Finish, ModelPart, SignedThinking } from '../../types.ts';
import { callOf, readArguments } from '../arguments.ts';
import type { Assembler } from '../exchange/exchange.ts';
import { cut, fitting } from '../frames.ts';
import { sealRedacted, sealThinking } from '../sealed-thinking.ts';
import type { BedrockEvent } from './client.ts';

const Count = z.number().nullish().catch(undefined);
const Counts = z.object({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count,
  cacheWriteInputTokens: Count,
});

const Index = z.number().int().default(0);
const Reasoning = z.object({
  text: z.string().optional(),
  signature: z.string().optional(),
  redactedContent: z.string().optional(),
});

const BlockStart = z.object({
  contentBlockIndex: Index,
  start: z.object({ toolUse: z.object({ toolUseId: z.string(), name: z.string() }).optional() }).nullish(),
});

const BlockDelta = z.object({
  contentBlockIndex: Index,
  delta: z
    .object({
      text: z.string().optional(),
      toolUse: z.object({ input: z.string() }).optional(),
      reasoningContent: Reasoning.optional(),
    })
    .nullish(),
});

const BlockStop = z.object({ contentBlockIndex: Index });
const MessageStop = z.object({ stopReason: z.string() });
const Metadata = z.object({ usage: Counts.nullish() });

/** A whole answer. Blocks of a kind that this version does not know are skipped. */
const Answer = z.object({
  output: z.object({
    message: z.object({
      content: z.array(
        z.object({
          text: z.string().optional(),
          toolUse: z.object({ toolUseId: z.string(), name: z.string(), input: z.unknown() }).optional(),
          reasoningContent: z
            .object({
              reasoningText: z.object({ text: z.string(), signature: z.string().optional() }).optional(),
              redactedContent: z.string().optional(),
            })
            .optional(),
        }),
      ),
    }),
  }),
  stopReason: z.string(),
  usage: Counts.nullish(),
});

type Block =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; text: string; signature: string; redacted: string }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      /** Position among the calls. */
      readonly order: number;
      readonly fragments: string[];
      characters: number;
      stopped: boolean;
    };

type CallBlock = Extract<Block, { type: 'call' }>;

export class ConverseAssembler implements Assembler<BedrockEvent> {
  readonly #signer: string;
  readonly #blocks = new Map<number, Block>();
  #started = false;
  #stopReason: string | undefined;
  #usage: z.infer<typeof Counts> | undefined;

  /** @param signer who signs the thinking */
  constructor(signer: string) {
    this.#signer = signer;
  }

  /** The counts come behind the stop reason. */
  get closed(): boolean {
    return this.#stopReason !== undefined && this.#usage !== undefined;
  }

  get begun(): readonly string[] {
    return this.#calls().map(({ name }) => name);
  }

  startsOver({ name }: BedrockEvent): boolean {
    return this.#started && name === 'messageStart';
  }

  *push({ name, body }: BedrockEvent): Generator<ModelPart> {
    switch (name) {
      case 'messageStart':
        this.#started = true;
        return;
      case 'contentBlockStart': {
        const { contentBlockIndex, start } = fitting(BlockStart, body);
        if (start?.toolUse) yield this.#begin(contentBlockIndex, start.toolUse);
        return;
      }
      case 'contentBlockDelta': {
        const { contentBlockIndex, delta } = fitting(BlockDelta, body);
        if (delta?.text !== undefined) yield* this.#text(contentBlockIndex, delta.text);
        if (delta?.toolUse) yield* this.#extend(contentBlockIndex, delta.toolUse.input);
        if (delta?.reasoningContent) yield* this.#think(contentBlockIndex, delta.reasoningContent);
        return;
      }
      case 'contentBlockStop': {
        const block = this.#blocks.get(fitting(BlockStop, body).contentBlockIndex);
        if (block?.type === 'call') block.stopped = true;
        return;
      }
      case 'messageStop':
        this.#stopReason = fitting(MessageStop, body).stopReason;
        return;
      case 'metadata':
        this.#usage = fitting(Metadata, body).usage ?? this.#usage;
        return;
      default:
        // `messageStart`, and what this version does not know.
        return;
    }
  }

  *whole(body: unknown): Generator<ModelPart> {
    const { output, stopReason, usage } = fitting(Answer, body);
    for (const [index, { text, toolUse, reasoningContent }] of output.message.content.entries()) {
      if (text !== undefined) yield* this.#text(index, text);
      if (reasoningContent) {
        const { reasoningText, redactedContent } = reasoningContent;
        yield* this.#think(index, { ...reasoningText, redactedContent });
      }
      if (toolUse) {
        yield this.#begin(index, toolUse);
        yield* this.#extend(index, JSON.stringify(toolUse.input ?? {}));
        yield* this.push({ name: 'contentBlockStop', body: { contentBlockIndex: index } });
      }
    }
    this.#stopReason = stopReason;
    this.#usage = usage ?? undefined;
  }

  end(): ModelPart {
    const finish = this.#wholeFinish();
    const calls = finish === 'tool_calls' ? this.#calls().map((call) => callOf({ ...call, text: textOf(call) })) : [];
    return { type: 'end', finish, calls, thinking: this.#thinking(), ...this.usage() };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: usageOf(this.#usage) };
  }

  /** Throws when nothing proves that the answer is whole. */
  #wholeFinish(): Finish {
    if (this.#stopReason === undefined) {
      throw cut(this.#blocks.size === 0 ? 'The stream was empty.' : 'The stream ended without a stop reason.');
    }
    const finish = finishOf(this.#stopReason);
    if (finish === 'length' || finish === 'content_filter') return finish;
    const calls = this.#calls();
    const open = calls.filter((call) => !call.stopped || readArguments(textOf(call)).is === 'unfinished');
    if (open.length > 0) throw cut(`The arguments of ${open.map(({ name }) => name).join(', ')} are unfinished.`);
    return calls.length > 0 ? 'tool_calls' : 'stop';
  }

  #begin(index: number, { toolUseId: id, name }: { toolUseId: string; name: string }): ModelPart {
    const order = this.#calls().length;
    this.#blocks.set(index, { type: 'call', id, name, order, fragments: [], characters: 0, stopped: false });
    return { type: 'call_progress', index: order, name, characters: 0 };
  }

  *#text(index: number, text: string): Generator<ModelPart> {
    if (!this.#blocks.has(index)) this.#blocks.set(index, { type: 'text' });
    if (text !== '') yield { type: 'text', text };
  }

  *#extend(index: number, fragment: string): Generator<ModelPart> {
    const block = this.#blocks.get(index);
    if (block?.type !== 'call' || fragment === '') return;
    block.fragments.push(fragment);
    block.characters += fragment.length;
    yield { type: 'call_progress', index: block.order, name: block.name, characters: block.characters };
  }

  *#think(index: number, part: z.infer<typeof Reasoning>): Generator<ModelPart> {
    const known = this.#blocks.get(index);
    const block = known ?? { type: 'thinking', text: '', signature: '', redacted: '' };
    if (block.type !== 'thinking') return;
    this.#blocks.set(index, block);
    const { text = '', signature = '', redactedContent = '' } = part;
    block.text += text;
    block.signature += signature;
    block.redacted += redactedContent;
    if (text !== '') yield { type: 'reasoning', text };
  }

  #calls(): CallBlock[] {
    return [...this.#blocks.values()].filter((block) => block.type === 'call');
  }

  #thinking(): SignedThinking[] {
    return [...this.#blocks.values()].flatMap((block) => {
      if (block.type !== 'thinking') return [];
      if (block.redacted !== '') return [sealRedacted(block.redacted, this.#signer)];
      return block.signature === '' ? [] : [sealThinking(block.text, block.signature, this.#signer)];
    });
  }
}

function finishOf(stopReason: string): Finish {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'content_filter';
    case 'malformed_tool_use':
    case 'malformed_model_output':
      throw cut('The model wrote something that is no answer.');
    default:
      return 'stop';
  }
}

function usageOf(counts: z.infer<typeof Counts>): Usage {
  return {
    input: Math.max(0, counts.inputTokens ?? 0),
    output: Math.max(0, counts.outputTokens ?? 0),
    cacheRead: Math.max(0, counts.cacheReadInputTokens ?? 0),
    cacheWrite: Math.max(0, counts.cacheWriteInputTokens ?? 0),
    reasoning: 0,
  };
}

function textOf(call: CallBlock): string {
  return call.fragments.join('');
}
