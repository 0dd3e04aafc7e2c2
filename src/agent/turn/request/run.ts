/**
 * One attempt of one model request, from the history to the event that tells the machine what came of it.
 */

import type { ModelError, ModelPart, ModelRequest } from '../../model/types.ts';
import { AttemptHooks } from '../hooks/attempt-hooks.ts';
import { offeredTools } from '../offered-tools.ts';
import type { AgentPorts, ResolvedModel } from '../types.ts';
import { answered } from './answered.ts';
import { reportAttempt } from './attempt-report.ts';
import type { AttemptOf, RequestContext } from './context.ts';
import { failed, stateOf } from './failed.ts';
import { switchWords } from './failure-words.ts';

/** Never rejects: every failure becomes a `failed` event. */
export async function runRequest(asked: RequestContext, of: AttemptOf): Promise<void> {
  const { turn, ports, hooks } = asked;
  const told = new AttemptHooks(hooks, ports.clock, turn, { ...of, kind: 'sampling' });
  const context: RequestContext = {
    ...asked,
    tell: (event) => {
      told.cameTo(event, asked.mayCompact);
      asked.tell(event);
    },
  };
  const controller = new AbortController();
  turn.requestController = controller;
  turn.request = of.request;
  turn.attempt = of.attempt;
  if (!context.continues) turn.pieces = [];
  else if (of.attempt === 1) turn.pieces.push(turn.text);
  turn.text = '';
  turn.reasoning = '';
  turn.answer = undefined;
  turn.callsBegun.clear();
  if (of.attempt === 1) turn.asksWith = {};
  // What an earlier attempt failed with is over once the request is asked again.
  turn.error = undefined;

  const known = turn.model;
  const model = known ?? (await ports.models.resolve(context.modelRef));
  if (controller.signal.aborted) return;
  if ('error' in model) {
    turn.attempts += 1;
    return failed(context, of, model.error);
  }
  turn.model = model;
  if (!context.mayAsk()) return;
  if (isTooLong(context, model)) return context.tell({ type: 'compacting', ...of });
  turn.attempts += 1;
  if (model.standsIn && !known) {
    const { standsIn } = model;
    context.notice('model_switched', switchWords(standsIn.for, standsIn.because, model.label));
  }
  const reading = turn.opening ? undefined : ports.customisations?.prepare(context.sessionId);
  if (reading) {
    await reading;
    if (controller.signal.aborted) return;
  }
  const coming = turn.opening ? undefined : ports.tools.ready?.(controller.signal);
  if (coming) {
    await coming;
    if (controller.signal.aborted) return;
  }
  turn.opening ??= openingOf(ports, context.sessionId);
  const { opening } = turn;
  const { maxOutput = model.maxOutput, effort = model.effort } = turn.asksWith;

  const request: ModelRequest = {
    model: model.model,
    system: opening.system,
    messages: context.images.for(model, context.messages()),
    tools: context.last ? [] : opening.tools,
    cacheKey: context.sessionId,
    connections: Math.max(1, ports.settings().maxAttempts - stateOf(turn, of.request).charged),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(effort === undefined ? {} : { effort }),
    ...(limitOf(ports, model) > 0 && { compactAt: limitOf(ports, model) }),
  };
  told.sent(request.messages.length);
  let ended = false;
  for await (const part of model.wire.stream(request, controller.signal)) {
    // What arrives after the abort belongs to nobody; the wire ends by itself.
    if (controller.signal.aborted) break;
    follow(told, part);
    ended = onPart(context, of, part);
    if (ended) break;
  }
  told.ended(undefined);
  if (!ended && !controller.signal.aborted) failed(context, of, CUT);
}

function follow(told: AttemptHooks, part: ModelPart): void {
  switch (part.type) {
    case 'head':
      return told.head();
    case 'text':
    case 'reasoning':
      return told.delta(part.type, part.text);
    case 'restart':
    case 'call_progress':
      return;
    case 'end':
    case 'error':
    case 'aborted':
      return told.ended(part);
    default:
      part satisfies never;
  }
}

/** True when the conversation is to be compacted first. That it would be in vain is said once. */
function isTooLong({ ports, watch, mayCompact, notice }: RequestContext, model: ResolvedModel): boolean {
  if (!mayCompact || model.keepsHistory || ports.settings().compacts === false) return false;
  const limit = limitOf(ports, model);
  if (watch.isNewlyInVain(limit)) notice('compaction_blocked', IN_VAIN);
  return watch.isTooLong(limit, model.contextWindow);
}

const IN_VAIN =
  'Two summaries in a row left the conversation nearly as long as it was, so none is made by itself any more. Nothing is lost. Start a new session for the next task, or compact by hand.';

/** A tool that comes or goes while the turn runs does so for the model with the next turn. */
function openingOf(ports: AgentPorts, sessionId: string): NonNullable<RequestContext['turn']['opening']> {
  return { system: ports.systemPrompt('session', sessionId), tools: offeredTools(ports) };
}

/** Tokens above which the conversation is compacted first, with room left for an answer; 0 for never. */
function limitOf(ports: AgentPorts, { contextWindow, maxOutput = 0 }: ResolvedModel): number {
  const { compactionThreshold, compacts = true } = ports.settings();
  const limit = compacts ? (contextWindow * compactionThreshold) / 100 : 0;
  return Math.min(limit, contextWindow - Math.min(maxOutput, contextWindow / 2));
}

const CUT: ModelError = {
  kind: 'stream_cut',
  message: 'The connection to the model was lost in the middle of its answer. Nothing of it was run.',
  detail: 'the wire ended without a closing part',
  retryable: true,
};

/** True when the attempt is over. */
function onPart(context: RequestContext, of: AttemptOf, part: ModelPart): boolean {
  const { turn } = context;
  if (part.type === 'end' || part.type === 'error' || part.type === 'aborted') reportAttempt(context, of, part);
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
    case 'restart':
      turn.text = '';
      turn.reasoning = '';
      turn.callsBegun.clear();
      return false;
    case 'call_progress':
      turn.callsBegun.add(part.name);
      context.callProgress(part.name, part.characters);
      return false;
    case 'end':
      if (!part.usage) turn.charge(undefined, turn.model);
      charge(context, part.usage);
      answered(context, of, part);
      return true;
    case 'error':
      charge(context, part.usage);
      failed(context, of, part.error, 1 + (part.facts?.reopened?.length ?? 0));
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
  turn.charge(usage, turn.model);
  turn.contextTokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  watch.read(turn.contextTokens, upTo, turn.model ? limitOf(ports, turn.model) : 0);
}
