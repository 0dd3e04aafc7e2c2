/**
 * Calls that the model's own program makes, such as those of Codex: hooks are heard where it asks for leave, and nowhere
 * else. What cannot be done for a hook is said, so that nobody takes it for done.
 */

import { callWords } from '../../words/call-words.ts';
import type { HookAnswer } from '../hooks/types.ts';
import type { CallContext } from './call-context.ts';
import type { LiveCall } from './live-turn.ts';

/** What of the hooks' answer counts for the call. */
export function heardInTime(context: CallContext, call: LiveCall, said: HookAnswer): HookAnswer {
  const carriedOut = call.tool?.carriedOut;
  if (!carriedOut) return said;
  const { block, permission, ask, input, inputBy, ...rest } = said;
  if (carriedOut.waits(call.input, context.sessionId)) {
    if (!input || block) return said;
    const reason = `it wants another input, and ${carriedOut.by} takes none for its own call`;
    const by = inputBy ?? 'a hook';
    return { ...rest, block: { by, reason, modelText: `The hook ${by} refused this call: ${reason}.` } };
  }
  const by = block?.by ?? (permission?.decision === 'deny' ? permission.by : undefined) ?? ask?.by ?? inputBy;
  if (by !== undefined) context.notice('hook_too_late', tooLate(by, call, carriedOut.by));
  return rest;
}

function tooLate(by: string, call: LiveCall, program: string): string {
  return `The hook ${by} had a say in "${callWords(call.subject, 'running')}", but ${program} made this call by itself, without asking for leave: hooks cannot refuse or change such calls. Stop the turn if it must not go on.`;
}
