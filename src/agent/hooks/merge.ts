import { isDeepStrictEqual } from 'node:util';
import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import type { Hook, HookAnswer } from './types.ts';

/** An answer with what its place among the others depends on. */
export interface Answered {
  readonly hook: Pick<Hook, 'dialect' | 'name'>;
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
  const said = answers.filter(({ answer }) => Object.keys(answer).length > 0);
  if (said.length === 0) return noAnswer;
  return { ...decision(payload, said), ...texts(event, said) };
}

/** What becomes of the call, prompt or compaction. The most severe word wins; weaker ones are not heard. */
function decision(payload: HookPayload, said: readonly Answered[]): HookAnswer {
  const block = first(said, 'block');
  if (block) return { block };
  const ask = first(said, 'ask');
  const denied = said.find(({ answer }) => answer.permission?.decision === 'deny')?.answer.permission;
  const permission = denied ?? (ask ? undefined : allowance(said));
  return { ...(ask && { ask }), ...(permission && { permission }), ...mergedInput(payload, said) };
}

/** An input that one hook changed was not seen by another that allowed the one before: its word does not count. */
function allowance(said: readonly Answered[]): HookAnswer['permission'] {
  if (said.some(({ answer }) => answer.input && !answer.permission)) return undefined;
  return first(said, 'permission');
}

/**
 * Hooks of Midcourse and Hermes change single values of the input: several add up, the later wins for the same key.
 * Those of the other systems replace it: the last one wins.
 */
function mergedInput(payload: HookPayload, said: readonly Answered[]): Pick<HookAnswer, 'input' | 'inputBy'> {
  const original = record('tool_input' in payload ? payload.tool_input : undefined);
  let input: Readonly<Record<string, unknown>> | undefined;
  let by: readonly Answered[] = [];
  for (const one of said) {
    if (!one.answer.input) continue;
    const adds = one.hook.dialect === 'midcourse' || one.hook.dialect === 'hermes';
    input = adds ? { ...(input ?? original), ...changes(one.answer.input, original) } : one.answer.input;
    by = adds ? [...by, one] : [one];
  }
  return input ? { input, inputBy: names(by) } : {};
}

function changes(input: Readonly<Record<string, unknown>>, before: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => !isDeepStrictEqual(before[key], value)));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** What is said beside a decision counts whatever the decision is. */
function texts(event: HookEvent, said: readonly Answered[]): HookAnswer {
  const telling = said.filter(({ answer }) => answer.context);
  const replacing = said.find(({ answer }) => replaces(event, answer.replace));
  const goOn = together(said.flatMap(({ answer }) => answer.goOn ?? []));
  const stopTurn = first(said, 'stopTurn');
  return {
    ...(telling.length > 0 && {
      context: telling.map(({ answer }) => answer.context).join('\n\n'),
      contextBy: names(telling),
    }),
    ...(replacing?.answer.replace !== undefined && {
      replace: replacing.answer.replace,
      replaceBy: replacing.hook.name,
    }),
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
  const by = [...new Set(wishes.map((wish) => wish.by))];
  return { text: wishes.map(({ text }) => text).join('\n\n'), by: by.join(', ') };
}

function names(of: readonly Answered[]): string {
  return [...new Set(of.map(({ hook }) => hook.name))].join(', ');
}

function first<K extends keyof HookAnswer>(said: readonly Answered[], key: K): HookAnswer[K] | undefined {
  return said.find(({ answer }) => answer[key] !== undefined)?.answer[key];
}
