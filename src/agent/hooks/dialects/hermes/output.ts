/** What a shell hook of Hermes said. A hook that fails lets the action go on, unless it is to fail closed. */

import type { HookAnswer } from '../../types.ts';
import { beginning, endedWith, saidOn } from '../stdout.ts';
import { hermesTools } from '../tool-aliases/hermes.ts';
import { foreignCall, isAboutCall, ownInput, type Values, valuesOf } from '../tool-aliases/index.ts';
import type { Reading, ReadOutput, RunEnd } from '../types.ts';

/** Where neither stdout nor stderr says why. */
const STOCK = 'Blocked by a shell hook.';
/** Characters of stderr that are a reason. */
const REASON = 400;

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const said = saidOn(end.stdout);
  const about = end.exitCode === 0 ? [] : [endedWith(end)];
  if (reading.hook.event === 'pre_tool_call' && end.exitCode === 2) {
    const message = said.is === 'object' ? blockMessage(said.value) : undefined;
    return { answer: blocked(message ?? (beginning(end.stderr, REASON) || STOCK), reading), warnings: [] };
  }
  switch (said.is) {
    case 'object':
      return withWarnings(answerOf(said.value, reading), about);
    case 'text':
      return notUsable([...about, 'What it wrote is no JSON object and says nothing.'], reading);
    case 'nothing':
      return about.length === 0 ? { answer: {}, warnings: [] } : failed(about.join(' '), reading);
    default:
      return said satisfies never;
  }
}

function withWarnings(read: ReadOutput, warnings: readonly string[]): ReadOutput {
  return { ...read, warnings: [...warnings, ...read.warnings] };
}

function notUsable(warnings: readonly string[], reading: Reading): ReadOutput {
  if (reading.hook.failClosed) return failed(warnings.join(' '), reading);
  return { answer: {}, warnings };
}

function failed(why: string, reading: Reading): ReadOutput {
  const reason = `The hook ${reading.by} failed, and nothing runs without it. ${why}`;
  return { answer: reading.hook.failClosed ? blocked(reason, reading) : {}, warnings: [], failed: why };
}

function answerOf(value: Values, reading: Reading): ReadOutput {
  switch (reading.hook.event) {
    case 'pre_tool_call':
      return aboutCall(value, reading);
    case 'pre_llm_call':
      return {
        answer: contextOf(value),
        warnings: isBlock(value) ? ['A prompt cannot be blocked by a shell hook.'] : [],
      };
    case 'pre_verify':
      return aboutEnd(value, reading);
    default: {
      const decides =
        value.action !== undefined || value.decision !== undefined || contextOf(value).context !== undefined;
      return {
        answer: {},
        warnings: decides ? [`${reading.hook.declaredAs} only tells: its answer has no effect.`] : [],
      };
    }
  }
}

/** The form of Hermes counts before that of Claude Code where a hook wrote both. */
function aboutCall(value: Values, reading: Reading): ReadOutput {
  if (isBlock(value)) return { answer: blocked(blockMessage(value) ?? STOCK, reading), warnings: [] };
  if (value.action === 'approve' || value.decision === 'approve') {
    // It sends the call to the user, and allows nothing.
    return {
      answer: { ask: { reason: text(value.message) ?? 'A shell hook asks for your word.', by: reading.by } },
      warnings: [],
    };
  }
  const args = value.action === 'modify' ? value.args : value.decision === 'modify' ? value.tool_input : undefined;
  if (args !== undefined) return modified(args, reading);
  return { answer: {}, warnings: unknownDecision(value) };
}

/** Changed key by key; what the hook does not name stays. */
function modified(args: unknown, reading: Reading): ReadOutput {
  const { payload } = reading;
  if (typeof args !== 'object' || args === null || Array.isArray(args) || !isAboutCall(payload)) {
    return { answer: {}, warnings: ['It asked for other arguments, but gave no object.'] };
  }
  const whole = { ...foreignCall(hermesTools, payload).input, ...valuesOf(args) };
  const input = ownInput(hermesTools, payload, whole);
  return typeof input === 'string' ? { answer: {}, warnings: [input] } : { answer: { input }, warnings: [] };
}

function aboutEnd(value: Values, reading: Reading): ReadOutput {
  const goesOn = value.action === 'continue' || isBlock(value);
  if (!goesOn) return { answer: {}, warnings: unknownDecision(value) };
  const message = value.action === 'continue' ? text(value.message) : blockMessage(value);
  if (message === undefined)
    return { answer: {}, warnings: ['It wants the agent to go on, but does not say with what.'] };
  return { answer: { goOn: { text: message, by: reading.by } }, warnings: [] };
}

function unknownDecision({ action, decision }: Values): string[] {
  const word = action ?? decision;
  return word === undefined ? [] : [`${String(word)} is no decision here and has no effect.`];
}

function isBlock({ action, decision }: Values): boolean {
  return action === 'block' || decision === 'block';
}

function blockMessage(value: Values): string | undefined {
  const canonical = value.action === 'block' ? text(value.message) : undefined;
  const claude = value.decision === 'block' ? text(value.reason) : undefined;
  return canonical ?? claude ?? text(value.message) ?? text(value.reason);
}

function contextOf({ context }: Values): HookAnswer {
  const words = text(context);
  return words === undefined ? {} : { context: words };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function blocked(reason: string, reading: Reading): HookAnswer {
  return { block: { reason, by: reading.by, modelText: reason } };
}
