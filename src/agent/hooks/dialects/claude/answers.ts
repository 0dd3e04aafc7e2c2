/** From the words of Claude Code to what the loop understands, event by event. */

import type { HookAnswer } from '../../types.ts';
import { type CallPayload, claudeTools, isAboutCall, ownInput, ownResult, type Values } from '../tool-aliases/index.ts';
import type { Reading } from '../types.ts';
import { blockText } from './block-text.ts';
import { type ClaudeEvent, ruleOf } from './events.ts';
import type { SaidObject } from './read-object.ts';

export interface Mapped {
  readonly answer: HookAnswer;
  readonly warnings: readonly string[];
}

/** A refusal of what the event is about; undefined where it can refuse nothing. */
export function refusalOf(reading: Reading, words: string): HookAnswer | undefined {
  const { by, hook } = reading;
  const reason = words.trim();
  const rule = ruleOf(hook.declaredAs)?.exit2;
  switch (rule) {
    case 'go_on':
      return { goOn: { text: blockText(reading, words), by } };
    case 'block':
    case 'feedback':
      return { block: { reason, by, modelText: blockText(reading, words) } };
    case 'user':
    case undefined:
      return undefined;
    default:
      return rule satisfies never;
  }
}

export function answerOf(said: SaidObject, reading: Reading): Mapped {
  const event = reading.hook.declaredAs as ClaudeEvent;
  switch (event) {
    case 'PreToolUse':
      return preToolUse(said, reading);
    case 'PermissionRequest':
      return permissionRequest(said, reading);
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return postToolUse(said, reading);
    case 'UserPromptSubmit':
    case 'PreCompact':
    case 'Stop':
      return { answer: { ...blocked(said, reading), ...context(said) }, warnings: approveIgnored(said, event) };
    case 'SessionStart':
      return { answer: context(said), warnings: decisionIgnored(said, event) };
    case 'SessionEnd':
    case 'PostToolBatch':
    case 'SubagentStart':
    case 'SubagentStop':
    case 'Notification':
    case 'MessageDisplay':
    case 'StopFailure':
    case 'PostCompact':
    case 'PreModelSwitch':
    case 'PostModelSwitch':
      return { answer: {}, warnings: [...decisionIgnored(said, event), ...contextIgnored(said, event)] };
    default:
      return event satisfies never;
  }
}

function preToolUse(said: SaidObject, reading: Reading): Mapped {
  const { by } = reading;
  const { permissionDecision, permissionDecisionReason, updatedInput } = said.specific;
  const old = said.decision === 'block' ? 'deny' : said.decision === 'approve' ? 'allow' : undefined;
  const decision = permissionDecision ?? old;
  const reason = permissionDecisionReason ?? said.common.reason ?? undefined;
  if (decision === 'deny') {
    return { answer: { ...refusalOf(reading, reason ?? 'Blocked by hook'), ...context(said) }, warnings: [] };
  }
  const input = updatedInput ? inputOf(updatedInput, reading) : {};
  if (typeof input === 'string') return { answer: unusable(reading, input), warnings: [input] };
  const answer = { ...input, ...context(said) };
  switch (decision) {
    case 'ask':
      return { answer: { ...answer, ask: { reason: reason ?? 'The hook wants you to decide.', by } }, warnings: [] };
    case 'allow':
      return { answer: { ...answer, permission: { decision: 'allow', reason: reason ?? '', by } }, warnings: [] };
    case 'defer':
      return {
        answer,
        warnings: ['permissionDecision "defer" only has a meaning without a user; it says nothing here.'],
      };
    case undefined:
    case null:
      return { answer, warnings: [] };
    default:
      return decision satisfies never;
  }
}

/** The call must not run with what the hook wanted to be changed. */
function unusable(reading: Reading, why: string): HookAnswer {
  return { block: { reason: why, by: reading.by, modelText: blockText(reading, why) } };
}

function permissionRequest({ specific }: SaidObject, reading: Reading): Mapped {
  const { by } = reading;
  const { decision } = specific;
  if (!decision) return { answer: {}, warnings: [] };
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = decision;
  const warnings = updatedPermissions ? ['updatedPermissions has no effect here: rules are the user’s to make.'] : [];
  const reason = message ?? '';
  if (behavior === 'deny') {
    const stopTurn = interrupt
      ? { stopTurn: { reason: reason || 'The hook denied the call and ended the turn.', by } }
      : {};
    return { answer: { permission: { decision: 'deny', reason, by }, ...stopTurn }, warnings };
  }
  const input = updatedInput ? inputOf(updatedInput, reading) : {};
  if (typeof input === 'string') {
    return { answer: { permission: { decision: 'deny', reason: input, by } }, warnings: [input, ...warnings] };
  }
  return { answer: { permission: { decision: 'allow', reason, by }, ...input }, warnings };
}

/** The result stands; a `block` is told to the model after it. */
function postToolUse(said: SaidObject, reading: Reading): Mapped {
  const { updatedToolOutput, updatedMCPToolOutput } = said.specific;
  const { payload } = reading;
  const isMcp = isAboutCall(payload) && payload.tool_name.startsWith('mcp__');
  const output = updatedToolOutput ?? (isMcp ? updatedMCPToolOutput : undefined);
  const replace =
    output === undefined || output === null || !isAboutCall(payload)
      ? {}
      : { replace: ownResult(claudeTools, payload, output) };
  const wrongTool = updatedMCPToolOutput !== undefined && !isMcp && updatedToolOutput === undefined;
  return {
    answer: { ...blocked(said, reading), ...context(said), ...replace },
    warnings: [
      ...approveIgnored(said, reading.hook.declaredAs),
      ...(wrongTool ? ['updatedMCPToolOutput only has an effect on tools of MCP servers.'] : []),
    ],
  };
}

function blocked(said: SaidObject, reading: Reading): HookAnswer {
  return said.decision === 'block' ? (refusalOf(reading, said.common.reason ?? 'Blocked by hook') ?? {}) : {};
}

function context({ specific }: SaidObject): HookAnswer {
  return specific.additionalContext ? { context: specific.additionalContext } : {};
}

/** The whole input in our tool's shape; a string says why it cannot be had. */
function inputOf(updatedInput: Values, { payload }: Reading): Pick<HookAnswer, 'input'> | string {
  if (!isAboutCall(payload)) return {};
  const input = ownInput(claudeTools, payload satisfies CallPayload, updatedInput);
  if (typeof input !== 'string') return { input };
  return `The hook changed the input to something that cannot be run: ${input}.`;
}

function approveIgnored({ decision }: SaidObject, event: string): readonly string[] {
  return decision === 'approve' ? [`decision "approve" says nothing at ${event}.`] : [];
}

function decisionIgnored({ decision }: SaidObject, event: string): readonly string[] {
  return decision === undefined ? [] : [`A decision has no effect at ${event}.`];
}

function contextIgnored({ specific }: SaidObject, event: string): readonly string[] {
  return specific.additionalContext
    ? [`additionalContext has no effect at ${event}: nobody waits for its answer.`]
    : [];
}
