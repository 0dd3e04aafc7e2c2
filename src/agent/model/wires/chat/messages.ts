/** History and tools in the words of the Chat Completions API. */

import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionContentPartText,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Quirks } from '../../catalogue/index.ts';
import type { ModelMessage, SignedThinking, ToolSpec } from '../../types.ts';
import { acceptable } from '../acceptable-schema.ts';
import { isLeftOut } from '../asked-last.ts';
import { unseal } from '../seals.ts';
import { toolSchema } from '../tool-schema.ts';
import {
  GO_ON,
  inputOf,
  isBlank,
  NO_OUTPUT,
  plainId,
  shortId,
  toolName,
  uniqueTools,
  wellFormed,
} from '../wire-text.ts';

/** What an answer of this API leaves behind for later requests. */
export const CHAT_SEALS = { reasoning: 'chat-reasoning', details: 'chat-details', extras: 'chat-extras' } as const;

/** Extras of calls go by the model's family and not by the host. */
export const ANY_HOST = '*';

/** How one server wants it. */
export interface ChatDialect {
  readonly host: string;
  readonly systemRole?: 'system' | 'developer' | undefined;
  /** Characters of a call's id; some servers keep things of their own in longer ones and need them back. */
  readonly longestCallId?: number | undefined;
  /** Ids of calls are nine letters or digits and nothing else. */
  readonly shortCallIds?: boolean | undefined;
  /** A person's words may not stand right behind results: the model has to have spoken. */
  readonly answersResults?: boolean | undefined;
  /** Reasoning has to come back with calls. */
  readonly echoReasoning?: boolean | undefined;
  /** Extras of calls come back. */
  readonly callExtras?: boolean | undefined;
  /** Content as a list of parts, which can be marked: for every message alike, so that only the marks move. */
  readonly parts?: 'all' | 'all_but_tools' | undefined;
}

const PLAIN_DIALECT: ChatDialect = { host: '' };

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/**
 * Only the fields the API knows: strict servers refuse every other one. A message without content is left out.
 *
 * @param earlier what stands before the history and has been written
 */
export function chatMessages(
  system: string,
  history: readonly ModelMessage[],
  dialect: ChatDialect = PLAIN_DIALECT,
  earlier: readonly ModelMessage[] = [],
): ChatCompletionMessageParam[] {
  const messages: ChatCompletionMessageParam[] = [];
  if (!isBlank(system)) {
    const content = textContent(system, dialect.parts !== undefined);
    messages.push({ role: dialect.systemRole ?? 'system', content });
  }
  let behindResult = dialect.answersResults === true && endsInResult(earlier);
  for (const message of history) {
    const sent = chatMessage(message, dialect);
    if (sent === undefined) continue;
    if (behindResult && sent.role === 'user') messages.push(bridge(dialect));
    messages.push(sent);
    behindResult = dialect.answersResults === true && sent.role === 'tool';
  }
  return messages;
}

/** Of messages that are sent at all: an answer without a word or a call is none. */
function endsInResult(earlier: readonly ModelMessage[]): boolean {
  return earlier.findLast((message) => !isLeftOut(message))?.role === 'tool';
}

function bridge({ parts }: ChatDialect): ChatCompletionAssistantMessageParam {
  return { role: 'assistant', content: textContent(GO_ON, parts) };
}

function chatMessage(message: ModelMessage, dialect: ChatDialect): ChatCompletionMessageParam | undefined {
  switch (message.role) {
    case 'user':
      return userMessage(message, dialect);
    case 'assistant':
      return assistantMessage(message, dialect);
    case 'tool': {
      const text = isBlank(message.text) ? NO_OUTPUT : message.text;
      const content = textContent(text, dialect.parts === 'all');
      return { role: 'tool', tool_call_id: idOf(message.callId, dialect), content };
    }
    default:
      return message satisfies never;
  }
}

function userMessage(
  { text, images = [] }: Extract<ModelMessage, { role: 'user' }>,
  { parts }: ChatDialect,
): ChatCompletionMessageParam | undefined {
  if (images.length === 0) return isBlank(text) ? undefined : { role: 'user', content: textContent(text, parts) };
  const content: ChatCompletionContentPart[] = images.map(({ mime, base64 }) => ({
    type: 'image_url',
    image_url: { url: `data:${mime};base64,${base64}` },
  }));
  if (!isBlank(text)) content.unshift(textPart(text));
  return { role: 'user', content };
}

function assistantMessage(message: Assistant, dialect: ChatDialect): ChatCompletionAssistantMessageParam | undefined {
  const content = isBlank(message.text) ? null : textContent(message.text, dialect.parts);
  if (message.calls.length === 0 && content === null) return undefined;
  return {
    role: 'assistant',
    content,
    ...(message.calls.length > 0 && { tool_calls: toolCalls(message, dialect), ...echo(message, dialect) }),
    ...details(message.thinking, dialect),
  };
}

function toolCalls(message: Assistant, dialect: ChatDialect): ChatCompletionMessageFunctionToolCall[] {
  const extras = dialect.callExtras ? sealedList(message.thinking, CHAT_SEALS.extras, ANY_HOST) : [];
  return message.calls.map((call, index) => ({
    id: idOf(call.callId, dialect),
    type: 'function',
    function: { name: toolName(call.name), arguments: JSON.stringify(inputOf(call)) },
    ...(extras[index] ? { extra_content: extras[index] } : {}),
  }));
}

/** An empty string would be refused. */
const NO_REASONING = ' ';

function echo({ thinking }: Assistant, { echoReasoning, host }: ChatDialect): { reasoning_content?: string } {
  if (!echoReasoning) return {};
  const [kept] = unseal(CHAT_SEALS.reasoning, host, thinking);
  return { reasoning_content: kept === undefined ? NO_REASONING : wellFormed(kept.text) };
}

function details(thinking: readonly SignedThinking[] | undefined, { host }: ChatDialect): object {
  const list = sealedList(thinking, CHAT_SEALS.details, host);
  return list.length > 0 ? { reasoning_details: list } : {};
}

/** Sealed by us, so that it is a list, unless what was stored is broken. */
function sealedList(thinking: readonly SignedThinking[] | undefined, kind: string, host: string): readonly unknown[] {
  const [sealed] = unseal(kind, host, thinking);
  if (sealed === undefined) return [];
  try {
    const list: unknown = JSON.parse(sealed.value);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

type TextContent = string | ChatCompletionContentPartText[];

function textContent(text: string, asParts: boolean | ChatDialect['parts']): TextContent {
  return asParts ? [textPart(text)] : wellFormed(text);
}

function textPart(text: string): ChatCompletionContentPartText {
  return { type: 'text', text: wellFormed(text) };
}

function idOf(id: string, { longestCallId = Number.POSITIVE_INFINITY, shortCallIds }: ChatDialect): string {
  if (shortCallIds) return shortId(id);
  return id.length <= longestCallId ? id : plainId(id);
}

/** The message with a mark on its last part; undefined where it has no parts. */
export function markChatMessage(
  message: ChatCompletionMessageParam,
  mark: object,
): ChatCompletionMessageParam | undefined {
  const { content } = message;
  const last = Array.isArray(content) ? content.at(-1) : undefined;
  if (!Array.isArray(content) || last === undefined) return undefined;
  const marked = [...content.slice(0, -1), { ...last, cache_control: mark }];
  return { ...message, content: marked } as ChatCompletionMessageParam;
}

export function chatTools(tools: readonly ToolSpec[], ways: Quirks = {}): ChatCompletionFunctionTool[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: acceptable(toolSchema(inputSchema), ways) },
  }));
}
