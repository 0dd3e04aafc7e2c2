import type { Hook, HookAnswer } from './types.ts';

const LONGEST = 300;

/** What a run decided, in words for the list of runs. */
export function decidedWords(hook: Pick<Hook, 'event' | 'answers'>, answer: HookAnswer): string {
  const words = [...said(hook, answer)].join('; ');
  if (words === '') return 'nothing';
  const whole = hook.answers ? words : `nothing: an answer does not count here (${words})`;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
}

function* said({ event }: Pick<Hook, 'event'>, answer: HookAnswer): Generator<string> {
  const { block, ask, permission, input, context, replace, goOn, stopTurn } = answer;
  if (block) yield `${event === 'post_tool_call' ? 'gave feedback' : 'blocked'}: ${block.reason}`;
  if (ask) yield `asks the user: ${ask.reason}`;
  if (permission) yield `${permission.decision === 'allow' ? 'allowed' : 'denied'}${reason(permission.reason)}`;
  if (input) yield 'changed the input';
  if (context) yield `added ${characters(context)}`;
  if (replace !== undefined) yield `replaced the text by ${characters(replace)}`;
  if (goOn) yield `makes the agent go on: ${goOn.text}`;
  if (stopTurn) yield `ended the turn${reason(stopTurn.reason)}`;
}

function reason(words: string): string {
  return words === '' ? '' : `: ${words}`;
}

function characters({ length }: string): string {
  return length === 1 ? '1 character' : `${length} characters`;
}
