/**
 * One tool call: what it needs before it may run, its run, and its one result.
 */

import type { HookAnswer } from '../hooks/types.ts';
import { unknownToolText } from '../tools/index.ts';
import type { ToolResult } from '../tools/types.ts';
import { type CallContext, toolContext } from './call-context.ts';
import { takeChangedInput, takeInput } from './call-input.ts';
import { denialOf, seekPermission } from './call-permission.ts';
import { errorText, finish, finishBlocked } from './call-result.ts';
import { heardInTime } from './carried-out.ts';
import { askAfter, askBefore, hearsResults } from './hooks/call-hooks.ts';
import type { LiveCall } from './live-turn.ts';
import { contextNote } from './notes.ts';

/** Parses the input, asks the hooks, looks up the permission. Never rejects. */
export async function beginCall(context: CallContext, call: LiveCall): Promise<void> {
  const of = { turnId: context.turn.id, callId: call.call.callId };
  try {
    const refusal = refusalOf(context, call);
    if (refusal) return finish(context, call, refusal);
    const answer = context.hooks.has('pre_tool_call') ? await askBefore(context, call) : NOTHING;
    const said = heardInTime(context, call, answer);
    if (call.controller.signal.aborted || !goesOn(context, call, said)) return;
    const question = call.tool?.question?.(call.input);
    if (question) {
      call.question = { ...question, id: `q-${of.callId}`, ...of };
      return context.tell({ type: 'question', ...of, freeText: question.freeText });
    }
    await seekPermission(context, call, said);
  } catch (error) {
    finish(context, call, { status: 'error', text: errorText(error) });
  }
}

const NOTHING: HookAnswer = {};

function refusalOf({ ports }: CallContext, call: LiveCall): ToolResult | undefined {
  const { toolsOff } = ports.settings();
  if (toolsOff !== undefined) return { status: 'blocked', text: toolsOff };
  const { tool } = call;
  if (!tool) return { status: 'error', text: unknownToolText(call.call.name, ports.tools.list()) };
  return takeInput(call, tool);
}

/** False when the hooks have refused the call, or ended the turn. */
function goesOn(context: CallContext, call: LiveCall, said: HookAnswer): boolean {
  const { block, permission, stopTurn, input, inputBy = 'before it', context: words, contextBy } = said;
  if (stopTurn) {
    context.stopTurn(stopTurn);
    return false;
  }
  if (words !== undefined) call.notes.push(contextNote(words, contextBy));
  const denial = block ?? (permission?.decision === 'deny' ? denialOf(permission) : undefined);
  if (denial) {
    finishBlocked(context, call, denial);
    return false;
  }
  const wrong = input && call.tool && takeChangedInput(call, call.tool, input, inputBy);
  if (wrong) finish(context, call, wrong);
  return !wrong;
}

/** Runs an allowed call. Never rejects; a throw of the tool is an error result. */
export async function runCall(context: CallContext, call: LiveCall): Promise<void> {
  const { clock } = context.ports;
  call.startedAt = clock.now();
  const result = await attempt(context, call);
  call.ranFor = Math.max(0, clock.now() - call.startedAt);
  call.facts = result.facts;
  for (const path of result.changed ?? []) context.turn.changed.add(path);
  if (call.result || call.controller.signal.aborted || !hearsResults(context.hooks)) {
    return finish(context, call, result);
  }
  const { modelText, stopTurn } = await askAfter(context, call, result);
  // Before the result is told: nothing may follow it.
  if (stopTurn) context.stopTurn(stopTurn);
  finish(context, call, result, modelText);
}

async function attempt(context: CallContext, call: LiveCall): Promise<ToolResult> {
  try {
    const { tool } = call;
    if (!tool) throw new Error(`${call.call.name} has no tool`);
    return await tool.run(call.input, toolContext(context, call));
  } catch (error) {
    return { status: 'error', text: errorText(error) };
  }
}

export function answerQuestion(context: CallContext, call: LiveCall, answer: string | readonly string[]): void {
  delete call.question;
  call.answer = answer;
  context.tell({ type: 'allowed', turnId: context.turn.id, callId: call.call.callId });
}
