import { isDeepStrictEqual } from 'node:util';
import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import type { Hook, HookAnswer } from './types.ts';

/** An answer with what its place among the others depends on. */
export interface Answered {
  readonly hook: Pick<Hook, 'dialect'>;
  readonly answer: HookAnswer;
}

/** Says nothing. */
export const noAnswer: HookAnswer = Object.freeze({});

/**
 * One answer from those of all hooks of an event, by severity (block, ask, modify, allow), then by their order.
 *
 * @param answers in the order of their sources
 */
export function mergeAnswers(event: HookEvent, payload: HookPayload, answers: readonly Answered[]): HookAnswer {
  const said = answers.filter(({ answer }) => answer !== noAnswer && Object.keys(answer).length > 0);
  if (said.length === 0) return noAnswer;
  const spoken = said.map(({ answer }) => answer);
  return { ...decision(payload, said), ...texts(event, spoken) };
}

/** What becomes of the call, prompt or compaction. The most severe word wins; weaker ones are not heard. */
function decision(payload: HookPayload, said: readonly Answered[]): HookAnswer {
  const answers = said.map(({ answer }) => answer);
  const block = first(answers, 'block');
  if (block) return { block };
  const ask = first(answers, 'ask');
  const denied = answers.find(({ permission }) => permission?.decision === 'deny')?.permission;
  const permission = denied ?? (ask ? undefined : allowance(answers));
  const input = mergedInput(payload, said);
  return { ...(ask && { ask }), ...(permission && { permission }), ...(input && { input }) };
}

/** An input that one hook changed was not seen by another that allowed the one before: its word does not count. */
function allowance(answers: readonly HookAnswer[]): HookAnswer['permission'] {
  if (answers.some(({ input, permission }) => input && !permission)) return undefined;
  return first(answers, 'permission');
}

/**
 * Hooks of Midcourse and Hermes change single values of the input: several add up, the later wins for the same key.
 * Those of the other systems replace it: the last one wins.
 */
function mergedInput(payload: HookPayload, said: readonly Answered[]): HookAnswer['input'] {
  const original = 'tool_input' in payload ? payload.tool_input : undefined;
  let merged: Readonly<Record<string, unknown>> | undefined;
  for (const { hook, answer } of said) {
    if (!answer.input) continue;
    const adds = hook.dialect === 'midcourse' || hook.dialect === 'hermes';
    merged = adds ? { ...(merged ?? record(original)), ...changes(answer.input, original) } : answer.input;
  }
  return merged;
}

function changes(input: Readonly<Record<string, unknown>>, original: unknown): Record<string, unknown> {
  const before = record(original);
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => !isDeepStrictEqual(before[key], value)));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** What is said beside a decision counts whatever the decision is. */
function texts(event: HookEvent, answers: readonly HookAnswer[]): HookAnswer {
  const context = answers.flatMap((answer) => answer.context || []).join('\n\n');
  const replace = answers.find((answer) => replaces(event, answer.replace))?.replace;
  const goOn = together(answers.flatMap((answer) => answer.goOn ?? []));
  const stopTurn = first(answers, 'stopTurn');
  return {
    ...(context !== '' && { context }),
    ...(replace !== undefined && { replace }),
    ...(goOn && { goOn }),
    ...(stopTurn && { stopTurn }),
  };
}

/** An empty text is a result like any other, but no last word of a turn. */
function replaces(event: HookEvent, text: string | undefined): boolean {
  return text !== undefined && (event !== 'transform_llm_output' || text !== '');
}

/** The agent goes on once, with all that it was told to do. */
function together(wishes: readonly NonNullable<HookAnswer['goOn']>[]): HookAnswer['goOn'] {
  if (wishes.length < 2) return wishes[0];
  return { text: wishes.map(({ text }) => text).join('\n\n'), by: wishes.map(({ by }) => by).join(', ') };
}

function first<K extends keyof HookAnswer>(answers: readonly HookAnswer[], key: K): HookAnswer[K] | undefined {
  return answers.find((answer) => answer[key] !== undefined)?.[key];
}
