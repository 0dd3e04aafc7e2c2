/** Whether a call may run: rules, hooks, and the card that asks the user. */

import type { Choice, PendingApproval } from '../../api.ts';
import { callWords } from '../../words/call-words.ts';
import type { HookAnswer } from '../hooks/types.ts';
import { decide, describeNeed, storedRules } from '../safety/index.ts';
import type { PermissionNeed } from '../tools/types.ts';
import { type CallContext, toolContext } from './call-context.ts';
import { takeChangedInput } from './call-input.ts';
import { finish, finishBlocked } from './call-result.ts';
import { askBeforeCard, tellCardClosed } from './hooks/card-hooks.ts';
import type { LiveCall } from './live-turn.ts';
import { resultText } from './notes.ts';

/**
 * Clears the call, opens its card or refuses it. What a hook allows skips a card that a rule could have skipped too,
 * never one that is destructive.
 *
 * @param said by the hooks before the call
 */
export async function seekPermission(context: CallContext, call: LiveCall, said: HookAnswer): Promise<void> {
  const need = await needOf(context, call, said.ask);
  if (call.controller.signal.aborted) return;
  if (!need || isAllowed(said, need)) return clear(context, call);
  const approval = approvalOf(context, call, need);
  const asked = askBeforeCard(context, call, approval);
  if (!asked) return openCard(context, call, need, approval);
  const answer = await asked;
  if (call.controller.signal.aborted) return told(context, call, 'cancelled', 'user');
  await followHook(context, call, { need, approval, answer });
}

/** The user's answer to an approval. @param by `user` or `api` */
export function answerApproval(
  context: CallContext,
  call: LiveCall,
  choice: Choice,
  reason: string | undefined,
  by: 'user' | 'api',
): void {
  const { need } = call;
  delete call.approval;
  told(context, call, choice, by, reason);
  if (choice === 'deny') {
    const text = resultText('denied', { steered: false, ...(reason ? { reason } : {}) });
    finish(context, call, { status: 'denied', text });
    // Somebody else may wait for the answer, beside other calls that still run.
    return call.controller.abort('denied');
  }
  for (const { key, words } of need?.rule ? storedRules(need.rule) : []) {
    if (choice === 'session') context.sessionRules.add(key);
    if (choice === 'always') context.ports.approvals.allowAlways(key, words);
  }
  context.tell({ type: 'allowed', turnId: context.turn.id, callId: call.call.callId });
}

/** Undefined when nothing is to be asked. */
async function needOf(
  context: CallContext,
  call: LiveCall,
  ask: HookAnswer['ask'],
): Promise<PermissionNeed | undefined> {
  const need = await call.tool?.permission(call.input, toolContext(context, call));
  const verdict = decide(need, {
    sessionRules: context.sessionRules,
    alwaysAllowed: (key) => context.ports.approvals.isAlwaysAllowed(key),
  });
  const own = verdict === 'ask' ? need : undefined;
  if (!ask) return own;
  const why = `The hook ${ask.by} wants you to be asked: ${ask.reason}`;
  if (own) return { ...own, why: `${why} ${own.why}` };
  // What is allowed already stays so; this once it is asked all the same.
  const { rule: _rule, ...shown } = need ?? { kind: 'run' as const, summary: callWords(call.subject, 'approval') };
  return { ...shown, why };
}

function isAllowed({ permission, ask }: HookAnswer, need: PermissionNeed): boolean {
  return permission?.decision === 'allow' && !ask && !need.always;
}

interface Asked {
  readonly need: PermissionNeed;
  readonly approval: PendingApproval;
  readonly answer: HookAnswer;
}

/** What hooks decide in the user's place. */
async function followHook(context: CallContext, call: LiveCall, { need, approval, answer }: Asked): Promise<void> {
  const { permission, block, stopTurn, input, inputBy = 'of the permission' } = answer;
  if (stopTurn) return context.stopTurn(stopTurn);
  const denial = block ?? (permission?.decision === 'deny' ? denialOf(permission) : undefined);
  if (denial) {
    told(context, call, 'deny', denial.by, denial.reason);
    return finishBlocked(context, call, denial);
  }
  if (input && call.tool) {
    const refusal = takeChangedInput(call, call.tool, input, permission?.by ?? inputBy);
    if (refusal) return finish(context, call, refusal);
    const changed = await needOf(context, call, undefined);
    if (call.controller.signal.aborted) return told(context, call, 'cancelled', 'user');
    if (permission && !changed?.always) return allowedBy(context, call, permission);
    const again = changed ?? need;
    return openCard(context, call, again, approvalOf(context, call, again));
  }
  if (permission && !need.always) return allowedBy(context, call, permission);
  openCard(context, call, need, approval);
}

/** What the model is told where a hook denies in the user's place. */
export function denialOf({ by, reason }: { readonly by: string; readonly reason: string }) {
  const modelText = reason === '' ? `The hook ${by} denied this call.` : `The hook ${by} denied this call: ${reason}`;
  return { by, reason, modelText };
}

function allowedBy(context: CallContext, call: LiveCall, { by, reason }: { by: string; reason: string }): void {
  told(context, call, 'once', by, reason);
  clear(context, call);
}

function clear({ turn, tell }: CallContext, { call: { callId } }: LiveCall): void {
  tell({ type: 'cleared', turnId: turn.id, callId });
}

function openCard(context: CallContext, call: LiveCall, need: PermissionNeed, approval: PendingApproval): void {
  call.need = need;
  call.approval = approval;
  context.tell({ type: 'approval', turnId: context.turn.id, callId: call.call.callId });
}

function approvalOf({ sessionId, turn }: CallContext, call: LiveCall, need: PermissionNeed): PendingApproval {
  const { callId, name } = call.call;
  const described = describeNeed(need);
  const why = call.changedBy === undefined ? need.why : `${need.why} The hook ${call.changedBy} changed this call.`;
  return { ...described, why, id: `a-${callId}`, sessionId, tool: name, turnId: turn.id, callId };
}

function told(
  { hooks, turn }: CallContext,
  call: LiveCall,
  choice: Choice | 'cancelled',
  decidedBy: string,
  reason?: string,
): void {
  tellCardClosed(hooks, turn, call, { choice, decidedBy, reason });
}
