/** Puts the events of a Messages stream together. */

import * as z from 'zod';
import type { Usage } from '../../../api.ts';
import { ModelFailure } from '../failure.ts';
import type { ModelPart, SignedThinking } from '../types.ts';
import { callOf, readArguments } from './arguments.ts';
import type { Assembler } from './exchange.ts';
import { sealRedacted, sealThinking } from './sealed-thinking.ts';
import type { ServerEvent } from './sse.ts';

const Count = z.number().nullish().catch(undefined);
const Counts = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
});

const StartedBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().default('') }),
  z.object({ type: z.literal('thinking'), thinking: z.string().default(''), signature: z.string().default('') }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown().optional() }),
]);

const Delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);

/** Blocks and deltas of a kind that this version does not know are skipped. */
const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Counts.nullish() }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number().int(),
    content_block: StartedBlock.optional().catch(undefined),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number().int(),
    delta: Delta.optional().catch(undefined),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number().int() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Counts.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);

const KNOWN: ReadonlySet<string> = new Set(Event.options.map((option) => option.shape.type.value));

type Block =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
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
type Finish = Extract<ModelPart, { type: 'end' }>['finish'];

export class MessageAssembler implements Assembler {
  readonly #host: string;
  readonly #blocks = new Map<number, Block>();
  #stopped = false;
  #stopReason: string | undefined;
  #usage: z.infer<typeof Counts> | undefined;

  /** The host is who signs the thinking. */
  constructor(host: string) {
    this.#host = host;
  }

  get closed(): boolean {
    return this.#stopped;
  }

  *push({ event, data }: ServerEvent): Generator<ModelPart> {
    const parsed = parseEvent(event, data);
    if (parsed === undefined) return;
    switch (parsed.type) {
      case 'message_start':
        this.#count(parsed.message.usage);
        return;
      case 'content_block_start':
        yield* this.#start(parsed.index, parsed.content_block);
        return;
      case 'content_block_delta':
        yield* this.#extend(this.#blocks.get(parsed.index), parsed.delta);
        return;
      case 'content_block_stop': {
        const block = this.#blocks.get(parsed.index);
        if (block?.type === 'call') block.stopped = true;
        return;
      }
      case 'message_delta':
        this.#stopReason = parsed.delta.stop_reason ?? this.#stopReason;
        this.#count(parsed.usage);
        return;
      case 'message_stop':
        this.#stopped = true;
        return;
      default:
        return parsed satisfies never;
    }
  }

  end(): ModelPart {
    const written = [...this.#blocks.values()].filter((block) => block.type === 'call');
    const finish = this.#wholeFinish(written);
    const calls = finish === 'tool_calls' ? written.map((call) => callOf({ ...call, text: textOf(call) })) : [];
    return { type: 'end', finish, calls, thinking: this.#thinking(), ...this.usage() };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: usageOf(this.#usage) };
  }

  /** Throws when the answer is not whole: without its stop reason nothing proves that it is. */
  #wholeFinish(calls: readonly CallBlock[]): Finish {
    if (this.#stopReason === undefined) {
      throw cut(this.#blocks.size === 0 ? 'The stream was empty.' : 'The stream ended without a stop reason.');
    }
    const finish = finishOf(this.#stopReason);
    if (finish === 'length' || finish === 'content_filter') return finish;
    const open = calls.filter((call) => !call.stopped || readArguments(textOf(call)).is === 'unfinished');
    if (open.length > 0) throw cut(`The arguments of ${open.map(({ name }) => name).join(', ')} are unfinished.`);
    return calls.length > 0 ? 'tool_calls' : 'stop';
  }

  #thinking(): SignedThinking[] {
    return [...this.#blocks.values()].flatMap((block) => {
      if (block.type === 'redacted') return [sealRedacted(block.data, this.#host)];
      if (block.type !== 'thinking' || block.signature === '') return [];
      return [sealThinking(block.text, block.signature, this.#host)];
    });
  }

  *#start(index: number, started: z.infer<typeof StartedBlock> | undefined): Generator<ModelPart> {
    switch (started?.type) {
      case undefined:
        return;
      case 'text':
        this.#blocks.set(index, { type: 'text' });
        if (started.text !== '') yield { type: 'text', text: started.text };
        return;
      case 'thinking':
        this.#blocks.set(index, { type: 'thinking', text: started.thinking, signature: started.signature });
        if (started.thinking !== '') yield { type: 'reasoning', text: started.thinking };
        return;
      case 'redacted_thinking':
        this.#blocks.set(index, { type: 'redacted', data: started.data });
        return;
      case 'tool_use': {
        const order = [...this.#blocks.values()].filter((block) => block.type === 'call').length;
        // Some servers send the whole input with the start and no fragments.
        const fragments = isFilled(started.input) ? [JSON.stringify(started.input)] : [];
        const { id, name } = started;
        this.#blocks.set(index, { type: 'call', id, name, order, fragments, characters: 0, stopped: false });
        yield { type: 'call_progress', index: order, name, characters: 0 };
        return;
      }
      default:
        return started satisfies never;
    }
  }

  *#extend(block: Block | undefined, delta: z.infer<typeof Delta> | undefined): Generator<ModelPart> {
    if (delta?.type === 'text_delta' && block?.type === 'text') {
      if (delta.text !== '') yield { type: 'text', text: delta.text };
    } else if (delta?.type === 'thinking_delta' && block?.type === 'thinking') {
      block.text += delta.thinking;
      if (delta.thinking !== '') yield { type: 'reasoning', text: delta.thinking };
    } else if (delta?.type === 'signature_delta' && block?.type === 'thinking') {
      block.signature += delta.signature;
    } else if (delta?.type === 'input_json_delta' && block?.type === 'call') {
      if (delta.partial_json === '') return;
      block.fragments.push(delta.partial_json);
      block.characters += delta.partial_json.length;
      yield { type: 'call_progress', index: block.order, name: block.name, characters: block.characters };
    }
  }

  /** The later count is the truth; a field that is missing keeps its value. */
  #count(counts: z.infer<typeof Counts> | null | undefined): void {
    if (!counts) return;
    const said = Object.entries(counts).filter(([, count]) => typeof count === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
  }
}

function parseEvent(event: string | null, data: string): z.infer<typeof Event> | undefined {
  if (event === 'ping' || data === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(data);
  } catch {
    throw event === 'error'
      ? new ModelFailure({ at: 'frame', body: data })
      : cut(`A frame is no JSON: ${data.slice(0, 200)}`);
  }
  const type = (body as { type?: unknown } | null)?.type;
  if (event === 'error' || type === 'error') throw new ModelFailure({ at: 'frame', body });
  if (typeof type !== 'string' || !KNOWN.has(type)) return undefined;
  const parsed = Event.safeParse(body);
  if (!parsed.success) throw cut(`A frame does not fit: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function finishOf(stopReason: string): Finish {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    case 'tool_use':
      return 'tool_calls';
    default:
      return 'stop';
  }
}

function usageOf(counts: z.infer<typeof Counts>): Usage {
  return {
    input: Math.max(0, counts.input_tokens ?? 0),
    output: Math.max(0, counts.output_tokens ?? 0),
    cacheRead: Math.max(0, counts.cache_read_input_tokens ?? 0),
    cacheWrite: Math.max(0, counts.cache_creation_input_tokens ?? 0),
    reasoning: 0,
  };
}

function textOf(call: CallBlock): string {
  return call.fragments.join('');
}

function isFilled(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0;
}

function cut(why: string): ModelFailure {
  return new ModelFailure({ at: 'cut', why });
}
