/** What a hook of Cline said. A JSON object counts whatever the exit code; without one, a failure stops nothing. */

import * as z from 'zod';
import { issuesOf } from '../../../declarations/json-text.ts';
import type { HookAnswer } from '../../types.ts';
import { unknownFields } from '../declared.ts';
import { endedWith, saidOn } from '../stdout.ts';
import type { Values } from '../tool-aliases/index.ts';
import type { Reading, ReadOutput, RunEnd } from '../types.ts';
import type { ClineEvent } from './events.ts';

const output = z.object({
  cancel: z.boolean().default(false),
  contextModification: z.string().nullish(),
  errorMessage: z.string().nullish(),
});

/** Bytes of text for the model. */
const CONTEXT = 50 * 1024;
/** Lines at which the object may begin, from the last: each is tried with all that follows. */
const BEGINNINGS = 100;

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const value = objectOn(end.stdout);
  if (value) return readObject(value, reading);
  if (end.exitCode !== 0) return { answer: {}, warnings: [], failed: endedWith(end) };
  const wrote = end.stdout.trim() !== '';
  return { answer: {}, warnings: wrote ? ['What it wrote is no JSON object and has no effect.'] : [] };
}

function blockText({ hook }: Reading, reason: string): string {
  return `The ${hook.declaredAs} hook cancelled this: ${reason}`;
}

/** All of stdout, or its last lines: a script may print other things before. */
function objectOn(stdout: string): Values | undefined {
  const whole = saidOn(stdout);
  if (whole.is === 'object') return whole.value;
  let begin = stdout.length;
  for (let tried = 0; tried < BEGINNINGS && begin > 0; tried++) {
    begin = stdout.lastIndexOf('\n{', begin - 1);
    if (begin < 0) break;
    const read = saidOn(stdout.slice(begin));
    if (read.is === 'object') return read.value;
  }
  return undefined;
}

function readObject(value: Values, reading: Reading): ReadOutput {
  const read = output.safeParse(value);
  if (!read.success) {
    return { answer: {}, warnings: [], failed: `What it wrote cannot be read: ${issuesOf(read.error)}.` };
  }
  const { cancel, contextModification, errorMessage } = read.data;
  const warnings = unknownFields(value, Object.keys(output.shape));
  const context = contextModification ? { context: withinLimit(contextModification, warnings) } : {};
  const answer = { ...(cancel ? cancelled(errorMessage?.trim(), reading, warnings) : {}), ...context };
  return { answer, warnings, ...(errorMessage && !cancel ? { message: errorMessage } : {}) };
}

function cancelled(message: string | undefined, reading: Reading, warnings: string[]): HookAnswer {
  const event = reading.hook.declaredAs as ClineEvent;
  const reason = message || 'no reason was given';
  switch (event) {
    case 'PreToolUse':
    case 'UserPromptSubmit':
    case 'PreCompact':
      return { block: { reason, by: reading.by, modelText: blockText(reading, reason) } };
    case 'PostToolUse':
    case 'TaskStart':
    case 'TaskResume':
      return { stopTurn: { reason, by: reading.by } };
    case 'TaskCancel':
    case 'TaskComplete':
    case 'TaskError':
    case 'SessionShutdown':
    case 'Notification':
      warnings.push(`${event} cannot be cancelled.`);
      return {};
    default:
      return event satisfies never;
  }
}

function withinLimit(text: string, warnings: string[]): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= CONTEXT) return text;
  warnings.push(`Of the text for the model, ${CONTEXT / 1024} of ${Math.ceil(bytes.length / 1024)} KB count.`);
  return `${bytes
    .subarray(0, CONTEXT)
    .toString()
    .replace(/\ufffd$/, '')}\n[… cut]`;
}
