/** Turns for the APIs that want a user's and the model's to alternate. */

import type { ModelMessage } from '../types.ts';
import { resultsBehind, type ToolMessage } from './results-behind.ts';
import { GO_ON, isBlank } from './wire-text.ts';

export interface AlternatingTurn<Part> {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

/** How an API writes each kind of message; without parts the message is left out. */
export interface PartWriter<Part> {
  user(message: Extract<ModelMessage, { role: 'user' }>): readonly Part[];
  /** `thinks` is false inside a turn that has already spoken: thinking only opens one. */
  assistant(message: Extract<ModelMessage, { role: 'assistant' }>, thinks: boolean): readonly Part[];
  result(message: ToolMessage): Part;
  text(text: string): Part;
}

/**
 * The results of one batch are one turn, and so are answers of the model that follow one another. A call without its
 * result, or a result without its call, is left out: the APIs refuse a conversation for it, for ever.
 */
export function alternatingTurns<Part>(
  history: readonly ModelMessage[],
  write: PartWriter<Part>,
): AlternatingTurn<Part>[] {
  const turns: AlternatingTurn<Part>[] = [];
  let collecting = false;
  for (const message of paired(history)) {
    const open = turns.at(-1);
    const role = message.role === 'assistant' ? 'model' : 'user';
    const isResult = message.role === 'tool';
    const parts = partsOf(message, write, open?.role !== 'model');
    if (parts.length === 0) continue;
    if (open?.role === role && (role === 'model' || (isResult && collecting))) {
      open.parts.push(...parts);
      continue;
    }
    if (open?.role === 'user' && role === 'user') turns.push({ role: 'model', parts: [write.text(GO_ON)] });
    turns.push({ role, parts: [...parts] });
    collecting = isResult;
  }
  return turns;
}

/** Thinking and signatures were made for all calls of an answer: with one of them left out they are worth nothing. */
function paired(history: readonly ModelMessage[]): readonly ModelMessage[] {
  return history.flatMap((message, index): readonly ModelMessage[] => {
    if (message.role === 'tool') return [];
    if (message.role === 'user') return [message];
    const results = resultsBehind(history, index);
    const answers = message.calls.map(({ callId }) => results.find((result) => result.callId === callId));
    const kept = answers.filter((result) => result !== undefined);
    if (kept.length === answers.length) return [message, ...kept];
    const calls = message.calls.filter((_call, place) => answers[place] !== undefined);
    return [{ ...message, thinking: [], calls }, ...kept];
  });
}

function partsOf<Part>(message: ModelMessage, write: PartWriter<Part>, thinks: boolean): readonly Part[] {
  switch (message.role) {
    case 'user':
      return write.user(message);
    case 'assistant':
      return write.assistant(message, thinks);
    case 'tool':
      return [write.result(message)];
    default:
      return message satisfies never;
  }
}

/**
 * How many messages, from the first on, are written the same way whatever stands behind them: up to the model's turn
 * before its newest one. Behind them are at least three turns whenever there are more.
 */
export function settledTurns(history: readonly ModelMessage[]): number {
  let opened = 0;
  for (let index = history.length - 1; index > 0; index--) {
    if (!opensTurn(history, index)) continue;
    opened += 1;
    if (opened === 2) return index;
  }
  return 0;
}

/** An answer with something in it, behind something that the user's side certainly said. */
function opensTurn(history: readonly ModelMessage[], index: number): boolean {
  const message = history[index];
  const before = history[index - 1];
  if (message?.role !== 'assistant' || before === undefined || before.role === 'assistant') return false;
  if (isBlank(message.text) && history[index + 1]?.role !== 'tool') return false;
  return before.role === 'tool' || !isBlank(before.text);
}
