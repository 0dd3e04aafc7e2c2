/** When hooks are told that the user is wanted: the one place for it. */

import type { HookPayloads } from '../../../hooks-api.ts';
import type { LiveCall, LiveTurn } from '../live-turn.ts';
import type { SessionHooks } from './session-hooks.ts';

const TITLE = 'Midcourse';

export function tellOfApproval(hooks: SessionHooks, turn: LiveTurn, { approval }: LiveCall): void {
  if (approval) tell(hooks, turn, 'permission_prompt', `Midcourse needs your permission: ${approval.summary}`);
}

export function tellOfQuestion(hooks: SessionHooks, turn: LiveTurn, { question }: LiveCall): void {
  if (question) tell(hooks, turn, 'agent_needs_input', `Midcourse asks: ${question.text}`);
}

/** Whoever sees the chat sees the end. An agent's end is its parent's to use. */
export function tellOfEnd(hooks: SessionHooks, turn: LiveTurn, isShown: boolean): void {
  if (!isShown && !hooks.isOfAgent) tell(hooks, turn, 'agent_completed', 'Midcourse has finished its turn.');
}

function tell(
  hooks: SessionHooks,
  turn: LiveTurn,
  type: HookPayloads['notification']['notification_type'],
  message: string,
): void {
  hooks.tell('notification', { message, title: TITLE, notification_type: type }, turn);
}
