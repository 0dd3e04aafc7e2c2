/** Frames of `/model/<id>/converse-stream`, in AWS's binary encoding, and the one answer of `/model/<id>/converse`. */

import { EventStreamCodec } from '@smithy/core/event-streams';
import { type Frames, fragments } from './frames.ts';
import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

export const EVENT_STREAM = 'application/vnd.amazon.eventstream';

const STOP_REASON = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'guardrail_intervened',
};

const EXCEPTION: Readonly<Record<string, string>> = {
  invalid_request_error: 'validationException',
  rate_limit_error: 'throttlingException',
  overloaded_error: 'serviceUnavailableException',
};

interface Options {
  readonly id: string;
  readonly usage: ScriptUsage;
}

export class ConverseStreamFrames implements Frames {
  readonly #id: string;
  #open: 'text' | 'thinking' | undefined;
  #index = -1;
  #calls = 0;
  #deltas = 0;
  #usage: ScriptUsage;

  /** One event, for what no script writes. */
  static event(type: string, body: object): Uint8Array {
    return event(type, body);
  }

  static exception(type: string, body: object): Uint8Array {
    return encoded({ ':message-type': 'exception', ':exception-type': type }, body);
  }

  constructor(options: Options) {
    this.#id = options.id;
    this.#usage = options.usage;
  }

  open(): readonly Uint8Array[] {
    return [event('messageStart', { role: 'assistant' })];
  }

  text(text: string): readonly Uint8Array[] {
    return [...this.#enter('text'), this.#delta({ text })];
  }

  reasoning(text: string): readonly Uint8Array[] {
    return [...this.#enter('thinking'), this.#delta({ reasoningContent: { text } })];
  }

  call(call: ScriptCall): readonly Uint8Array[] {
    const before = this.#leave();
    const toolUseId = call.id ?? `tooluse_${this.#id}_${this.#calls}`;
    this.#calls++;
    this.#index++;
    const at = { contentBlockIndex: this.#index };
    return [
      ...before,
      event('contentBlockStart', { ...at, start: { toolUse: { toolUseId, name: call.name } } }),
      ...fragments(call).map((input) => this.#delta({ toolUse: { input } })),
      event('contentBlockStop', at),
    ];
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string }): readonly Uint8Array[] {
    const name = EXCEPTION[error.type] ?? (error.type.endsWith('Exception') ? error.type : 'internalServerException');
    return [ConverseStreamFrames.exception(name, { message: error.message })];
  }

  close(finish?: Finish): readonly Uint8Array[] {
    const reason = finish ?? (this.#calls > 0 ? 'tool_calls' : 'stop');
    return [
      ...this.#leave(),
      event('messageStop', { stopReason: STOP_REASON[reason] }),
      event('metadata', { usage: usageOf(this.#usage, this.#deltas), metrics: { latencyMs: 1 } }),
    ];
  }

  /** Blocks of text and thinking begin with their first delta. */
  #enter(kind: 'text' | 'thinking'): readonly Uint8Array[] {
    if (this.#open === kind) return [];
    const before = this.#leave();
    this.#open = kind;
    this.#index++;
    return before;
  }

  #leave(): readonly Uint8Array[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    const stop = event('contentBlockStop', { contentBlockIndex: this.#index });
    if (open === 'text') return [stop];
    return [this.#delta({ reasoningContent: { signature: `signed-${this.#id}-${this.#index}` } }), stop];
  }

  #delta(delta: object): Uint8Array {
    this.#deltas++;
    return event('contentBlockDelta', { contentBlockIndex: this.#index, delta });
  }
}

/** Says nothing until it can say all. */
export class ConverseFrames implements Frames {
  readonly #id: string;
  readonly #content: object[] = [];
  #calls = 0;
  #usage: ScriptUsage;

  constructor(options: Options) {
    this.#id = options.id;
    this.#usage = options.usage;
  }

  open(): readonly string[] {
    return [];
  }

  text(text: string): readonly string[] {
    this.#content.push({ text });
    return [];
  }

  reasoning(text: string): readonly string[] {
    this.#content.push({ reasoningContent: { reasoningText: { text, signature: `signed-${this.#id}` } } });
    return [];
  }

  call(call: ScriptCall): readonly string[] {
    const toolUseId = call.id ?? `tooluse_${this.#id}_${this.#calls++}`;
    const input: unknown = JSON.parse(fragments(call).join('') || '{}');
    this.#content.push({ toolUse: { toolUseId, name: call.name, input } });
    return [];
  }

  usage(usage: ScriptUsage): void {
    this.#usage = usage;
  }

  error(error: { type: string; message: string }): readonly string[] {
    return [JSON.stringify({ message: error.message })];
  }

  close(finish?: Finish): readonly string[] {
    const reason = finish ?? (this.#content.some((block) => 'toolUse' in block) ? 'tool_calls' : 'stop');
    const output = { message: { role: 'assistant', content: this.#content } };
    const usage = usageOf(this.#usage, this.#content.length);
    return [JSON.stringify({ output, stopReason: STOP_REASON[reason], usage, metrics: { latencyMs: 1 } })];
  }
}

function usageOf({ input = 10, output, cacheRead, cacheWrite }: ScriptUsage, deltas: number): object {
  const outputTokens = output ?? deltas;
  return {
    inputTokens: input,
    outputTokens,
    totalTokens: input + outputTokens + (cacheRead ?? 0) + (cacheWrite ?? 0),
    ...(cacheRead !== undefined && { cacheReadInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteInputTokens: cacheWrite }),
  };
}

function event(type: string, body: object): Uint8Array {
  return encoded({ ':message-type': 'event', ':event-type': type }, body);
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

function encoded(names: Readonly<Record<string, string>>, body: object): Uint8Array {
  const headers = Object.entries({ ...names, ':content-type': 'application/json' }).map(
    ([name, value]) => [name, { type: 'string', value }] as const,
  );
  return codec.encode({ headers: Object.fromEntries(headers), body: Buffer.from(JSON.stringify(body)) });
}
