/** Which part of a history is sent, and in which order: what checkpoints and the server's limits on sealed items ask for. */

import { IMAGE_TOKENS } from '../../catalogue/image-limits.ts';
import type { ModelMessage } from '../../types.ts';
import { resultsBehind } from '../results-behind.ts';
import { elements, type WrittenMessages } from '../written-messages.ts';
import { answers } from './ids.ts';
import { type ItemWays, responsesItems, userItems } from './items.ts';
import { hasCheckpoint, unseal } from './seals.ts';

/** Tokens of the user's earlier words that go along with a checkpoint. */
const KEPT_TOKENS = 64_000;
const CHARACTERS_PER_TOKEN = 4;

/** The elements of `input`, as JSON without the brackets, in one or two parts. */
export function inputJson(
  history: readonly ModelMessage[],
  ways: ItemWays,
  written: WrittenMessages,
): readonly string[] {
  if (ways.quirks.reasoningNotAfterTools || ways.quirks.newestReasoningOnly) {
    return [elements(responsesItems(history, sparing(history, ways)))];
  }
  const at = ways.seals ? history.findLastIndex(isCheckpoint(ways)) : -1;
  const variant = JSON.stringify([ways.seals, ways.issuer, ways.quirks.noMessageIds, ways.quirks.controlTokens]);
  const write = (some: readonly ModelMessage[]) => responsesItems(some, ways);
  if (at < 0) return [written.json(history, write, variant)];
  const before = elements([...checkpoint(history[at], ways), ...earlierWords(history.slice(0, at), ways)]);
  return [before, written.json(history.slice(at), write, variant)];
}

function isCheckpoint({ issuer }: ItemWays): (message: ModelMessage) => boolean {
  return (message) => message.role === 'assistant' && hasCheckpoint(message.thinking, issuer);
}

/** The newest checkpoints of a message that stand side by side. */
function checkpoint(message: ModelMessage | undefined, { issuer }: ItemWays): readonly object[] {
  const sealed = message?.role === 'assistant' ? unseal(message.thinking, issuer) : [];
  const end = sealed.findLastIndex(({ type }) => type === 'compaction') + 1;
  const start = sealed.slice(0, end).findLastIndex(({ type }) => type !== 'compaction') + 1;
  return sealed.slice(start, end).map(({ type, id, ...item }) => ({
    type,
    ...(id !== undefined && id.length <= 64 && { id }),
    ...item,
  }));
}

/**
 * What the user said before a checkpoint, the newest of it: the server shows the model nothing else from there. Words that
 * do not fit as a whole are cut at their end; with images they are left out.
 */
function earlierWords(history: readonly ModelMessage[], ways: ItemWays): readonly object[] {
  const kept: object[] = [];
  let left = KEPT_TOKENS;
  for (const message of history.toReversed()) {
    if (message.role !== 'user') continue;
    const images = message.images?.length ?? 0;
    const tokens = Math.ceil(message.text.length / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS;
    if (tokens <= left) kept.unshift(...userItems(message, ways));
    else if (images === 0 && left > 0) {
      kept.unshift(...userItems({ role: 'user', text: message.text.slice(0, left * CHARACTERS_PER_TOKEN) }, ways));
    }
    if (tokens > left) break;
    left -= tokens;
  }
  return kept;
}

/**
 * For servers that refuse sealed reasoning right behind results, or that of two answers (Azure). Only the one request is
 * changed: the history keeps what it has.
 */
function sparing(history: readonly ModelMessage[], ways: ItemWays): ItemWays {
  const { reasoningNotAfterTools, newestReasoningOnly } = ways.quirks;
  if (reasoningNotAfterTools && endsInResults(history)) return { ...ways, thinks: () => false };
  if (!newestReasoningOnly) return ways;
  const newest = history.findLast(
    (message) =>
      message.role === 'assistant' && unseal(message.thinking, ways.issuer).some(({ type }) => type === 'reasoning'),
  );
  return { ...ways, thinks: (message) => message === newest };
}

/** Whether the last thing is a batch of results of the calls right before them. */
function endsInResults(history: readonly ModelMessage[]): boolean {
  const at = history.findLastIndex(({ role }) => role !== 'tool');
  const asked = history[at];
  if (asked?.role !== 'assistant') return false;
  return resultsBehind(history, at).some(({ callId }) => asked.calls.some((call) => answers(callId, call.callId)));
}
