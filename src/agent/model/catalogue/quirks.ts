/** What servers and models want done differently, as data: a wire asks for it and has no names of its own in it. */

import type { CacheMarks } from './cache-policy.ts';
import { QUIRK_RULES } from './quirk-rules.ts';

/** Every field is optional: without it a wire does what its API documents. */
export interface Quirks {
  /** Chat: the name of the output limit. `max_tokens` by default. */
  readonly outputField?: 'max_tokens' | 'max_completion_tokens';
  /** Chat: the role of the system prompt. */
  readonly systemRole?: 'system' | 'developer';
  /** Chat: how an effort is asked for. Absent: it is not sent. */
  readonly effortAs?: 'reasoning_effort' | 'reasoning_object' | 'thinking_toggle' | 'google_thinking';
  /** Chat: `reasoning_content` has to come back with calls, at least as one space; everywhere else it is refused. */
  readonly echoReasoning?: true;
  /** Chat: characters that the id of a call may have. Elsewhere they come back as they were: some servers keep things in them. */
  readonly longestCallId?: number;
  /** Chat: ids of calls are nine letters or digits (Mistral). */
  readonly shortCallIds?: true;
  /** Chat: a user's words right behind results are refused, so the model says a word between them (Mistral). */
  readonly answersResults?: true;
  /** Chat: calls carry `extra_content`, such as the signature of a thought, and want it back. */
  readonly callExtras?: true;
  /** Chat and Responses: it takes `prompt_cache_key`. */
  readonly cacheKey?: true;
  /** Chat: `stream_options` is refused. */
  readonly noStreamOptions?: true;
  /** Fields that go with each request, such as a router's preferences. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Whether and how to mark what the provider should cache; over the policy of `cache-policy.ts`. */
  readonly cacheMarks?: CacheMarks;
  /** Messages: how an effort is asked for: by itself with adaptive thinking, or as a budget of thinking tokens. */
  readonly thinkingAs?: 'adaptive' | 'budget';
  /** Messages: thinking cannot be switched off: the least of it is between tools, or the lowest effort. */
  readonly leastThinking?: 'between_tools' | 'low_effort';
  /** Messages: thinking is bound to all that stands before it, and the server can be asked to drop what no longer fits. */
  readonly boundThinking?: true;
  /** Messages: whose thinking is sent back. Absent: that of the same host, signed. */
  readonly thinking?: 'newest' | 'all' | 'unsigned' | 'none';
  /** Responses: ids of messages are bound to a connection and never sent back. */
  readonly noMessageIds?: true;
  /** Responses: no `include`, no cache key (Copilot). */
  readonly noInclude?: true;
  /** Responses: encrypted reasoning is refused right behind tool results (Azure Foundry). */
  readonly reasoningNotAfterTools?: true;
  /** Responses: encrypted reasoning of two answers is refused (Azure). */
  readonly newestReasoningOnly?: true;
  /** Responses: who seals reasoning there; it goes back only to the same. The address by default. */
  readonly issuer?: string;
  /** Responses: an output limit is refused. */
  readonly noOutputLimit?: true;
  /** Responses: headers by which the server finds the session's cache, and what each holds. */
  readonly sessionHeaders?: Readonly<Record<string, 'session' | 'cache_key'>>;
  /** Responses: the model does not reason, and refuses to be asked for it. */
  readonly noReasoning?: true;
  /** Responses: control tokens of the model's own format are no mere text there. */
  readonly controlTokens?: true;
  /** Responses: a client's `web_search` gives way to the provider's own. */
  readonly ownWebSearch?: true;
  /** Responses: an answer may stand in the reasoning, between `<response>` tags. */
  readonly answersInReasoning?: true;
  /** Responses: an answer of nothing but reasoning can go on. */
  readonly continuesReasoning?: true;
  /** Responses: the server compacts by itself when asked (facts 5.5). */
  readonly nativeCompaction?: true;
  /** Tool names that the provider keeps for its own tools: they travel under another name. */
  readonly reservedTools?: readonly string[];
  /** JSON schema keywords that are refused. */
  readonly refusedSchemaKeywords?: readonly string[];
  /** Beside `anyOf` and `$ref` a schema may say no `type`, and lists of different items are `prefixItems` (Moonshot). */
  readonly bareUnions?: true;
  /** A header of requests with images in them, without which these are refused (Copilot). */
  readonly visionHeader?: string;
  /** Values with a slash in an `enum` of a schema are refused. */
  readonly noSlashInEnums?: true;
  /** Gemini: calls have ids (version 3 and later). */
  readonly callIds?: true;
  /** Gemini: it thinks, and how much is asked for as a level or as a budget of tokens. */
  readonly geminiThinking?: 'level' | 'budget';
}

export interface QuirksOf {
  /** The provider's id, as in `provider/model`. */
  readonly provider?: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
  /** What the settings say: it goes over all rules. */
  readonly own?: Quirks | undefined;
}

/** The ways of a model at an address. Later rules add to earlier ones, and replace a field that both name. */
export function quirksOf(of: QuirksOf): Quirks {
  return Object.assign({}, ...QUIRK_RULES.filter((rule) => rule.where(of)).map((rule) => rule.quirks), of.own);
}

/** Whether a model goes on thinking, less or more, however it is asked, wherever it is. */
export function thinksAlways(model: string): boolean {
  return quirksOf({ baseUrl: '', model }).leastThinking !== undefined;
}
