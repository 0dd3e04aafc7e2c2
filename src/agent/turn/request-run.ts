/**
 * One attempt of one model request, from the history to the event that tells the machine what came of it.
 */

import type { LoopEvent } from '../control/index.ts';
import { addUsage, nextDelay, withCost } from '../model/index.ts';
import type { ModelCall, ModelError, ModelPart, ModelRequest } from '../model/types.ts';
import { planBatch, toolSpecs } from '../tools/index.ts';
import { tooLong } from './compaction-run.ts';
import type { ContextWatch } from './context-watch.ts';
import type { LiveTurn } from './live-turn.ts';
import type { AgentPorts, ResolvedModel } from './types.ts';

export interface RequestContext {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly modelRef: string | undefined;
  readonly turn: LiveTurn;
  readonly watch: ContextWatch;
  /** False once the turn has compacted. */
  readonly mayCompact: boolean;
  /** The newest row that the model is sent. */
  readonly upTo: number;
  messages(): ModelRequest['messages'];
  hasCall(callId: string): boolean;
  /** Feeds the machine; events of an attempt that is over change nothing there. */
  tell(event: LoopEvent): void;
  delta(part: 'text' | 'reasoning', text: string): void;
  callProgress(name: string, characters: number): void;
  /** Something for the user that is not part of the conversation. */
  notice(kind: string, text: string): void;
}

/** Never rejects: every failure becomes a `failed` event. */
export async function runRequest(
  context: RequestContext,
  of: { readonly turnId: string; readonly request: number; readonly attempt: number },
): Promise<void> {
  const { turn, ports } = context;
  const controller = new AbortController();
  turn.requestController = controller;
  turn.request = of.request;
  turn.attempt = of.attempt;
  turn.text = '';
  turn.reasoning = '';
  turn.answer = undefined;
  // What an earlier attempt failed with is over once the request is asked again.
  turn.error = undefined;

  const model = turn.model ?? (await ports.models.resolve(context.modelRef));
  if (controller.signal.aborted) return;
  const { mayCompact, watch } = context;
  if (mayCompact && !('error' in model) && watch.isTooLong(limitOf(ports, model), model.contextWindow)) {
    turn.model = model;
    return context.tell({ type: 'compacting', ...of });
  }
  turn.attempts += 1;
  if ('error' in model) return fail(context, of, model.error);
  turn.model = model;

  const request: ModelRequest = {
    model: model.model,
    system: ports.systemPrompt(),
    messages: context.messages(),
    tools: ports.settings().toolsOff === undefined ? toolSpecs(ports.tools.list()) : [],
    cacheKey: context.sessionId,
    ...(model.maxOutput === undefined ? {} : { maxOutput: model.maxOutput }),
  };
  let ended = false;
  for await (const part of model.wire.stream(request, controller.signal)) {
    // What arrives after the abort belongs to nobody; the wire ends by itself.
    if (controller.signal.aborted) return;
    ended = onPart(context, of, part);
    if (ended) break;
  }
  if (!ended && !controller.signal.aborted) fail(context, of, CUT);
}

/** Tokens above which the conversation is compacted first; 0 for never. */
function limitOf(ports: AgentPorts, model: ResolvedModel): number {
  return (model.contextWindow * ports.settings().compactionThreshold) / 100;
}

const CUT: ModelError = {
  kind: 'stream_cut',
  message: 'The connection to the model was lost in the middle of its answer. Nothing of it was run.',
  detail: 'the wire ended without a closing part',
  retryable: true,
};

/** True when the attempt is over. */
function onPart(
  context: RequestContext,
  of: { turnId: string; request: number; attempt: number },
  part: ModelPart,
): boolean {
  const { turn } = context;
  switch (part.type) {
    case 'head':
      context.tell({ type: 'head', ...of });
      return false;
    case 'text':
      turn.text += part.text;
      context.delta('text', part.text);
      return false;
    case 'reasoning':
      turn.reasoning += part.text;
      context.delta('reasoning', part.text);
      return false;
    case 'call_progress':
      context.callProgress(part.name, part.characters);
      return false;
    case 'end':
      charge(context, part.usage);
      answered(context, of, part);
      return true;
    case 'error':
      charge(context, part.usage);
      fail(context, of, part.error);
      return true;
    case 'aborted':
      return true;
    default:
      return part satisfies never;
  }
}

function charge(
  { turn, ports, watch, upTo }: RequestContext,
  usage: Extract<ModelPart, { type: 'end' }>['usage'],
): void {
  if (!usage) return;
  turn.usage = addUsage(turn.usage, withCost(usage, turn.model?.price));
  turn.contextTokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  watch.read(turn.contextTokens, upTo, turn.model ? limitOf(ports, turn.model) : 0);
}

function answered(
  context: RequestContext,
  of: { turnId: string; request: number; attempt: number },
  end: Extract<ModelPart, { type: 'end' }>,
): void {
  const { turn, ports } = context;
  if (end.finish === 'content_filter') return fail(context, of, FILTERED);
  const calls = uniqueCalls(context, end.calls, of.request);
  turn.answer = { text: turn.text, thinking: end.thinking, calls };
  if (turn.text !== '') turn.finalText = turn.text;
  const substance = turn.text.trim() !== '' || calls.length > 0;
  if (end.finish === 'length') {
    if (!substance) return fail(context, of, OUTPUT_LIMIT);
    context.notice('output_limit', OUTPUT_LIMIT.message);
  }
  if (!substance && of.attempt === 1) {
    // Once more: models sometimes end without a word.
    return context.tell({ type: 'failed', ...of, retry: { ms: 0, retryAfter: false }, exit: 'no_answer' });
  }
  for (const call of calls) {
    turn.calls.set(call.callId, {
      call,
      controller: new AbortController(),
      killController: new AbortController(),
      yieldController: new AbortController(),
      tool: ports.tools.find(call.name),
      input: undefined,
      label: call.name,
      startedAt: ports.clock.now(),
      output: '',
    });
  }
  const plan = planBatch(calls, ports.tools);
  context.tell({
    type: 'answered',
    ...of,
    calls: plan.map(({ callId, segment }) => ({ id: callId, segment })),
    substance,
  });
}

const FILTERED: ModelError = {
  kind: 'content_policy',
  message:
    'The provider withheld the answer because of its content rules. Rephrase the request or choose another model.',
  detail: 'finish reason content_filter',
  retryable: false,
  action: 'midcourse.selectModel',
};

const OUTPUT_LIMIT: ModelError = {
  kind: 'bad_request',
  message:
    'The answer reached the output limit of the model and ends here; a call it was writing was not run. ' +
    'Ask it to go on in smaller steps, or raise maxOutput of the model in midcourse.providers.',
  detail: 'finish reason length',
  retryable: false,
};

/** Providers reuse call ids between requests; in one session each id stands for one call. */
function uniqueCalls(context: RequestContext, calls: readonly ModelCall[], request: number): readonly ModelCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const repeated = taken.has(call.callId) || context.hasCall(call.callId) || context.turn.calls.has(call.callId);
    const callId = repeated
      ? `${call.callId.slice(0, 40)}_r${request}_${index}_${context.turn.id.slice(-8)}`
      : call.callId;
    taken.add(callId);
    return { ...call, callId };
  });
}

function fail(
  context: RequestContext,
  of: { turnId: string; request: number; attempt: number },
  error: ModelError,
): void {
  const { turn, ports } = context;
  ports.log.warn(`request ${of.request} attempt ${of.attempt} of ${of.turnId} failed: ${error.kind}: ${error.detail}`);
  const { message, kind, action } = stillTooLong(turn, error);
  turn.error = { kind, message, ...(action === undefined ? {} : { action }) };
  const decision = nextDelay({
    attempt: of.attempt,
    maxAttempts: ports.settings().maxAttempts,
    error,
    visible: turn.text !== '',
    random: Math.random(),
  });
  const retry = decision.retry ? { ms: decision.delayMs, retryAfter: decision.retryAfter } : undefined;
  // What was shown of an answer would be said twice after a compaction.
  const exit = kind === 'context_overflow' && turn.text === '' ? 'context_exhausted' : 'model_error';
  context.tell({ type: 'failed', ...of, retry, exit });
}

/** After a compaction the way out is another one: the same command would be in vain. */
function stillTooLong(turn: LiveTurn, error: ModelError): ModelError {
  const { summary, notCompacted: why } = turn;
  if (error.kind !== 'context_overflow' || (!summary && why === undefined)) return error;
  return { ...error, ...tooLong(turn, why) };
}
