/** Limits that a refusal names in its words. */

// biome-ignore-all lint/plugin: made of constants of this file alone, each with bounded repetition.

export interface QuotedLimits {
  /** Tokens of the model's window. */
  readonly contextWindow?: number;
  /** The most output tokens: of the model, or, beside a window, what this conversation leaves of it. */
  readonly outputLimit?: number;
}

const N = '([\\d,_]{3,12})';

/** What the input takes and what the window holds: the rest is left for the answer. Groups: window, input. */
const ROOM: readonly RegExp[] = [
  new RegExp(
    `maximum context length is ${N} tokens.{0,120}?\\(${N} (?:tokens )?(?:in|of|from) the (?:messages|prompt|input)`,
    's',
  ),
  new RegExp(
    `maximum context length is ${N} tokens and your (?:request|prompt|input) (?:has|contains) (?:at least )?${N}`,
    's',
  ),
];

/** The same with the input first. */
const INPUT_AND_OUTPUT = new RegExp(`exceed(?:s)? (?:the )?context limit: ${N} \\+ ${N} > ${N}`);

const WINDOW: readonly RegExp[] = [
  new RegExp(`(?:context (?:length|window|size|limit)|context_length)(?: is| of|:|=)?(?: only)?\\D{0,12}?${N}`),
  new RegExp(`tokens? > ${N} maximum`),
  new RegExp(`maximum (?:number of )?(?:input )?tokens(?: allowed)?\\D{0,12}${N}`),
  new RegExp(`token count(?: of)?:? \\(?[\\d,]{1,12}\\)? exceeds the (?:limit|maximum)(?: of|:)? ?${N}`),
  new RegExp(`n_ctx\\W{1,6}${N}`),
  new RegExp(`(?:limit|maximum) of ${N} (?:input |prompt |context )?tokens`),
];

const OUTPUT: readonly RegExp[] = [
  new RegExp(`> ${N},? which is the maximum allowed`),
  new RegExp(`at most ${N} (?:completion|output) tokens`),
  new RegExp(`range of max_\\w*tokens (?:is|should be) \\[\\d+, ?${N}\\]`),
  new RegExp(
    `max_(?!prompt|input|context)\\w*tokens.{0,60}?(?:less than or equal to|at most|<=|<|smaller than|not exceed|maximum (?:value )?(?:is|of)|limit (?:is|of)|up to) ?${N}`,
  ),
  new RegExp(`maximum (?:allowed )?(?:number of )?output (?:length|tokens|token limit)\\D{0,20}${N}`),
  new RegExp(`between 1 and ${N}`),
];

/** Less is no window of a model. */
const SMALLEST_WINDOW = 1_024;
const LARGEST = 100_000_000;

export function quotedLimits(said: string): QuotedLimits {
  const text = said.toLowerCase();
  const sum = INPUT_AND_OUTPUT.exec(text);
  if (sum) return room(numberOf(sum[3]), numberOf(sum[1]));
  for (const pattern of ROOM) {
    const found = pattern.exec(text);
    if (found) return room(numberOf(found[1]), numberOf(found[2]));
  }
  const outputLimit = first(OUTPUT, text, 1);
  if (outputLimit !== undefined) return { outputLimit };
  const contextWindow = first(WINDOW, text, SMALLEST_WINDOW);
  return contextWindow === undefined ? {} : { contextWindow };
}

function room(contextWindow: number, input: number): QuotedLimits {
  if (!(contextWindow >= SMALLEST_WINDOW && contextWindow <= LARGEST)) return {};
  return { contextWindow, outputLimit: Math.max(0, contextWindow - input) };
}

function first(patterns: readonly RegExp[], text: string, least: number): number | undefined {
  for (const pattern of patterns) {
    const found = numberOf(pattern.exec(text)?.[1]);
    if (found >= least && found <= LARGEST) return found;
  }
  return undefined;
}

function numberOf(text: string | undefined): number {
  return text === undefined ? Number.NaN : Number(text.replace(/[,_]/g, ''));
}
