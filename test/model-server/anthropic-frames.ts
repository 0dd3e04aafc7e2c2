/** Frames of `/v1/messages`. */

import { type Frames, fragments } from './frames.ts';
import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

const STOP_REASON = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' };

export class AnthropicFrames implements Frames {
  readonly #id: string;
  readonly #model: string;
  #open: 'text' | 'thinking' | undefined;
  #index = -1;
  #calls = 0;
  #deltas = 0;
  #usage: ScriptUsage;

  constructor(options: { id: string; model: string; usage: ScriptUsage }) {
    this.#id = options.id;
    this.#model = options.model;
    this.#usage = options.usage;
  }

  open(): readonly string[] {
    const { input = 10, cacheRead = 0, cacheWrite = 0 } = this.#usage;
    const usage = {
      input_tokens: input,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
      output_tokens: 1,
    };
    const message = {
      id: `msg_${this.#id}`,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return [frame({ type: 'message_start', message }), frame({ type: 'ping' })];
  }

  text(text: string): readonly string[] {
    return [...this.#enter('text', { type: 'text', text: '' }), this.#delta({ type: 'text_delta', text })];
  }

  reasoning(text: string): readonly string[] {
    const start = { type: 'thinking', thinking: '', signature: '' };
    return [...this.#enter('thinking', start), this.#delta({ type: 'thinking_delta', thinking: text })];
  }

  call(call: ScriptCall): readonly string[] {
    const before = this.#leave();
    const id = call.id ?? `toolu_${this.#id}_${this.#calls}`;
    this.#calls++;
    this.#index++;
    const block = { type: 'tool_use', id, name: call.name, input: {} };
    return [
      ...before,
      this.#start(block),
      this.#delta({ type: 'input_json_delta', partial_json: '' }),
      ...fragments(call).map((part) => this.#delta({ type: 'input_json_delta', partial_json: part })),
      frame({ type: 'content_block_stop', index: this.#index }),
    ];
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string }): readonly string[] {
    return [frame({ type: 'error', error: { type: error.type, message: error.message } })];
  }

  close(finish?: Finish): readonly string[] {
    const reason = finish ?? (this.#calls > 0 ? 'tool_calls' : 'stop');
    const delta = { stop_reason: STOP_REASON[reason], stop_sequence: null };
    const usage = { output_tokens: this.#usage.output ?? this.#deltas };
    return [...this.#leave(), frame({ type: 'message_delta', delta, usage }), frame({ type: 'message_stop' })];
  }

  #enter(kind: 'text' | 'thinking', block: object): readonly string[] {
    if (this.#open === kind) return [];
    const before = this.#leave();
    this.#open = kind;
    this.#index++;
    return [...before, this.#start(block)];
  }

  #leave(): readonly string[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    const stop = frame({ type: 'content_block_stop', index: this.#index });
    if (open === 'text') return [stop];
    return [this.#delta({ type: 'signature_delta', signature: `signed-${this.#id}-${this.#index}` }), stop];
  }

  #start(block: object): string {
    return frame({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #delta(delta: object): string {
    this.#deltas++;
    return frame({ type: 'content_block_delta', index: this.#index, delta });
  }
}

function frame<Body extends { readonly type: string }>(body: Body): string {
  return `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
}
