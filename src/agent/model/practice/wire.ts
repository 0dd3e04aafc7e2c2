/** The practice model: a script inside the extension that drives the real loop and the real tools. No network. */

import type { ModelPart, ModelRequest, ModelWire } from '../types.ts';
import { readHistory } from './history.ts';
import { nextMove } from './scenarios.ts';

/** Resolves after `ms` milliseconds, or at once when the signal aborts. */
export type Pace = (ms: number, signal: AbortSignal) => Promise<void>;

export interface PracticeOptions {
  /** How time passes; tests let none pass. */
  readonly pace?: Pace;
}

const THINKING_MS = 250;
const WORD_MS = 25;
const SLOW_WORD_MS = 110;

export function createPracticeWire({ pace = elapse }: PracticeOptions = {}): ModelWire {
  return { stream: (request, signal) => rehearse(request, signal, pace) };
}

async function* rehearse(request: ModelRequest, signal: AbortSignal, pace: Pace): AsyncGenerator<ModelPart, void> {
  const rehearsal = readHistory(request);
  const move = nextMove(rehearsal);
  await pace(THINKING_MS, signal);
  if (signal.aborted) return yield { type: 'aborted' };
  yield { type: 'head' };
  for (const text of words(move.say)) {
    await pace(move.slow === true ? SLOW_WORD_MS : WORD_MS, signal);
    if (signal.aborted) return yield { type: 'aborted' };
    yield { type: 'text', text };
  }
  const calls = (move.calls ?? []).map((call, index) => ({
    ...call,
    callId: `practice_${rehearsal.calls + index + 1}`,
  }));
  for (const [index, { name, input }] of calls.entries()) {
    if (signal.aborted) return yield { type: 'aborted' };
    yield { type: 'call_progress', index, name, characters: JSON.stringify(input).length };
  }
  if (signal.aborted) return yield { type: 'aborted' };
  yield { type: 'end', finish: calls.length > 0 ? 'tool_calls' : 'stop', calls, thinking: [] };
}

/** Each word with the space behind it. */
function words(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function elapse(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
