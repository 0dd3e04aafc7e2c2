import * as z from 'zod';
import type { HookEvent, HookPayload, HookResult } from '../../hooks-api.ts';
import { noAnswer } from './merge.ts';
import type { HookAnswer } from './types.ts';

const Text = z.string().refine((text) => text.trim() !== '', 'it has to say why');

const Result = z.looseObject({
  block: Text.exactOptional(),
  // It needs no reason: the user is asked anyway.
  ask: z.string().exactOptional(),
  input: z.record(z.string(), z.unknown()).exactOptional(),
  context: z.string().exactOptional(),
  go_on: Text.exactOptional(),
});

type Field = keyof HookResult;

/** What has a meaning where. An event that is not here only observes: whatever its handler returns is not looked at. */
const meanings: Partial<Record<HookEvent, readonly Field[] | 'text'>> = {
  pre_tool_call: ['block', 'ask', 'input'],
  pre_llm_call: ['block', 'context'],
  pre_verify: ['go_on'],
  pre_compact: ['block'],
  transform_tool_result: 'text',
  transform_terminal_output: 'text',
  transform_llm_output: 'text',
};

/** True when what a handler of our own dialect returns counts. */
export function nativeAnswers(event: HookEvent): boolean {
  return meanings[event] !== undefined;
}

export interface NativeAnswer {
  readonly answer: HookAnswer;
  /** What of it was ignored, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads what a handler returned (`HookOutcome`). What does not fit is ignored as a whole, with a warning.
 *
 * @param by the hook, for people
 */
export function nativeAnswer(event: HookEvent, payload: HookPayload, value: unknown, by: string): NativeAnswer {
  const meaning = meanings[event];
  if (meaning === undefined || value === undefined || value === null) return nothing;
  if (meaning === 'text') {
    return typeof value === 'string' ? { answer: { replace: value }, warnings: [] } : ignored('it is no text');
  }
  const result = event === 'pre_llm_call' && typeof value === 'string' ? { context: value } : value;
  const parsed = Result.safeParse(result);
  if (!parsed.success) return ignored(issueWords(parsed.error));
  const { block, ask, input, context, go_on } = pick(parsed.data, meaning);
  return {
    answer: {
      ...(block !== undefined && { block: { reason: block, by, modelText: `Refused by the hook ${by}: ${block}` } }),
      ...(ask !== undefined && { ask: { reason: ask.trim() || 'It wants you to decide.', by } }),
      ...(input && { input: { ...inputOf(payload), ...input } }),
      ...(context && { context }),
      ...(go_on !== undefined && { goOn: { text: go_on, by } }),
    },
    warnings: meaningless(parsed.data, meaning, event),
  };
}

const nothing: NativeAnswer = { answer: noAnswer, warnings: [] };

function ignored(why: string): NativeAnswer {
  return { answer: noAnswer, warnings: [`Its answer was ignored: ${why}.`] };
}

function issueWords({ issues: [issue] }: z.ZodError): string {
  if (!issue) return 'it does not fit';
  return issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ${issue.message}` : issue.message;
}

function pick(result: HookResult, fields: readonly Field[]): HookResult {
  return Object.fromEntries(Object.entries(result).filter(([key]) => (fields as readonly string[]).includes(key)));
}

function meaningless(result: object, fields: readonly Field[], event: HookEvent): readonly string[] {
  const extra = Object.keys(result).filter((key) => !(fields as readonly string[]).includes(key));
  if (extra.length === 0) return [];
  return [`Its answer to ${event} has no use for ${extra.join(', ')}; what counts there is ${fields.join(', ')}.`];
}

function inputOf(payload: HookPayload): object {
  const input = 'tool_input' in payload ? payload.tool_input : undefined;
  return typeof input === 'object' && input !== null ? input : {};
}
