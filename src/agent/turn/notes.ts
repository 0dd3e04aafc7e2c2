/**
 * What the model is told about interruptions. Each text is made once, stored with its row and re-sent unchanged; none
 * is ever stored as the assistant's own words, because models repeat what they believe they said.
 */

import type { Continuation, Phase, ResultStatus } from '../../api.ts';
import type { UntoldStop } from '../control/index.ts';

export function userText(
  text: string,
  notes: { cut: boolean; untoldStop: UntoldStop | undefined; context: readonly string[] },
): string | undefined {
  const before = [
    ...(notes.untoldStop ? [stopNote(notes.untoldStop)] : []),
    ...(notes.cut
      ? ['[Your answer above was cut off by the following correction from the user. Continue from it.]']
      : []),
  ];
  if (before.length === 0 && notes.context.length === 0) return undefined;
  return [...before, text, ...notes.context].join('\n\n');
}

/** @param by the hooks that it comes from, for people */
export function contextNote(context: string, by: string | undefined): string {
  return `[Context added by ${by === undefined ? 'a hook' : `the hook ${by}`}]\n${context}`;
}

/** What the model reads when a hook has it go on instead of ending. */
export function goOnNote(text: string, by: string): string {
  return `[The hook ${by} looked at your answer and says:]\n${text}`;
}

function stopNote({ phase, by }: UntoldStop): string {
  const who = by === 'user' ? 'The user' : `The system (${by})`;
  return `[${who} stopped your previous turn ${DURING[phase]}. Do not resume that work unless the user asks for it.]`;
}

const DURING: Record<Phase, string> = {
  starting: 'before it began',
  hook: 'while hooks were running',
  model: 'while you were answering',
  backoff: 'while a failed request was waiting to be repeated',
  tool: 'while tools were running',
  approval: 'while an approval was open',
  question: 'while a question was open',
  compaction: 'while the conversation was being compacted',
  finalizing: 'just after your answer',
};

/** What asks the model to go on with an answer that was cut, or to end a turn that has no request left. */
export const NUDGES: Readonly<Record<Continuation | 'step_budget', string>> = {
  length:
    '[Your answer reached the limit of its length. Go on exactly where it broke off: repeat nothing of it, and do not introduce or apologise.]',
  network:
    '[The connection broke and your answer ends above. Go on exactly where it broke off: repeat nothing of it, and do not introduce or apologise.]',
  dropped_call:
    '[Your answer broke off while you were writing a tool call. Nothing of it was run. Go on from there; if the call was long, do the work in several smaller calls.]',
  incomplete: '[You have thought, but not answered yet. Go on, and give the answer or make the calls.]',
  step_budget:
    '[This turn has used up its requests, and no tool runs any more. Say in a few sentences what is done, what is left, and what should come next.]',
};

/** @param limit tokens of an answer, where they are known */
export function partsNote(limit: number | undefined): string {
  const most = limit === undefined ? '' : ` (${limit} tokens)`;
  return `[Your tool call was longer than one answer may be${most}, and nothing of it was run. Do the work in parts: several calls, each well below that. Write a long file with its first part, then add to it.]`;
}

/** The result of a call that was not carried out, or not to its end. */
export function resultText(status: ResultStatus, how: { steered: boolean; reason?: string }): string {
  switch (status) {
    case 'denied':
      return how.reason
        ? `The user denied this call: ${how.reason}`
        : 'The user denied this call. Do not try it again.';
    case 'withdrawn':
      return how.steered
        ? 'Not run: instead of answering the request for approval the user sent new guidance, which follows.'
        : 'Not run: the turn was stopped while this call waited for the user. The user did not deny it.';
    case 'not_run':
      return how.steered
        ? 'Not run: the user sent new guidance before this call started.'
        : 'Not run: the turn was stopped before this call started.';
    case 'abandoned':
      return 'Stopped, but the tool did not end in time. It may have run in part: check before you rely on it.';
    case 'blocked':
      return how.reason ?? 'Blocked by a hook.';
    case 'stopped':
      return 'Stopped by the user. It may have run in part.';
    case 'timeout':
    case 'error':
    case 'success':
    case 'yielded':
      return how.reason ?? status;
    default:
      return status satisfies never;
  }
}
