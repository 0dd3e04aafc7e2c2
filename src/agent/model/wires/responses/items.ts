/** History as the input items of the Responses API. */

import type { ResponseInputContent, ResponseInputItem } from 'openai/resources/responses/responses';
import type { Quirks } from '../../catalogue/index.ts';
import type { ModelMessage } from '../../types.ts';
import { resultsBehind, type ToolMessage } from '../results-behind.ts';
import { inputOf, isBlank, NO_OUTPUT, wellFormed } from '../wire-text.ts';
import { neutralised, neutralisedDeep } from './harmony.ts';
import { answers, callIdOf, DistinctIds } from './ids.ts';
import { isAside, type SealedItem, type SealedPart, unseal } from './seals.ts';
import { wireName } from './tools.ts';

/** What the items depend on besides the history. */
export interface ItemWays {
  readonly quirks: Quirks;
  readonly issuer: string;
  /** Whether sealed reasoning and checkpoints go back. */
  readonly seals: boolean;
  /** Whether the reasoning of this answer goes back; that of each by default. */
  thinks?(message: AssistantMessage): boolean;
}

type Item = ResponseInputItem;
type UserMessage = Extract<ModelMessage, { role: 'user' }>;
type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/**
 * An answer and the results behind it belong together: a call without its result is left out, and so is a result without
 * its call, since the API refuses the whole request for either.
 */
export function responsesItems(history: readonly ModelMessage[], ways: ItemWays): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < history.length; at++) {
    const message = history[at];
    if (message?.role === 'user') items.push(...userItems(message, ways));
    if (message?.role !== 'assistant') continue;
    const results = resultsBehind(history, at);
    items.push(...answerItems(message, results, ways));
    at += results.length;
  }
  return items;
}

export function userItems({ text, images = [] }: UserMessage, ways: ItemWays): Item[] {
  const words = cleaned(text, ways);
  if (images.length === 0) return isBlank(text) ? [] : [{ role: 'user', content: words }];
  const content: ResponseInputContent[] = images.map(({ mime, base64 }) => ({
    type: 'input_image',
    detail: 'auto',
    image_url: `data:${mime};base64,${base64}`,
  }));
  if (!isBlank(text)) content.unshift({ type: 'input_text', text: words });
  return [{ role: 'user', content }];
}

/** Reasoning first, then what was said, then the calls: so each thought is followed by what came of it. */
function answerItems(message: AssistantMessage, results: readonly ToolMessage[], ways: ItemWays): Item[] {
  const unsealed = unseal(message.thinking, ways.issuer);
  const sealed = ways.seals ? behindCheckpoint(unsealed) : unsealed;
  const thoughts = ways.seals && (ways.thinks?.(message) ?? true) ? sealed.flatMap(reasoningItem) : [];
  const said = saidItems(message, sealed, ways);
  const calls = callItems(message, results, ways);
  const empty: Item[] = [{ role: 'assistant', content: '' }];
  const followed = said.length + calls.length > 0 || thoughts.length === 0;
  return [...thoughts, ...(followed ? said : empty), ...calls];
}

/** The server has what stands before a checkpoint inside that, and the checkpoint itself goes before everything. */
function behindCheckpoint(sealed: readonly SealedItem[]): readonly SealedItem[] {
  return sealed.slice(sealed.findLastIndex(({ type }) => type === 'compaction') + 1);
}

/** Without its id: where nothing is stored the server would look for it in vain. */
function reasoningItem(item: SealedItem): readonly Item[] {
  if (item.type !== 'reasoning') return [];
  return [{ type: 'reasoning', encrypted_content: item.encrypted_content, summary: [] } as unknown as Item];
}

function saidItems({ text }: AssistantMessage, sealed: readonly SealedItem[], ways: ItemWays): Item[] {
  const messages = sealed.filter((item) => item.type === 'message');
  const plain: Item[] = isBlank(text) ? [] : [assistantItem([{ type: 'output_text', text: cleaned(text, ways) }], {})];
  if (messages.length === 0) return plain;
  const items = messages.flatMap(({ content, id, status, phase }) => {
    const parts = content ?? (isBlank(text) ? [] : [{ type: 'output_text' as const, text }]);
    const spoken = parts.filter((part) => !isBlank(part.type === 'refusal' ? part.refusal : part.text));
    if (spoken.length === 0) return [];
    const keepsId = id !== undefined && id.length <= LONGEST_ID && !ways.quirks.noMessageIds;
    return [
      assistantItem(
        spoken.map((part) => cleanedPart(part, ways)),
        {
          ...(keepsId && { id }),
          ...(status !== undefined && { status }),
          ...(phase !== undefined && { phase }),
        },
      ),
    ];
  });
  // Of an answer that only its commentary was sealed of, the text is still to be said.
  return messages.every(({ phase }) => isAside(phase)) ? [...items, ...plain] : items;
}

const LONGEST_ID = 64;

function assistantItem(content: readonly SealedPart[], more: object): Item {
  return { type: 'message', role: 'assistant', ...more, content } as unknown as Item;
}

function callItems({ calls }: AssistantMessage, results: readonly ToolMessage[], ways: ItemWays): Item[] {
  const ids = new DistinctIds();
  const waiting = [...results];
  const written: Item[] = [];
  const outputs: Item[] = [];
  for (const call of calls) {
    const at = waiting.findIndex(({ callId }) => answers(callId, call.callId));
    const [result] = at < 0 ? [] : waiting.splice(at, 1);
    if (result === undefined) continue;
    const call_id = ids.take(callIdOf(call.callId));
    const name = wireName(call.name, ways.quirks);
    const input = ways.quirks.controlTokens ? neutralisedDeep(inputOf(call)) : inputOf(call);
    written.push({ type: 'function_call', call_id, name, arguments: JSON.stringify(input) });
    const output = isBlank(result.text) ? NO_OUTPUT : cleaned(result.text, ways);
    outputs.push({ type: 'function_call_output', call_id, output });
  }
  return [...written, ...outputs];
}

function cleanedPart(part: SealedPart, ways: ItemWays): SealedPart {
  return part.type === 'refusal'
    ? { ...part, refusal: cleaned(part.refusal, ways) }
    : { ...part, text: cleaned(part.text, ways) };
}

function cleaned(text: string, { quirks }: ItemWays): string {
  return quirks.controlTokens ? neutralised(wellFormed(text)) : wellFormed(text);
}
