/** What comes of an answer that is whole: its calls for the machine, or the reason why it counts as none. */

import type { ModelCall, ModelError, ModelPart } from '../../model/types.ts';
import { planBatch } from '../../tools/index.ts';
import { tellInterim } from '../hooks/attempt-hooks.ts';
import type { AttemptOf, RequestContext } from './context.ts';
import { continues } from './continuation.ts';
import { failed } from './failed.ts';
import { cutAtLimit } from './output-limit.ts';

export function answered(context: RequestContext, of: AttemptOf, end: Extract<ModelPart, { type: 'end' }>): void {
  switch (end.finish) {
    case 'content_filter':
      return failed(context, of, FILTERED);
    case 'length':
      return context.last ? whole(context, of, end) : cutAtLimit(context, of, end);
    case 'incomplete':
      return continues(context, of, 'incomplete', end.thinking);
    case 'stop':
    case 'tool_calls':
      return whole(context, of, end);
    default:
      return end.finish satisfies never;
  }
}

/** A last word can be changed by hooks before it is stored; pieces of it that are stored already cannot. */
function whole(context: RequestContext, of: AttemptOf, end: Extract<ModelPart, { type: 'end' }>): void {
  const { turn, hooks } = context;
  const isLast = context.last || end.calls.length === 0;
  const changes = isLast && turn.text.trim() !== '' && turn.pieces.length === 0;
  if (!changes || !hooks.has('transform_llm_output')) return keep(context, of, end);
  const signal = turn.requestController?.signal ?? turn.controller.signal;
  void hooks
    .ask({ event: 'transform_llm_output', of: { response_text: turn.text }, turn, signal })
    .then(({ replace }) => {
      // A stop or a redirect came meanwhile: what was seen is kept as it was.
      if (signal.aborted) return;
      if (replace) turn.text = replace;
      keep(context, of, end);
    });
}

function keep(context: RequestContext, of: AttemptOf, end: Extract<ModelPart, { type: 'end' }>): void {
  const { turn, ports } = context;
  // A last word runs nothing, whatever the model asks for.
  const calls = context.last ? [] : uniqueCalls(context, end.calls, of.request);
  turn.answer = { text: turn.text, thinking: end.thinking, calls };
  turn.cutCall = undefined;
  if (turn.text !== '') turn.finalText = turn.wholeText;
  const substance = turn.text.trim() !== '' || calls.length > 0;
  if (!substance && of.attempt === 1) {
    // Once more: models sometimes end without a word.
    return context.tell({ type: 'failed', ...of, retry: { ms: 0, retryAfter: false }, exit: 'no_answer' });
  }
  tellInterim(context.hooks, turn, turn.text, calls.length === 0);
  const own = turn.model?.wire.ownTools;
  for (const call of calls) {
    turn.calls.set(call.callId, {
      call,
      controller: new AbortController(),
      killController: new AbortController(),
      yieldController: new AbortController(),
      tool: ports.tools.find(call.name, own),
      given: call.input,
      input: undefined,
      notes: [],
      told: false,
      subject: { verb: 'use', object: call.name },
      startedAt: ports.clock.now(),
      output: '',
    });
  }
  const plan = planBatch(calls, { find: (name) => ports.tools.find(name, own) });
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

/** Providers reuse call ids between requests; in one session each id stands for one call. */
function uniqueCalls(context: RequestContext, calls: readonly ModelCall[], request: number): readonly ModelCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const repeated = taken.has(call.callId) || context.hasCall(call.callId) || context.turn.calls.has(call.callId);
    // A bar parts the two ids of the Responses API, of which only the first is sent: the addition has to stand in that.
    const callId = repeated
      ? `${call.callId.slice(0, 40).replaceAll('|', '_')}_r${request}_${index}_${context.turn.id.slice(-8)}`
      : call.callId;
    taken.add(callId);
    return { ...call, callId };
  });
}
