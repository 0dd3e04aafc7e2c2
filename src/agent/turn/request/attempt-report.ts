/** What one attempt leaves behind beside its answer: a line in the log, and a warning when little is left of a limit. */

import { type RateLimitWindow, usedShare } from '../../model/index.ts';
import type { AttemptFacts, ModelPart } from '../../model/types.ts';
import type { AttemptOf, RequestContext } from './context.ts';

type Ending = Extract<ModelPart, { type: 'end' | 'error' | 'aborted' }>;

export function reportAttempt(context: RequestContext, of: AttemptOf, part: Ending): void {
  const { turn, ports, limits } = context;
  const model = turn.model?.ref ?? '';
  ports.log.info(`${of.turnId} request ${of.request} attempt ${of.attempt} (${model}): ${outcomeOf(part)}`);
  if (part.type === 'end' && turn.model) ports.models.worked?.(turn.model);
  const { facts } = part;
  if (!facts?.rateLimits) return;
  for (const window of limits.newlyTight(model, facts.rateLimits)) {
    context.notice('rate_limit_warning', tightWords(turn.model?.label ?? 'the model', window));
  }
}

function outcomeOf(part: Ending): string {
  const how = part.type === 'end' ? part.finish : part.type === 'error' ? part.error.kind : part.type;
  return part.facts === undefined ? how : `${how}, ${describeFacts(part.facts)}`;
}

function describeFacts({
  status,
  events,
  elapsedMs,
  firstEventMs,
  responseId,
  reopened,
  headers,
}: AttemptFacts): string {
  const words = [
    status === undefined ? 'no answer' : `HTTP ${status}`,
    `${events} events in ${Math.round(elapsedMs)} ms`,
    ...(firstEventMs === undefined ? [] : [`first after ${Math.round(firstEventMs)} ms`]),
    ...(responseId === undefined ? [] : [responseId]),
    ...(reopened ?? []).map((why) => `opened again: ${why}`),
    ...Object.entries(headers).map(([name, value]) => `${name}=${value}`),
  ];
  return words.join(', ');
}

const OF: Readonly<Record<RateLimitWindow['of'], string>> = {
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'input tokens',
  output_tokens: 'output tokens',
};

function tightWords(model: string, window: RateLimitWindow): string {
  const { of, per, limit, remaining, resetMs } = window;
  const span = per === 'unknown' ? '' : ` a ${per}`;
  const whole = resetMs === undefined ? '' : ` It is whole again in ${spanOf(resetMs)}.`;
  const used = Math.floor(usedShare(window) * 100);
  return `${used} % of what ${model} allows are used: ${remaining} of ${limit} ${OF[of]}${span} are left.${whole} Work goes on; at the limit it waits.`;
}

function spanOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
