/** What a hook of VS Code said. Unknown fields are forgiven; what has no effect is told. */

import * as z from 'zod';
import { anyObject, issuesOf } from '../../../declarations/json-text.ts';
import type { HookAnswer } from '../../types.ts';
import { agentWords, unknownFields } from '../declared.ts';
import { endedWith, saidOn } from '../stdout.ts';
import { isAboutCall, ownInput, type Values } from '../tool-aliases/index.ts';
import { vscodeTools } from '../tool-aliases/vscode.ts';
import type { Reading, ReadOutput, RunEnd } from '../types.ts';
import { eventName, type VscodeEvent } from './events.ts';

const text = z.string().nullish();
const output = z.object({
  continue: z.boolean().default(true),
  stopReason: text,
  systemMessage: text,
  suppressOutput: z.boolean().optional(),
  decision: text,
  reason: text,
  hookSpecificOutput: anyObject.nullish(),
});
const specific = z.object({
  hookEventName: z.string().optional(),
  permissionDecision: z.enum(['allow', 'ask', 'deny']).nullish(),
  permissionDecisionReason: text,
  updatedInput: anyObject.nullish(),
  additionalContext: text,
  decision: text,
  reason: text,
});

type Output = z.infer<typeof output>;
type Specific = z.infer<typeof specific>;

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const event = eventName(reading.hook.declaredAs) as VscodeEvent;
  if (end.exitCode === 2) return refused(event, end, reading);
  if (end.exitCode !== 0) return failed(endedWith(end));
  const said = saidOn(end.stdout);
  switch (said.is) {
    case 'nothing':
      return { answer: {}, warnings: [] };
    case 'text':
      return { answer: {}, warnings: ['What it wrote is no JSON object and has no effect.'] };
    case 'object':
      return readObject(said.value, event, reading);
    default:
      return said satisfies never;
  }
}

function blockText({ hook }: Reading, reason: string): string {
  return `Tool execution denied by the ${eventName(hook.declaredAs)} hook: ${reason}`;
}

function failed(why: string): ReadOutput {
  return { answer: {}, warnings: [], failed: why };
}

/** Exit code 2, with the reason on stderr. */
function refused(event: VscodeEvent, end: RunEnd, reading: Reading): ReadOutput {
  const reason = end.stderr.trim() || end.stdout.trim() || 'no reason was given';
  switch (event) {
    case 'PreToolUse':
    case 'UserPromptSubmit':
    case 'PreCompact':
    case 'PostToolUse':
      return { answer: blocked(reason, reading), warnings: [] };
    case 'Stop':
      return { answer: { goOn: { text: reason, by: reading.by } }, warnings: [] };
    case 'SubagentStop':
      return { answer: {}, warnings: [agentWords.stop] };
    case 'SessionStart':
    case 'SubagentStart':
    case 'SessionEnd':
    case 'ErrorOccurred':
      return { answer: {}, warnings: [`${endedWith(end)} Nothing is refused at ${event}.`] };
    default:
      return event satisfies never;
  }
}

function readObject(value: Values, event: VscodeEvent, reading: Reading): ReadOutput {
  const read = output.safeParse(value);
  if (!read.success) return failed(`What it wrote cannot be read: ${issuesOf(read.error)}.`);
  const inner = specificOf(read.data, event);
  if (typeof inner === 'string') return failed(inner);
  const warnings = [...unknownFields(value, Object.keys(output.shape)), ...inner.warnings];
  const answer = { ...answerOf(event, read.data, inner.said, reading, warnings), ...stopOf(read.data, event, reading) };
  const { systemMessage } = read.data;
  return { answer, warnings, ...(systemMessage ? { message: systemMessage } : {}) };
}

/** What is said about another event does not count. */
function specificOf(
  { hookSpecificOutput }: Output,
  event: VscodeEvent,
): { readonly said: Specific; readonly warnings: readonly string[] } | string {
  const read = specific.safeParse(hookSpecificOutput ?? {});
  if (!read.success) return `hookSpecificOutput cannot be read: ${issuesOf(read.error)}.`;
  const { hookEventName = event } = read.data;
  const about = new Set<string>([event, ...(alsoAbout[event] ?? [])]);
  if (about.has(eventName(hookEventName))) {
    return { said: read.data, warnings: unknownFields(hookSpecificOutput ?? {}, Object.keys(specific.shape)) };
  }
  return { said: {}, warnings: [`hookSpecificOutput is about ${hookEventName}, not ${event}, and has no effect.`] };
}

const alsoAbout: Partial<Record<VscodeEvent, readonly string[]>> = {
  SubagentStop: ['Stop'],
  SubagentStart: ['SessionStart'],
};

function answerOf(event: VscodeEvent, said: Output, inner: Specific, reading: Reading, warnings: string[]): HookAnswer {
  const context = inner.additionalContext ? { context: inner.additionalContext } : {};
  // Stop has its decision inside, by the page of VS Code, and outside, as in Claude Code.
  const decision = inner.decision ?? said.decision;
  const reason = (inner.decision ? inner.reason : said.reason)?.trim();
  const isBlock = decision === 'block';
  if (decision && !isBlock && decision !== 'deny') warnings.push(`${decision} is no decision at ${event}.`);
  switch (event) {
    case 'PreToolUse':
      return { ...aboutCall(said, inner, reading, warnings), ...context };
    case 'PostToolUse':
    case 'UserPromptSubmit':
    case 'PreCompact':
      return isBlock ? { ...blocked(reason || 'no reason was given', reading), ...context } : context;
    case 'SubagentStop':
      if (isBlock) warnings.push(agentWords.stop);
      return {};
    case 'Stop':
      if (isBlock && !reason) warnings.push('It wants the agent to go on, but does not say with what.');
      return isBlock && reason ? { goOn: { text: reason, by: reading.by } } : {};
    case 'SubagentStart':
      if (inner.additionalContext) warnings.push(agentWords.start);
      return {};
    case 'SessionStart':
      return context;
    case 'SessionEnd':
    case 'ErrorOccurred':
      return {};
    default:
      return event satisfies never;
  }
}

function aboutCall(said: Output, inner: Specific, reading: Reading, warnings: string[]): HookAnswer {
  const { permissionDecision: decision, permissionDecisionReason, updatedInput } = inner;
  const reason = permissionDecisionReason?.trim() || 'no reason was given';
  if (decision === 'deny') return blocked(reason, reading);
  if (!decision && (said.decision === 'block' || said.decision === 'deny')) {
    warnings.push('PreToolUse is decided by hookSpecificOutput.permissionDecision; here `decision` counts as well.');
    return blocked(said.reason?.trim() || 'no reason was given', reading);
  }
  const input = updatedInput ? changedInput(updatedInput, reading, warnings) : {};
  const by = { reason, by: reading.by };
  if (decision === 'ask') return { ask: by, ...input };
  return decision === 'allow' ? { permission: { decision, ...by }, ...input } : input;
}

/** An input that does not fit is dropped, as in VS Code. */
function changedInput(changed: Values, { payload }: Reading, warnings: string[]): HookAnswer {
  if (!isAboutCall(payload)) return {};
  const input = ownInput(vscodeTools, payload, changed);
  if (typeof input !== 'string') return { input };
  warnings.push(`updatedInput has no effect: ${input}.`);
  return {};
}

function stopOf({ continue: goesOn, stopReason, reason }: Output, event: VscodeEvent, { by }: Reading): HookAnswer {
  if (goesOn || withoutStop.has(event)) return {};
  return { stopTurn: { reason: stopReason?.trim() || reason?.trim() || 'A hook stopped the turn.', by } };
}

/** Where no turn runs that could be ended. */
const withoutStop: ReadonlySet<string> = new Set(['SessionEnd', 'ErrorOccurred', 'SubagentStart', 'SubagentStop']);

function blocked(reason: string, reading: Reading): HookAnswer {
  const modelText =
    isAboutCall(reading.payload) && !('status' in reading.payload) ? blockText(reading, reason) : reason;
  return { block: { reason, by: reading.by, modelText } };
}
