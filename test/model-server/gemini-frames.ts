/** Frames of `:streamGenerateContent?alt=sse`. */

import type { Frames } from './frames.ts';
import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

const FINISH_REASON = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' };

const STATUS: Readonly<Record<string, readonly [number, string]>> = {
  invalid_request_error: [400, 'INVALID_ARGUMENT'],
  authentication_error: [401, 'UNAUTHENTICATED'],
  not_found_error: [404, 'NOT_FOUND'],
  rate_limit_error: [429, 'RESOURCE_EXHAUSTED'],
  overloaded_error: [503, 'UNAVAILABLE'],
};

export class GeminiFrames implements Frames {
  readonly #id: string;
  readonly #model: string;
  /** Signs its calls and says their ids, as version 3 does. */
  readonly #signs: boolean;
  #usage: ScriptUsage;
  #deltas = 0;
  #calls = 0;

  constructor(options: { id: string; model: string; usage: ScriptUsage; signs: boolean }) {
    this.#id = options.id;
    this.#model = options.model;
    this.#usage = options.usage;
    this.#signs = options.signs;
  }

  open(): readonly string[] {
    return [];
  }

  text(text: string): readonly string[] {
    return [this.#part({ text })];
  }

  reasoning(text: string): readonly string[] {
    return [this.#part({ text, thought: true })];
  }

  /** Whole, in one chunk: this API streams no arguments. */
  call(call: ScriptCall): readonly string[] {
    const index = this.#calls++;
    const id = call.id ?? (this.#signs ? `fc_${this.#id}_${index}` : '');
    const functionCall = { ...(id !== '' && { id }), name: call.name, ...argumentsOf(call) };
    // Of a batch only the first call is signed.
    const signed = this.#signs && index === 0;
    return [this.#part({ functionCall, ...(signed && { thoughtSignature: `signed-${this.#id}` }) })];
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string }): readonly string[] {
    return [frame({ error: errorOf(error) })];
  }

  close(finish: Finish = 'stop'): readonly string[] {
    const candidate = { content: { parts: [{ text: '' }], role: 'model' }, finishReason: FINISH_REASON[finish] };
    return [this.#chunk(candidate)];
  }

  #part(part: object): string {
    this.#deltas++;
    return this.#chunk({ content: { parts: [part], role: 'model' } });
  }

  #chunk(candidate: object): string {
    const { input = 10, output, cacheRead = 0, reasoning = 0 } = this.#usage;
    const candidates = output === undefined ? this.#deltas : Math.max(0, output - reasoning);
    const usageMetadata = {
      promptTokenCount: input + cacheRead,
      candidatesTokenCount: candidates,
      totalTokenCount: input + cacheRead + candidates + reasoning,
      ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
      ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    };
    const chunk = { candidates: [{ ...candidate, index: 0 }], usageMetadata, modelVersion: this.#model };
    return frame({ ...chunk, responseId: this.#id });
  }
}

/** Bytes that are no JSON have no place in this API; a script's are sent as text, as some servers in between do. */
function argumentsOf(call: ScriptCall): object {
  if (call.arguments === undefined) return { args: call.input ?? {} };
  if (call.arguments === '') return {};
  try {
    return { args: JSON.parse(call.arguments) };
  } catch {
    return { args: call.arguments };
  }
}

/** The API's own shape of an error. */
export function errorOf(error: { type: string; message: string; status?: number }): object {
  const [code, status] = STATUS[error.type] ?? [error.status ?? 500, 'INTERNAL'];
  return { code: error.status ?? code, message: error.message, status };
}

function frame(body: object): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}
