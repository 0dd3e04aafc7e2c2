/** Hooks of an approval card: before it opens, where some may decide in the user's place, and when it has closed. */

import type { Choice, PendingApproval } from '../../../api.ts';
import type { HookPayloads } from '../../../hooks-api.ts';
import type { HookAnswer } from '../../hooks/types.ts';
import type { LiveCall, LiveTurn } from '../live-turn.ts';
import { type CallHooksContext, callPayload } from './call-hooks.ts';
import type { SessionHooks } from './session-hooks.ts';

/**
 * `pre_approval_request`, once for each card. Undefined when nobody is to be waited for: the card opens in the same tick.
 */
export function askBeforeCard(
  context: CallHooksContext,
  call: LiveCall,
  approval: PendingApproval,
): Promise<HookAnswer> | undefined {
  const { hooks, turn } = context;
  if (!hooks.has('pre_approval_request')) return undefined;
  const { summary, why, command, choices, alwaysScope } = approval;
  const of: HookPayloads['pre_approval_request'] = {
    ...callPayload(call),
    summary,
    why,
    choices,
    ...(command !== undefined && { command }),
    ...(alwaysScope !== undefined && { always_scope: alwaysScope }),
  };
  const { signal } = call.controller;
  const wait = (waits: boolean) => context.wait(call, waits);
  const answer = hooks.ask({ event: 'pre_approval_request', of, turn, signal, wait });
  return hooks.answers('pre_approval_request') ? answer : undefined;
}

/** @param decidedBy `user`, `api`, or the hook that decided in their place */
export function tellCardClosed(
  hooks: SessionHooks,
  turn: LiveTurn,
  call: LiveCall,
  { choice, decidedBy, reason }: { choice: Choice | 'cancelled'; decidedBy: string; reason?: string | undefined },
): void {
  if (!hooks.has('post_approval_response')) return;
  const of = { ...callPayload(call), choice, decided_by: decidedBy, ...(reason ? { reason } : {}) };
  hooks.tell('post_approval_response', of, turn);
}
