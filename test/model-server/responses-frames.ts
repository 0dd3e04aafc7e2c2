/** Frames of `/v1/responses`: each output item is announced, filled by deltas and repeated whole when it is done. */

import { type Frames, fragments } from './frames.ts';
import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

interface Options {
  readonly id: string;
  readonly model: string;
  readonly usage: ScriptUsage;
  /** Whether the request asked for `reasoning.encrypted_content`. */
  readonly encrypted: boolean;
}

type Item = Readonly<Record<string, unknown>>;

/** What the sealed content of this server begins with; anything else it refuses as not its own. */
export const SEAL = 'gAAAA';

export class ResponsesFrames implements Frames {
  readonly #options: Options;
  readonly #output: Item[] = [];
  /** The item that deltas go to. */
  #open: { readonly kind: 'message' | 'reasoning'; readonly id: string; text: string } | undefined;
  #usage: ScriptUsage;
  /** The first two are those of the opening, which a script's first step may come before. */
  #sequence = 2;
  #calls = 0;
  #deltas = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#usage = options.usage;
  }

  open(): readonly string[] {
    const response = this.#response('in_progress');
    return ['response.created', 'response.in_progress'].map((type, sequence_number) =>
      responsesEvent(type, { sequence_number, response }),
    );
  }

  text(text: string): readonly string[] {
    this.#deltas++;
    const before = this.#enter('message');
    return [...before, this.#delta('response.output_text.delta', { ...CONTENT, delta: text, logprobs: [] }, text)];
  }

  reasoning(text: string): readonly string[] {
    this.#deltas++;
    const before = this.#enter('reasoning');
    return [...before, this.#delta('response.reasoning_summary_text.delta', { ...SUMMARY, delta: text }, text)];
  }

  call(call: ScriptCall): readonly string[] {
    const before = this.#leave();
    this.#deltas++;
    const index = this.#calls++;
    const callId = call.id ?? `call_${this.#options.id}_${index}`;
    const id = callId === '' ? '' : `fc_${this.#options.id}_${index}`;
    const parts = fragments(call);
    const item = { id, type: 'function_call', status: 'in_progress', arguments: '', call_id: callId, name: call.name };
    const done = { ...item, status: 'completed', arguments: parts.join('') };
    const at = { item_id: id, output_index: this.#output.length };
    const frames = [
      ...before,
      this.#frame('response.output_item.added', { output_index: at.output_index, item }),
      ...parts.map((delta) => this.#frame('response.function_call_arguments.delta', { ...at, delta })),
      this.#frame('response.function_call_arguments.done', { ...at, name: call.name, arguments: done.arguments }),
      this.#frame('response.output_item.done', { output_index: at.output_index, item: done }),
    ];
    this.#output.push(done);
    return frames;
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string; code?: string | undefined }): readonly string[] {
    return [this.#frame('error', { code: error.code ?? error.type, message: error.message, param: null })];
  }

  close(finish?: Finish): readonly string[] {
    const before = this.#leave();
    if (finish === 'length' || finish === 'content_filter') {
      const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
      const response = { ...this.#response('incomplete'), incomplete_details: { reason } };
      return [...before, this.#frame('response.incomplete', { response })];
    }
    return [...before, this.#frame('response.completed', { response: this.#response('completed') })];
  }

  #enter(kind: 'message' | 'reasoning'): readonly string[] {
    if (this.#open?.kind === kind) return [];
    const before = this.#leave();
    const index = this.#output.length;
    const id = `${kind === 'message' ? 'msg' : 'rs'}_${this.#options.id}_${index}`;
    this.#open = { kind, id, text: '' };
    const item = this.#item('in_progress');
    return [
      ...before,
      this.#frame('response.output_item.added', { output_index: index, item }),
      kind === 'message'
        ? this.#frame('response.content_part.added', { ...CONTENT, ...this.#at(), part: textPart('') })
        : this.#frame('response.reasoning_summary_part.added', { ...SUMMARY, ...this.#at(), part: summaryPart('') }),
    ];
  }

  #leave(): readonly string[] {
    const open = this.#open;
    if (open === undefined) return [];
    const { text } = open;
    const at = this.#at();
    const item = this.#item('completed');
    const closing =
      open.kind === 'message'
        ? [
            this.#frame('response.output_text.done', { ...CONTENT, ...at, text, logprobs: [] }),
            this.#frame('response.content_part.done', { ...CONTENT, ...at, part: textPart(text) }),
          ]
        : [
            this.#frame('response.reasoning_summary_text.done', { ...SUMMARY, ...at, text }),
            this.#frame('response.reasoning_summary_part.done', { ...SUMMARY, ...at, part: summaryPart(text) }),
          ];
    const done = this.#frame('response.output_item.done', { output_index: at.output_index, item });
    this.#output.push(item);
    this.#open = undefined;
    return [...closing, done];
  }

  #item(status: 'in_progress' | 'completed'): Item {
    const { kind, id, text } = this.#open ?? { kind: 'message', id: '', text: '' };
    const done = status === 'completed';
    if (kind === 'message')
      return { id, type: 'message', status, content: done ? [textPart(text)] : [], role: 'assistant' };
    const sealed = this.#options.encrypted ? { encrypted_content: `${SEAL}-${id}` } : {};
    return { id, type: 'reasoning', ...sealed, summary: done ? [summaryPart(text)] : [] };
  }

  #at(): { readonly item_id: string; readonly output_index: number } {
    return { item_id: this.#open?.id ?? '', output_index: this.#output.length };
  }

  #delta(type: string, fields: object, text: string): string {
    if (this.#open !== undefined) this.#open.text += text;
    return this.#frame(type, { ...this.#at(), ...fields });
  }

  #response(status: 'in_progress' | 'completed' | 'incomplete'): object {
    const { id, model } = this.#options;
    const over = status !== 'in_progress';
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: 1_700_000_000,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      model,
      output: over ? this.#output : [],
      parallel_tool_calls: true,
      store: false,
      temperature: 1,
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      usage: over ? this.#counted() : null,
    };
  }

  #counted(): object {
    const { input = 10, output = this.#deltas, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = this.#usage;
    const all = input + cacheRead + cacheWrite;
    return {
      input_tokens: all,
      input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: all + output,
    };
  }

  #frame(type: string, fields: object): string {
    return responsesEvent(type, { sequence_number: this.#sequence++, ...fields });
  }
}

/** One event as the API writes it; for scripts that send their own. */
export function responsesEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const CONTENT = { content_index: 0 };
const SUMMARY = { summary_index: 0 };

function textPart(text: string): object {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function summaryPart(text: string): object {
  return { type: 'summary_text', text };
}
