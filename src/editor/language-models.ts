import * as vscode from 'vscode';
import * as z from 'zod';
import { classify, failureOfWords } from '../agent/model/index.ts';
import type { ModelCall, ModelError, ModelPart, ModelRequest, ModelWire } from '../agent/model/types.ts';
import type { Usage } from '../api.ts';
import { cancellationOf } from './cancellation.ts';
import { languageModelMessages, languageModelTools } from './language-model-messages.ts';

/**
 * The wire over VS Code's language models. It has neither socket nor closing frame:
 * - cancelling only informs the provider, which may go on and then end as if complete. So reading stops at once on our
 *   own abort, and nothing but our own abort is believed to be one;
 * - the first request may open a consent dialog, so a request must come from something the user did;
 * - tool calls come whole, and there is no finish reason.
 */
export class LanguageModelWire implements ModelWire {
  readonly #select: () => Promise<vscode.LanguageModelChat | undefined>;

  constructor(select: () => Promise<vscode.LanguageModelChat | undefined>) {
    this.#select = select;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const cancellation = cancellationOf(signal);
    const until = new Abortable(signal);
    try {
      const chat = await until.race(this.#select());
      if (chat === aborted) return yield { type: 'aborted' };
      if (!chat) return yield { type: 'error', error: notFound(request.model) };
      const sent = chat.sendRequest(languageModelMessages(request), optionsOf(request), cancellation.token);
      const response = await until.race(sent);
      if (response === aborted) return yield { type: 'aborted' };
      yield* parts(response.stream, until);
    } catch (error) {
      yield signal.aborted ? { type: 'aborted' } : { type: 'error', error: describe(error, request.model) };
    } finally {
      until.dispose();
      cancellation[Symbol.dispose]();
    }
  }
}

async function* parts(stream: AsyncIterable<unknown>, until: Abortable): AsyncGenerator<ModelPart> {
  const iterator = stream[Symbol.asyncIterator]();
  const calls: ModelCall[] = [];
  let usage: Usage | undefined;
  let headed = false;
  for (;;) {
    const next = await until.race(iterator.next());
    if (next === aborted) return yield { type: 'aborted' };
    if (!headed) {
      headed = true;
      yield { type: 'head' };
    }
    if (next.done) break;
    const part = next.value;
    if (part instanceof vscode.LanguageModelTextPart) {
      yield { type: 'text', text: part.value };
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      yield { type: 'call_progress', index: calls.length, name: part.name, characters: 0 };
      calls.push(callOf(part));
    } else if (part instanceof vscode.LanguageModelDataPart && part.mimeType === 'usage') {
      usage = usageOf(part.data) ?? usage;
    }
    // Other data parts (state markers, encrypted thinking) are the provider's own and are shown to nobody.
  }
  yield {
    type: 'end',
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
    calls,
    thinking: [],
    ...(usage ? { usage } : {}),
  };
}

const aborted = Symbol('aborted');

/** Races many promises against one signal with a single listener: a long stream must not pile up reactions on it. */
class Abortable {
  readonly #signal: AbortSignal;
  #onAbort: () => void = () => {};
  readonly #listener = () => this.#onAbort();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#listener);
  }

  race<T>(work: Thenable<T>): Promise<T | typeof aborted> {
    return new Promise((resolve, reject) => {
      this.#onAbort = () => resolve(aborted);
      work.then(resolve, reject);
      if (this.#signal.aborted) resolve(aborted);
    });
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#listener);
  }
}

function optionsOf(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  return {
    justification: vscode.l10n.t('Midcourse sends your message to this model.'),
    ...(request.tools.length === 0 ? {} : { tools: languageModelTools(request.tools) }),
  };
}

function callOf(part: vscode.LanguageModelToolCallPart): ModelCall {
  const { callId, name, input } = part as { callId: string; name: string; input: unknown };
  return isRecord(input)
    ? { callId, name, input }
    : { callId, name, input: {}, invalidInput: JSON.stringify(input) ?? '' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const usagePart = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().optional() }).optional(),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().optional() }).optional(),
});

function usageOf(data: Uint8Array): Usage | undefined {
  const parsed = usagePart.safeParse(parseJson(data));
  if (!parsed.success) return undefined;
  const cacheRead = parsed.data.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    input: Math.max(0, parsed.data.prompt_tokens - cacheRead),
    output: parsed.data.completion_tokens,
    cacheRead,
    cacheWrite: 0,
    reasoning: parsed.data.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch {
    return undefined;
  }
}

function notFound(model: string): ModelError {
  return {
    kind: 'model_not_found',
    message: vscode.l10n.t(
      'VS Code has no language model {0} at the moment. Your message is kept. Select another model, or enable the extension that brings it.',
      model,
    ),
    detail: model,
    retryable: false,
    action: 'midcourse.selectModel',
  };
}

function describe(error: unknown, model: string): ModelError {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  if (code === 'NotFound') return notFound(model);
  if (code === 'NoPermissions') {
    return {
      kind: 'consent',
      message: vscode.l10n.t(
        'Midcourse was not allowed to use {0}. Your message is kept. Send again to be asked once more, or select another model.',
        model,
      ),
      detail,
      retryable: false,
      action: 'midcourse.selectModel',
    };
  }
  if (code === 'Blocked' || /quota/i.test(detail)) {
    return {
      kind: 'rate_limit',
      message: vscode.l10n.t(
        '{0} refuses requests for now (its quota is used up). Wait, or select another model.',
        model,
      ),
      detail,
      retryable: code !== 'Blocked',
      action: 'midcourse.selectModel',
    };
  }
  return classify(failureOfWords(wordsOf(error)), { host: 'VS Code', model, hasKey: false, secrets: [] });
}

/** The words of an error and of what caused it: the extension's own error often stands only there. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = error.message === '' ? error.name : error.message;
  return error.cause instanceof Error && error.cause.message !== error.message
    ? `${words}: ${wordsOf(error.cause)}`
    : words;
}
