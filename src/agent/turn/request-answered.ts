/** What comes of an answer that is whole: its calls for the machine, or the reason why it counts as none. */

import type { ModelCall, ModelError, ModelPart } from '../model/types.ts';
import { planBatch } from '../tools/index.ts';
import type { AttemptOf, RequestContext } from './request-context.ts';
import { failed } from './request-failed.ts';

export function answered(context: RequestContext, of: AttemptOf, end: Extract<ModelPart, { type: 'end' }>): void {
  const { turn, ports } = context;
  if (end.finish === 'content_filter') return failed(context, of, FILTERED);
  const calls = uniqueCalls(context, end.calls, of.request);
  turn.answer = { text: turn.text, thinking: end.thinking, calls };
  if (turn.text !== '') turn.finalText = turn.text;
  const substance = turn.text.trim() !== '' || calls.length > 0;
  if (end.finish === 'length') {
    if (!substance) return failed(context, of, OUTPUT_LIMIT);
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
