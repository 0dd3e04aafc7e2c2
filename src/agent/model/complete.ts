import type { ModelPort } from '../turn/types.ts';
import type { Completion, CompletionPort, CompletionRequest } from './completion.ts';
import type { ModelPart, ModelRequest } from './types.ts';

/** Tokens of an answer when nobody says. */
const USUAL_OUTPUT = 4096;

const SYSTEM = 'Answer what you are asked, briefly and exactly.';

/**
 * Questions to the user's models, one request each: what the wire itself tries again is all that is tried again.
 *
 * @param models the window's, with its keys and fallbacks
 */
export function completionPort(models: Pick<ModelPort, 'resolve'>): CompletionPort {
  return { complete: (request, signal) => complete(models, request, signal) };
}

async function complete(
  models: Pick<ModelPort, 'resolve'>,
  { system, prompt, model: ref, maxOutput }: CompletionRequest,
  signal: AbortSignal,
): Promise<Completion> {
  signal.throwIfAborted();
  const model = await models.resolve(ref);
  if ('error' in model) throw new Error(model.error.message);
  const most = Math.min(maxOutput ?? USUAL_OUTPUT, model.maxOutput ?? Number.POSITIVE_INFINITY);
  const request: ModelRequest = {
    model: model.model,
    system: system ?? SYSTEM,
    messages: [{ role: 'user', text: prompt }],
    tools: [],
    maxOutput: most,
    cacheKey: `completion-${crypto.randomUUID()}`,
    once: true,
  };
  let text = '';
  for await (const part of model.wire.stream(request, signal)) {
    if (part.type === 'restart') text = '';
    if (part.type === 'text') text += part.text;
    const end = endOf(part, signal);
    if (end) return { text, model: model.ref, ...end };
  }
  throw new Error('The connection to the model was lost before it had answered.');
}

/** @throws when the request has failed, was aborted, or its answer is not whole */
function endOf(part: ModelPart, signal: AbortSignal): Pick<Completion, 'usage'> | undefined {
  switch (part.type) {
    case 'end':
      if (part.finish === 'content_filter') throw new Error('The provider withheld the answer by its content rules.');
      return part.usage ? { usage: { input: part.usage.input, output: part.usage.output } } : {};
    case 'error':
      throw new Error(part.error.message);
    case 'aborted':
      throw signal.reason instanceof Error ? signal.reason : new Error('The question was withdrawn.');
    default:
      return undefined;
  }
}
