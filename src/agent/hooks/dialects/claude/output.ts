/** What a hook of Claude Code said, by its exit code and its stdout. */

import type { HookAnswer } from '../../types.ts';
import { endedWith, saidOn } from '../stdout.ts';
import type { Reading, ReadOutput, RunEnd, Verdict } from '../types.ts';
import { answerOf, refusalOf } from './answers.ts';
import { type ClaudeEvent, ruleOf } from './events.ts';
import { readObject, type SaidObject } from './read-object.ts';

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const event = reading.hook.declaredAs as ClaudeEvent;
  const said = saidOn(end.stdout);
  const object = said.is === 'object' ? readObject(said.value, event) : undefined;
  if (end.exitCode === 2) return refused(end, reading, object);
  if (typeof object === 'string') return { answer: {}, warnings: [], failed: object };
  if (object) {
    const odd = end.exitCode === 0 ? [] : [`${endedWith(end)} What it wrote counts all the same.`];
    return {
      ...answered(object, reading),
      warnings: [...odd, ...object.warnings, ...mappingWarnings(object, reading)],
    };
  }
  if (end.exitCode !== 0) return { answer: {}, warnings: [], failed: endedWith(end) };
  return said.is === 'text' ? plainText(said.text, event) : { answer: {}, warnings: [] };
}

/** Exit code 2 refuses whatever stands on stdout; where nothing can be refused it is only told to the user. */
function refused(end: RunEnd, reading: Reading, object: SaidObject | string | undefined): ReadOutput {
  const said = typeof object === 'string' ? undefined : object;
  const reason = end.stderr.trim() === '' ? said && reasonOf(said) : end.stderr;
  const refusal = refusalOf(reading, reason ?? 'No stderr output');
  if (!refusal) return { answer: {}, warnings: said?.warnings ?? [], failed: endedWith(end) };
  const { stopTurn } = said ? answered(said, reading).answer : {};
  return {
    answer: { ...refusal, ...(stopTurn && { stopTurn }) },
    ...message(said),
    warnings: said?.warnings ?? [],
  };
}

function reasonOf({ common, specific }: SaidObject): string | undefined {
  return specific.permissionDecisionReason ?? common.reason ?? undefined;
}

function answered(said: SaidObject, reading: Reading): ReadOutput {
  const read = answerOf(said, reading);
  const answer: HookAnswer = stopsTurn(said)
    ? { ...without(read.answer, 'goOn'), stopTurn: { reason: stopReason(said), by: reading.by } }
    : read.answer;
  return { answer, ...message(said), warnings: [] };
}

/** Only a plain `false` says anything: `continue: true` is what goes on by itself (F33). */
function stopsTurn({ common }: SaidObject): boolean {
  return common.continue === false;
}

function stopReason({ common }: SaidObject): string {
  return common.stopReason || common.reason || 'The hook ended the turn.';
}

function message(said: SaidObject | undefined): Pick<ReadOutput, 'message'> {
  return said?.common.systemMessage ? { message: said.common.systemMessage } : {};
}

function mappingWarnings(said: SaidObject, reading: Reading): readonly string[] {
  const rule = ruleOf(reading.hook.declaredAs);
  const unheard = rule?.answers === false && stopsTurn(said);
  return [
    ...answerOf(said, reading).warnings,
    ...(unheard ? [`continue: false has no effect at ${reading.hook.declaredAs}: nobody waits for its answer.`] : []),
    ...(said.common.terminalSequence ? ['terminalSequence has no effect here: there is no terminal.'] : []),
  ];
}

/** Where a conversation or a turn begins, plain text is something for the model. */
function plainText(text: string, event: ClaudeEvent): ReadOutput {
  const broken = text.startsWith('{') ? ['What it wrote begins like a JSON object but is none.'] : [];
  const isContext = event === 'SessionStart' || event === 'UserPromptSubmit';
  return { answer: isContext ? { context: text } : {}, warnings: broken };
}

/** What a model said about the event, where a hook asks one. */
export function readVerdict({ ok, reason, impossible }: Verdict, reading: Reading): ReadOutput {
  if (ok) return { answer: {}, warnings: [] };
  const why = reason || 'The model that was asked said no.';
  const stops = { stopTurn: { reason: why, by: reading.by } };
  const { hook } = reading;
  switch (hook.declaredAs as ClaudeEvent) {
    case 'PostToolUse': {
      const goesOn = hook.handler.type === 'prompt' && hook.handler.continueOnBlock === true;
      return { answer: goesOn ? (refusalOf(reading, why) ?? {}) : stops, warnings: [] };
    }
    case 'PermissionRequest':
      return { answer: { permission: { decision: 'deny', reason: why, by: reading.by } }, warnings: [] };
    case 'Stop':
      return impossible
        ? { answer: {}, message: why, warnings: [] }
        : { answer: refusalOf(reading, why) ?? {}, warnings: [] };
    default: {
      const refusal = refusalOf(reading, why);
      return refusal ? { answer: refusal, warnings: [] } : { answer: {}, message: why, warnings: [] };
    }
  }
}

function without<K extends keyof HookAnswer>(answer: HookAnswer, key: K): Omit<HookAnswer, K> {
  const { [key]: _, ...rest } = answer;
  return rest;
}
