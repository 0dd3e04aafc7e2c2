import { noAnswer } from './merge.ts';
import type { RunEnding } from './run.ts';
import { problemOf } from './run-log.ts';
import type { Hook, HookAnswer } from './types.ts';

/** What a run says to the loop. A guard that fails closed blocks when it could not speak, unless the turn was stopped. */
export function answerOfRun(hook: Hook, ending: RunEnding): HookAnswer {
  switch (ending.is) {
    case 'ok':
      return hook.answers ? ending.reply.answer : noAnswer;
    case 'failed':
    case 'timeout':
      return failsClosed(hook) ? blocked(hook, problemOf(ending.error)) : noAnswer;
    case 'cancelled':
      return failsClosed(hook) && ending.why === 'unloaded' ? blocked(hook, 'It was unloaded while it ran.') : noAnswer;
    default:
      return ending satisfies never;
  }
}

export function failsClosed({ event, failClosed }: Pick<Hook, 'event' | 'failClosed'>): boolean {
  return failClosed && event === 'pre_tool_call';
}

function blocked({ name }: Hook, problem: string): HookAnswer {
  return {
    block: {
      reason: `The hook could not decide. ${problem}`,
      by: name,
      modelText: `This call was not run: the hook ${name}, which has to agree to it, could not decide. ${problem}`,
    },
  };
}
