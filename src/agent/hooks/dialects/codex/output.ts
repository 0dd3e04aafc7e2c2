/** What a hook of Codex said: objects without unknown fields, or exit code 2 with a reason where it may refuse. */

import type * as z from 'zod';
import { issuesOf } from '../../../declarations/json-text.ts';
import { agentWords } from '../declared.ts';
import { endedWith, saidOn } from '../stdout.ts';
import type { Values } from '../tool-aliases/index.ts';
import type { Reading, ReadOutput, RunEnd } from '../types.ts';
import * as answers from './answers.ts';
import type { CodexEvent } from './events.ts';
import { outputs } from './output-schemas.ts';

export function readOutput(end: RunEnd, reading: Reading): ReadOutput {
  const event = reading.hook.declaredAs as CodexEvent;
  if (end.exitCode === 2) {
    return answers.refusal(event, end.stderr.trim(), reading) ?? answers.failed(endedWith(end));
  }
  if (end.exitCode !== 0) return answers.failed(endedWith(end));
  const said = saidOn(end.stdout);
  switch (said.is) {
    case 'nothing':
      return { answer: {}, warnings: [] };
    case 'text':
      return said.meantAsJson
        ? answers.failed('What it wrote is no JSON object.')
        : readText(said.text, event, reading);
    case 'object':
      return readObject(said.value, event, reading);
    default:
      return said satisfies never;
  }
}

/** Where a conversation or a turn begins, plain text is something for the model. */
function readText(text: string, event: CodexEvent, reading: Reading): ReadOutput {
  switch (event) {
    case 'SubagentStart':
      return { answer: {}, warnings: [agentWords.start] };
    case 'SessionStart':
    case 'UserPromptSubmit':
      return { answer: answers.contextOf(text, reading), warnings: [] };
    case 'Stop':
    case 'SubagentStop':
    case 'Interrupt':
    case 'SessionEnd':
      return answers.failed('What it wrote is no JSON object.');
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PreCompact':
    case 'PostCompact':
    case 'PreModelRequest':
    case 'PostModelRequest':
      return { answer: {}, warnings: ['What it wrote is no JSON object and has no effect.'] };
    default:
      return event satisfies never;
  }
}

function readObject(value: Values, event: CodexEvent, reading: Reading): ReadOutput {
  const read = <T>(schema: z.ZodType<T>, answer: (output: T, reading: Reading) => ReadOutput): ReadOutput => {
    const output = schema.safeParse(value);
    if (output.success) return answer(output.data, reading);
    return answers.failed(`Codex takes no such answer at ${event}: ${issuesOf(output.error)}.`);
  };
  switch (event) {
    case 'SessionStart':
      return read(outputs.SessionStart, answers.sessionStart);
    case 'SubagentStart':
      return read(outputs.SubagentStart, answers.subagentStart);
    case 'UserPromptSubmit':
      return read(outputs.UserPromptSubmit, answers.userPromptSubmit);
    case 'PreToolUse':
      return read(outputs.PreToolUse, answers.preToolUse);
    case 'PermissionRequest':
      return read(outputs.PermissionRequest, answers.permissionRequest);
    case 'PostToolUse':
      return read(outputs.PostToolUse, answers.postToolUse);
    case 'PreCompact':
    case 'PostCompact':
      return read(outputs.plain, answers.compact);
    case 'Stop':
      return read(outputs.Stop, answers.stop);
    case 'SubagentStop':
      return read(outputs.Stop, answers.subagentStop);
    case 'Interrupt':
    case 'SessionEnd':
    case 'PreModelRequest':
    case 'PostModelRequest':
      return read(outputs.plain, (output) => answers.onlyMessage(value, output, reading));
    default:
      return event satisfies never;
  }
}
