/** What follows from an answer that Codex takes, event by event. */

import type { HookAnswer } from '../../types.ts';
import { agentWords } from '../declared.ts';
import { codexTools } from '../tool-aliases/codex.ts';
import { foreignCall, isAboutCall, ownInput, ownResult, type Values } from '../tool-aliases/index.ts';
import type { Reading, ReadOutput } from '../types.ts';
import type { CodexEvent } from './events.ts';
import type { Output } from './output-schemas.ts';

/** As Codex words it. */
function blockText({ hook, payload }: Reading, reason: string): string {
  if (!isAboutCall(payload)) return reason;
  const { name, input } = foreignCall(codexTools, payload);
  if (name === 'Bash')
    return `Command blocked by ${hook.declaredAs} hook: ${reason}. Command: ${String(input.command)}`;
  return `Tool call blocked by ${hook.declaredAs} hook: ${reason}. Tool: ${name}`;
}

export function failed(why: string): ReadOutput {
  return { answer: {}, warnings: [], failed: why };
}

/** What exit code 2 means there, with what is on stderr; undefined where nothing can be refused. */
export function refusal(event: CodexEvent, stderr: string, reading: Reading): ReadOutput | undefined {
  const warnings = stderr === '' ? ['It ended with exit code 2 and gave no reason on stderr.'] : [];
  const reason = stderr === '' ? 'no reason was given' : stderr;
  switch (event) {
    case 'PreToolUse':
    case 'UserPromptSubmit':
      return { answer: blocked(reading, reason), warnings };
    case 'PermissionRequest':
      return { answer: decided('deny', reason, reading), warnings };
    case 'PostToolUse':
      return { answer: { replace: reason }, warnings };
    case 'SubagentStop':
      return { answer: {}, warnings: [...warnings, agentWords.stop] };
    case 'Stop':
      return stderr === '' ? undefined : { answer: goOn(stderr, reading), warnings };
    default:
      return undefined;
  }
}

export function preToolUse(output: Output<'PreToolUse'>, reading: Reading): ReadOutput {
  const wrong = misplacedControl(output, 'PreToolUse');
  if (wrong) return wrong;
  const said = output.hookSpecificOutput;
  if (output.decision === 'approve' || said?.permissionDecision === 'ask') {
    return failed(`Codex knows no ${output.decision === 'approve' ? 'approve' : 'ask'} at PreToolUse.`);
  }
  const context = contextOf(said?.additionalContext, reading);
  const told = messageOf(output);
  if (output.decision === 'block' || said?.permissionDecision === 'deny') {
    const reason = (output.decision === 'block' ? output.reason : said?.permissionDecisionReason)?.trim();
    const warnings = reason ? [] : ['It refused without a reason.'];
    return { answer: { ...blocked(reading, reason || 'no reason was given'), ...context }, ...told, warnings };
  }
  const changed = said?.updatedInput;
  if (!changed) {
    const lone = said?.permissionDecision === 'allow';
    return { answer: context, ...told, warnings: lone ? ['allow without updatedInput has no effect.'] : [] };
  }
  const warnings =
    said?.permissionDecision === 'allow'
      ? []
      : ['updatedInput counts here; Codex itself wants permissionDecision allow beside it.'];
  return { answer: { ...changedInput(changed, reading), ...context }, ...told, warnings };
}

/** A call whose input the hook wants otherwise, in a way that our tool cannot do, does not run as it was. */
function changedInput(changed: Values, reading: Reading): HookAnswer {
  if (!isAboutCall(reading.payload)) return {};
  const input = ownInput(codexTools, reading.payload, changed);
  return typeof input === 'string' ? blocked(reading, `the hook changed the input, but ${input}`) : { input };
}

export function permissionRequest(output: Output<'PermissionRequest'>, reading: Reading): ReadOutput {
  const wrong = misplacedControl(output, 'PermissionRequest');
  if (wrong) return { ...wrong, answer: decided('deny', 'its hook gave an answer that does not count', reading) };
  const decision = output.hookSpecificOutput?.decision;
  if (!decision) return { answer: {}, ...messageOf(output), warnings: [] };
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = decision;
  const reserved = [
    ...(interrupt ? ['interrupt'] : []),
    ...(updatedInput === undefined ? [] : ['updatedInput']),
    ...(updatedPermissions === undefined ? [] : ['updatedPermissions']),
  ];
  if (reserved.length > 0) {
    const why = `${reserved.join(' and ')} cannot be used in the answer to a PermissionRequest`;
    return { answer: decided('deny', why, reading), warnings: [], failed: `${why}: the request is denied.` };
  }
  return { answer: decided(behavior, message?.trim() ?? '', reading), ...messageOf(output), warnings: [] };
}

export function postToolUse(output: Output<'PostToolUse'>, reading: Reading): ReadOutput {
  const said = output.hookSpecificOutput;
  const context = contextOf(said?.additionalContext, reading);
  const told = messageOf(output);
  if (!output.continue) {
    return { answer: { ...stopped(output, reading), ...context }, ...told, warnings: [] };
  }
  if (output.decision === 'block') {
    const reason = output.reason?.trim();
    if (!reason) return failed('It blocked without a reason, which has no effect at PostToolUse.');
    // What was done stays done; the model reads the reason instead of the result.
    return { answer: { replace: reason, ...context }, ...told, warnings: [] };
  }
  const changed = said?.updatedToolOutput ?? said?.updatedMCPToolOutput;
  if (changed === undefined || changed === null || !isAboutCall(reading.payload)) {
    return { answer: context, ...told, warnings: [] };
  }
  return { answer: { replace: ownResult(codexTools, reading.payload, changed), ...context }, ...told, warnings: [] };
}

export function userPromptSubmit(output: Output<'UserPromptSubmit'>, reading: Reading): ReadOutput {
  const context = contextOf(output.hookSpecificOutput?.additionalContext, reading);
  const told = messageOf(output);
  if (!output.continue)
    return { answer: blocked(reading, output.stopReason?.trim() || 'it was stopped'), ...told, warnings: [] };
  if (output.decision !== 'block') return { answer: context, ...told, warnings: [] };
  const reason = output.reason?.trim();
  const warnings = reason ? [] : ['It refused without a reason.'];
  return { answer: blocked(reading, reason || 'no reason was given'), ...told, warnings };
}

export function sessionStart(output: Output<'SessionStart'>, reading: Reading): ReadOutput {
  const context = contextOf(output.hookSpecificOutput?.additionalContext, reading);
  const stop = output.continue ? {} : stopped(output, reading);
  return { answer: { ...context, ...stop }, ...messageOf(output), warnings: [] };
}

export function subagentStart(output: Output<'SubagentStart'>): ReadOutput {
  const lost = output.hookSpecificOutput?.additionalContext ? [agentWords.start] : [];
  return { answer: {}, ...messageOf(output), warnings: lost };
}

export function subagentStop(output: Output<'Stop'>): ReadOutput {
  const late = output.decision === 'block' ? [agentWords.stop] : [];
  return { answer: {}, ...messageOf(output), warnings: late };
}

/** `continue: true` says nothing; `false` lets the turn end even where the hook blocks. */
export function stop(output: Output<'Stop'>, reading: Reading): ReadOutput {
  const told = messageOf(output);
  if (!output.continue || output.decision !== 'block') return { answer: {}, ...told, warnings: [] };
  const reason = output.reason?.trim();
  if (!reason)
    return failed(`It blocked without a reason, which the agent would go on with at ${reading.hook.declaredAs}.`);
  return { answer: goOn(reason, reading), ...told, warnings: [] };
}

export function compact(output: Output<'plain'>, reading: Reading): ReadOutput {
  const refuses = !output.continue && reading.hook.declaredAs === 'PreCompact';
  const answer = refuses ? blocked(reading, output.stopReason?.trim() || 'it was stopped') : {};
  return { answer, ...messageOf(output), warnings: [] };
}

/** After an interrupt, at the end of a session and beside a request nothing is decided: only words for the user count. */
export function onlyMessage(value: Values, output: Output<'plain'>, { hook }: Reading): ReadOutput {
  const control = ['stopReason', 'suppressOutput'].filter((field) => value[field] !== undefined);
  if (!output.continue) control.push('continue');
  if (control.length > 0) return failed(`${control.join(' and ')} cannot be used at ${hook.declaredAs}.`);
  return { answer: {}, ...messageOf(output), warnings: [] };
}

function misplacedControl(output: Output<'plain'>, event: CodexEvent): ReadOutput | undefined {
  const control = [
    ...(output.continue ? [] : ['continue: false']),
    ...(output.stopReason ? ['stopReason'] : []),
    ...(output.suppressOutput ? ['suppressOutput'] : []),
  ];
  return control.length === 0 ? undefined : failed(`${control.join(' and ')} cannot be used at ${event}.`);
}

function messageOf({ systemMessage }: Output<'plain'>): { message?: string } {
  return systemMessage ? { message: systemMessage } : {};
}

const CHARACTERS_PER_TOKEN = 4;

export function contextOf(text: string | null | undefined, { hook }: Reading): HookAnswer {
  if (!text?.trim()) return {};
  const most = (hook.contextLimit ?? 0) * CHARACTERS_PER_TOKEN;
  if (most === 0 || text.length <= most) return { context: text };
  return { context: `${text.slice(0, most)}\n[… ${text.length - most} more characters, over the hook's limit]` };
}

function blocked(reading: Reading, reason: string): HookAnswer {
  return { block: { reason, by: reading.by, modelText: blockText(reading, reason) } };
}

function decided(decision: 'allow' | 'deny', reason: string, { by }: Reading): HookAnswer {
  return { permission: { decision, reason, by } };
}

function goOn(text: string, { by }: Reading): HookAnswer {
  return { goOn: { text, by } };
}

function stopped({ stopReason }: Output<'plain'>, { by }: Reading): HookAnswer {
  return { stopTurn: { reason: stopReason?.trim() || 'A hook stopped the turn.', by } };
}
