/** What a hook of Copilot's command line said. A failed preToolUse refuses the call; its time limit does not. */

import * as z from 'zod';
import { anyObject, issuesOf } from '../../../declarations/json-text.ts';
import type { HookAnswer } from '../../types.ts';
import { agentWords, unknownFields } from '../declared.ts';
import { endedWith, saidOn } from '../stdout.ts';
import { copilotTools } from '../tool-aliases/copilot.ts';
import { isAboutCall, ownInput, type Values } from '../tool-aliases/index.ts';
import type { Reading, ReadOutput, RunEnd } from '../types.ts';
import type { CopilotEvent } from './events.ts';

const text = z.string().nullish();
const output = z.object({
  permissionDecision: z.enum(['allow', 'deny', 'ask']).nullish(),
  permissionDecisionReason: text,
  modifiedArgs: anyObject.nullish(),
  additionalContext: text,
  modifiedResult: z.object({ resultType: z.string().optional(), textResultForLlm: z.string() }).nullish(),
  behavior: z.enum(['allow', 'deny']).nullish(),
  message: text,
  interrupt: z.boolean().nullish(),
  decision: text,
  reason: text,
});

type Output = z.infer<typeof output>;

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const event = reading.hook.declaredAs as CopilotEvent;
  if (end.exitCode === 2) return refused(event, end, reading);
  if (end.exitCode !== 0) return broken(event, end, reading);
  return said(event, end.stdout, reading);
}

function blockText({ hook }: Reading, reason: string): string {
  return `Denied by ${hook.declaredAs} hook: ${reason}`;
}

function said(event: CopilotEvent, stdout: string, reading: Reading): ReadOutput {
  const read = saidOn(withoutProgress(stdout));
  switch (read.is) {
    case 'nothing':
      return { answer: {}, warnings: [] };
    case 'text':
      return { answer: {}, warnings: ['What it wrote is no JSON object and has no effect.'] };
    case 'object':
      return readObject(event, read.value, reading);
    default:
      return read satisfies never;
  }
}

/** Lines that only say how far the hook has come. */
function withoutProgress(stdout: string): string {
  return stdout
    .split('\n')
    .filter((line) => {
      // Only what may be one is parsed: a flood of lines that are no JSON takes the window's time.
      if (!line.includes('"progress"')) return true;
      const read = saidOn(line);
      return read.is !== 'object' || read.value.type !== 'progress';
    })
    .join('\n');
}

/** Exit code 2. */
function refused(event: CopilotEvent, end: RunEnd, reading: Reading): ReadOutput {
  const { value } = objectOn(end.stdout);
  switch (event) {
    case 'preToolUse': {
      const reason = textOf(value.permissionDecisionReason) ?? (end.stderr.trim() || 'no reason was given');
      return { answer: blocked(reason, reading), warnings: [] };
    }
    case 'permissionRequest':
      return readObject(event, { ...value, behavior: 'deny' }, reading);
    case 'postToolUseFailure': {
      const words = textOf(value.additionalContext) ?? end.stdout.trim();
      return { answer: words === '' ? {} : { context: words }, warnings: [] };
    }
    default:
      return { answer: {}, warnings: [endedWith(end)] };
  }
}

function broken(event: CopilotEvent, end: RunEnd, reading: Reading): ReadOutput {
  const failed = endedWith(end);
  if (event !== 'preToolUse') return { answer: {}, warnings: [], failed };
  const reason = `the hook failed. ${failed}`;
  const modelText = `Denied by ${event} hook (hook errored)`;
  return { answer: { block: { reason, by: reading.by, modelText } }, warnings: [], failed };
}

function readObject(event: CopilotEvent, value: Values, reading: Reading): ReadOutput {
  const { flat, warnings } = unnested(value);
  const read = output.safeParse(flat);
  if (!read.success) {
    return { answer: {}, warnings: [], failed: `What it wrote cannot be read: ${issuesOf(read.error)}.` };
  }
  const told = [...warnings, ...unknownFields(flat, Object.keys(output.shape))];
  return { answer: answerOf(event, read.data, reading, told), warnings: told };
}

/** Written as for Claude Code: what is inside counts, so that no refusal is passed over. */
function unnested(value: Values): { readonly flat: Values; readonly warnings: string[] } {
  const { hookSpecificOutput, ...flat } = value;
  const inner = anyObject.safeParse(hookSpecificOutput);
  if (!inner.success) return { flat: value, warnings: [] };
  const { hookEventName: _, ...rest } = inner.data;
  return { flat: { ...flat, ...rest }, warnings: ['Copilot itself reads no hookSpecificOutput; here it counts.'] };
}

function answerOf(event: CopilotEvent, said: Output, reading: Reading, warnings: string[]): HookAnswer {
  const context = said.additionalContext ? { context: said.additionalContext } : {};
  switch (event) {
    case 'preToolUse':
      return { ...aboutCall(said, reading, warnings), ...context };
    case 'permissionRequest':
      return decided(said, reading);
    case 'postToolUse':
      return { ...(said.modifiedResult ? { replace: said.modifiedResult.textResultForLlm } : {}), ...context };
    case 'subagentStop':
      if (said.decision === 'block') warnings.push(agentWords.stop);
      return {};
    case 'agentStop': {
      const reason = said.reason?.trim();
      if (said.decision === 'block' && !reason)
        warnings.push('It wants the agent to go on, but does not say with what.');
      return said.decision === 'block' && reason ? { goOn: { text: reason, by: reading.by } } : {};
    }
    case 'subagentStart':
      if (said.additionalContext) warnings.push(agentWords.start);
      return {};
    case 'sessionStart':
    case 'postToolUseFailure':
      return context;
    case 'sessionEnd':
    case 'userPromptSubmitted':
    case 'errorOccurred':
    case 'preCompact':
    case 'notification':
      if (Object.keys(said).length > 0) warnings.push(`${event} only tells: its answer has no effect.`);
      return {};
    default:
      return event satisfies never;
  }
}

function aboutCall(said: Output, reading: Reading, warnings: string[]): HookAnswer {
  const decision = said.permissionDecision ?? (said.decision === 'block' ? 'deny' : undefined);
  const reason = (said.permissionDecisionReason ?? said.reason)?.trim() || 'no reason was given';
  if (decision === 'deny') return blocked(reason, reading);
  const input = said.modifiedArgs ? changedInput(said.modifiedArgs, reading, warnings) : {};
  const by = { reason, by: reading.by };
  if (decision === 'ask') return { ask: by, ...input };
  return decision === 'allow' ? { permission: { decision, ...by }, ...input } : input;
}

function changedInput(changed: Values, { payload }: Reading, warnings: string[]): HookAnswer {
  if (!isAboutCall(payload)) return {};
  const input = ownInput(copilotTools, payload, changed);
  if (typeof input !== 'string') return { input };
  warnings.push(`modifiedArgs has no effect: ${input}.`);
  return {};
}

function decided({ behavior, message, interrupt }: Output, { by }: Reading): HookAnswer {
  if (!behavior) return {};
  const reason = message?.trim() ?? '';
  const stopTurn =
    behavior === 'deny' && interrupt ? { stopTurn: { reason: reason || 'A hook stopped the turn.', by } } : {};
  return { permission: { decision: behavior, reason, by }, ...stopTurn };
}

function objectOn(stdout: string): { readonly value: Values } {
  const read = saidOn(withoutProgress(stdout));
  return { value: read.is === 'object' ? read.value : {} };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function blocked(reason: string, reading: Reading): HookAnswer {
  return { block: { reason, by: reading.by, modelText: blockText(reading, reason) } };
}
