/** Puts the events of a Messages stream together. */

import type { Finish, ModelPart, SignedThinking } from '../../types.ts';
import { callOf, readArguments } from '../arguments.ts';
import type { Assembler } from '../exchange/exchange.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { cut } from '../frames.ts';
import { sealRedacted, sealThinking, sealUnsigned } from '../sealed-thinking.ts';
import { type BlockPlace, sealOrder } from './block-order.ts';
import {
  type BlockDelta,
  finishOf,
  isIntervention,
  type MessageCounts,
  parseMessageEvent,
  type StartedBlock,
  usageOfMessages,
} from './events.ts';

interface CallBlock {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** Position among the calls. */
  readonly order: number;
  readonly fragments: string[];
  characters: number;
  stopped: boolean;
}

type Block =
  | { readonly type: 'text'; characters: number; stopped: boolean }
  | { readonly type: 'thinking'; text: string; signature: string; stopped: boolean }
  | { readonly type: 'redacted'; readonly data: string; stopped: boolean }
  | CallBlock;

export interface MessageAssembly {
  /** Who signs the thinking. */
  readonly host: string;
  /** Thinking without a signature is wanted back too. */
  readonly keepsUnsigned: boolean;
}

export class MessageAssembler implements Assembler {
  readonly #assembly: MessageAssembly;
  readonly #blocks = new Map<number, Block>();
  #started = false;
  #stopped = false;
  #stopReason: string | undefined;
  #intervened = false;
  #usage: MessageCounts | undefined;
  #responseId: string | undefined;

  constructor(assembly: MessageAssembly) {
    this.#assembly = assembly;
  }

  get closed(): boolean {
    return this.#stopped;
  }

  get responseId(): string | undefined {
    return this.#responseId;
  }

  get begun(): readonly string[] {
    return this.#calls().map(({ name }) => name);
  }

  startsOver({ data }: ServerEvent): boolean {
    return this.#started && data.includes('"message_start"') && /"type"\s*:\s*"message_start"/.test(data);
  }

  *push(event: ServerEvent): Generator<ModelPart> {
    const parsed = parseMessageEvent(event);
    if (parsed === undefined) return;
    this.#intervened ||= isIntervention(parsed);
    switch (parsed.type) {
      case 'message_start':
        this.#started = true;
        this.#responseId = parsed.message.id;
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
        if (block !== undefined) block.stopped = true;
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
    const finish = this.#wholeFinish();
    const written = this.#calls();
    const calls = finish === 'tool_calls' ? written.map((call) => callOf({ ...call, text: textOf(call) })) : [];
    const dropped = finish === 'tool_calls' ? [] : this.begun;
    return {
      type: 'end',
      finish,
      calls,
      thinking: this.#thinking(),
      ...(dropped.length > 0 && { droppedCalls: dropped }),
      ...this.usage(),
    };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: usageOfMessages(this.#usage) };
  }

  /** Throws when the answer is not whole. */
  #wholeFinish(): Finish {
    const calls = this.#calls();
    const finish = this.#saidFinish(calls.length > 0);
    if (finish === 'length' || finish === 'content_filter') return finish;
    const open = calls.filter(({ stopped }) => !stopped);
    if (open.length > 0) throw cut(`The call of ${open.map(({ name }) => name).join(', ')} was not closed.`);
    // Closed properly and still unfinished: the output limit cut it.
    if (calls.some((call) => readArguments(textOf(call)).is === 'unfinished')) return 'length';
    return calls.length > 0 ? 'tool_calls' : 'stop';
  }

  #saidFinish(hasCalls: boolean): Finish {
    if (this.#intervened) return 'content_filter';
    const blocks = [...this.#blocks.values()];
    if (this.#stopReason !== undefined) {
      const finish = finishOf(this.#stopReason);
      const mayBeEmpty = this.#stopReason === 'end_turn' || finish === 'content_filter' || finish === 'length';
      if (blocks.length === 0 && !mayBeEmpty) throw cut(`An answer without content ended as ${this.#stopReason}.`);
      return finish;
    }
    if (blocks.length === 0) throw cut('The stream was empty.');
    // Text whose every block was closed is an answer: some servers end there.
    const isClosedText =
      !hasCalls && blocks.some(({ type }) => type === 'text') && blocks.every((each) => each.stopped);
    if (isClosedText) return 'stop';
    throw cut('The stream ended without a stop reason.');
  }

  /** What goes back with the next request, in its order, and behind it where in the answer it stood. */
  #thinking(): SignedThinking[] {
    const { host, keepsUnsigned } = this.#assembly;
    const places: BlockPlace[] = [];
    const thinking: SignedThinking[] = [];
    for (const block of this.#blocks.values()) {
      if (block.type === 'call') places.push('call');
      else if (block.type === 'text') places.push(block.characters);
      else {
        const sealed =
          block.type === 'redacted'
            ? sealRedacted(block.data, host)
            : block.signature !== ''
              ? sealThinking(block.text, block.signature, host)
              : keepsUnsigned && block.text !== ''
                ? sealUnsigned(block.text, host)
                : undefined;
        if (sealed === undefined) continue;
        places.push('thinking');
        thinking.push(sealed);
      }
    }
    const order = sealOrder(places, host);
    return order === undefined ? thinking : [...thinking, order];
  }

  #calls(): CallBlock[] {
    return [...this.#blocks.values()].filter((block) => block.type === 'call');
  }

  *#start(index: number, started: StartedBlock | undefined): Generator<ModelPart> {
    switch (started?.type) {
      case undefined:
        return;
      case 'text':
        this.#blocks.set(index, { type: 'text', characters: started.text.length, stopped: false });
        if (started.text !== '') yield { type: 'text', text: started.text };
        return;
      case 'thinking': {
        const { thinking: text, signature } = started;
        this.#blocks.set(index, { type: 'thinking', text, signature, stopped: false });
        if (text !== '') yield { type: 'reasoning', text };
        return;
      }
      case 'redacted_thinking':
        this.#blocks.set(index, { type: 'redacted', data: started.data, stopped: false });
        return;
      case 'tool_use': {
        const order = this.#calls().length;
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

  *#extend(block: Block | undefined, delta: BlockDelta | undefined): Generator<ModelPart> {
    if (delta?.type === 'text_delta' && block?.type === 'text') {
      block.characters += delta.text.length;
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
  #count(counts: MessageCounts | null | undefined): void {
    if (!counts) return;
    const said = Object.entries(counts).filter(([, count]) => typeof count === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
  }
}

function textOf(call: CallBlock): string {
  return call.fragments.join('');
}

function isFilled(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0;
}
