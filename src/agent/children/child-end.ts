import type { BackgroundProcess, ChildState, Item, TurnResult } from '../../api.ts';

export type EndState = Extract<ChildState, 'finished' | 'interrupted' | 'failed'>;

/** How an agent ended: what its parent is told is made of it. */
export interface ChildEnd {
  readonly state: EndState;
  /** Its report, or what it had said when it was cut. */
  readonly text: string;
  /** Why it did not finish, as a clause: `the user stopped it`. */
  readonly why: string;
  readonly survivors: TurnResult['survivors'];
  /** Guidance that it did not read any more. */
  readonly unread: readonly Pick<Item, 'text'>[];
  /** Background processes that it leaves running. */
  readonly left: readonly BackgroundProcess[];
}

export function endStateOf(result: TurnResult | undefined): EndState {
  if (result === undefined || result.interrupted) return 'interrupted';
  return result.completed ? 'finished' : 'failed';
}

/** @param result undefined when the agent never began */
export function whyUnfinished(result: TurnResult | undefined): string {
  if (result === undefined) return 'the editor was closed or reloaded before it began';
  switch (result.exitReason) {
    case 'answered':
      return '';
    case 'interrupted_by_user':
      return 'the user stopped it';
    case 'interrupted_by_reload':
      return 'the editor was closed or reloaded';
    case 'interrupted_by_system(parent)':
      return 'your turn was stopped';
    case 'interrupted_by_system(taken_over)':
      return 'another window stopped it';
    case 'interrupted_by_system(hook)':
      return 'a hook refused its task';
    case 'interrupted_by_system(liveness)':
      return 'nothing moved in it any more';
    case 'step_budget':
      return 'it had used up the requests that an agent may make';
    case 'redirect_limit':
      return 'it was redirected too often';
    case 'no_answer':
      return 'the model gave no answer';
    default:
      return result.error?.message ?? `it ended with ${result.exitReason}`;
  }
}
