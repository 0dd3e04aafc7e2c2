/** Frames of `/v1/chat/completions`. */

import { type Frames, fragments } from './frames.ts';
import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

export class OpenAiFrames implements Frames {
  readonly #id: string;
  readonly #model: string;
  readonly #includeUsage: boolean;
  #calls = 0;
  #deltas = 0;
  #usage: ScriptUsage;

  constructor(options: { id: string; model: string; includeUsage: boolean; usage: ScriptUsage }) {
    this.#id = options.id;
    this.#model = options.model;
    this.#includeUsage = options.includeUsage;
    this.#usage = options.usage;
  }

  open(): readonly string[] {
    return [this.#delta({ role: 'assistant', content: '' })];
  }

  text(text: string): readonly string[] {
    this.#deltas++;
    return [this.#delta({ content: text })];
  }

  reasoning(text: string): readonly string[] {
    this.#deltas++;
    return [this.#delta({ reasoning_content: text })];
  }

  call(call: ScriptCall): readonly string[] {
    const index = this.#calls++;
    this.#deltas++;
    const id = call.id ?? `call_${this.#id}_${index}`;
    const head = { index, id, type: 'function', function: { name: call.name, arguments: '' } };
    return [
      this.#delta({ tool_calls: [head] }),
      ...fragments(call).map((part) => this.#delta({ tool_calls: [{ index, function: { arguments: part } }] })),
    ];
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string; code?: string | undefined }): readonly string[] {
    return [frame({ error: { message: error.message, type: error.type, code: error.code ?? null } })];
  }

  close(finish?: Finish): readonly string[] {
    const reason = finish ?? (this.#calls > 0 ? 'tool_calls' : 'stop');
    const ending = [this.#delta({}, reason)];
    if (this.#includeUsage) ending.push(this.#usageFrame());
    return [...ending, 'data: [DONE]\n\n'];
  }

  #delta(delta: object, finish: Finish | null = null): string {
    return frame({ ...this.#base(), choices: [{ index: 0, delta, finish_reason: finish }] });
  }

  #usageFrame(): string {
    const { input = 10, output = this.#deltas, cacheRead = 0, reasoning = 0 } = this.#usage;
    return frame({
      ...this.#base(),
      choices: [],
      usage: {
        prompt_tokens: input + cacheRead,
        completion_tokens: output,
        total_tokens: input + cacheRead + output,
        prompt_tokens_details: { cached_tokens: cacheRead },
        completion_tokens_details: { reasoning_tokens: reasoning },
      },
    });
  }

  #base(): object {
    return { id: `chatcmpl-${this.#id}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: this.#model };
  }
}

function frame(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}
