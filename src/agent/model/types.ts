/**
 * The seam between the turn loop and the model wires.
 *
 * A wire turns a `ModelRequest` into an async iterable of `ModelPart`s. Its contract:
 * - the iterable never throws; a failure is its last part (`error`), an abort by `signal` is `aborted`;
 * - it ends with exactly one of `end`, `error`, `aborted`;
 * - tool calls come whole, in `calls` order, in the `end` part only: a stream that was cut before its closing frame or
 *   inside a call's arguments ends as `error` and can never lead to a tool run;
 * - aborting `signal` closes the socket before the iterable yields `aborted`.
 */

import type { Usage } from '../../api.ts';
import type { Tool } from '../tools/types.ts';

export interface ModelWire {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
  /** Tools of a provider that works by itself: its calls find them, and no model is ever offered them. */
  readonly ownTools?: readonly Tool[];
  /** The turn of that session is over: a provider that still works on it by itself has to stop. */
  turnEnded?(cacheKey: string): void;
  /**
   * Makes a provider that keeps the conversation itself compact it. False when it has none of that session, or did not;
   * never rejects.
   */
  compact?(cacheKey: string, signal: AbortSignal): Promise<boolean>;
  /** Of a program that is a provider of its own: what it lists. May reject, and take as long as the program does. */
  models?(): Promise<readonly ProgramModel[]>;
  /** Ends what the wire has running. Resolves when it is gone. */
  dispose?(): Promise<void>;
}

/** A model as the program that runs it lists it. */
export interface ProgramModel {
  readonly id: string;
  readonly label: string;
}

export interface ModelRequest {
  /** The model's name at its provider, without the provider's id. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** Tokens. */
  readonly maxOutput?: number;
  /** One that the model takes; absent for the provider's default. */
  readonly effort?: Effort;
  /** How often it may be sent, the first time included, when nothing comes of it; the wire's own number by default. */
  readonly connections?: number;
  /** Tokens of the conversation at which we compact it ourselves: a server that can do so goes before. */
  readonly compactAt?: number;
  /** Stable for a session; wires with a cache key send it. */
  readonly cacheKey: string;
  /** True when no later request continues this one: keeping it in the provider's prompt cache would only cost. */
  readonly once?: boolean;
}

/** How much a model thinks before it answers. Each model takes some of these: its ladder. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/**
 * History as the model sees it. It is append-only: the messages of request n are a prefix of those of request n+1.
 * Each assistant message with calls is followed by one `tool` message for each call, in call order.
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly thinking?: readonly SignedThinking[];
      readonly calls: readonly ModelCall[];
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    };

export interface ModelImage {
  readonly mime: string;
  /** It may be read from the store each time: ask for it once, where it is written. */
  readonly base64: string;
  /** Where the session keeps it. */
  readonly ref?: string;
  /** Name and size, for the words that stand in for it where it is not sent. */
  readonly label?: string;
}

/**
 * What the provider signed or sealed and wants back unchanged: thinking, and beside it whatever a wire needs to repeat
 * an answer exactly (encrypted items, ids, the order of blocks). `signature` names who made it; only that wire reads it.
 */
export interface SignedThinking {
  /** Empty when there is nothing for people to read. */
  readonly text: string;
  readonly signature: string;
}

export interface ModelCall {
  readonly callId: string;
  readonly name: string;
  /** The parsed arguments; an object. Arguments that are no JSON object are carried as `invalidInput`. */
  readonly input: unknown;
  /** The model's own bytes when they could not be parsed: the call gets an error result and never runs. */
  readonly invalidInput?: string;
}

export type ModelPart =
  /** The response's head has arrived: the model has read the request. Once for an attempt, before any other part. */
  | { readonly type: 'head' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The server has begun another answer in the same stream: nothing that came before is part of it. */
  | { readonly type: 'restart' }
  /** A call is being written; for the eye only, nothing runs from it. */
  | { readonly type: 'call_progress'; readonly index: number; readonly name: string; readonly characters: number }
  | {
      readonly type: 'end';
      readonly finish: Finish;
      readonly calls: readonly ModelCall[];
      readonly thinking: readonly SignedThinking[];
      /** `length`, `content_filter`: names of the calls that were being written. None of them may run. */
      readonly droppedCalls?: readonly string[];
      /** Absent when the provider did not say. */
      readonly usage?: Usage;
      readonly facts?: AttemptFacts;
    }
  | { readonly type: 'error'; readonly error: ModelError; readonly usage?: Usage; readonly facts?: AttemptFacts }
  | { readonly type: 'aborted'; readonly facts?: AttemptFacts };

/**
 * `length`: the output limit cut it, and calls are dropped. `incomplete`: the model has thought but not answered yet
 * and can go on (Responses).
 */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'incomplete';

/** How one attempt went, for the log and for the display of limits. */
export interface AttemptFacts {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds from the start to the first event of the body. */
  readonly firstEventMs?: number;
  readonly elapsedMs: number;
  readonly events: number;
  readonly status?: number;
  /** The provider's own id of the answer. */
  readonly responseId?: string;
  /** Those that help to find a failed request at the provider; each at most 120 characters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rateLimits?: RateLimits;
  /** Why earlier connections of this attempt broke off, each before anything was shown: it was opened again at once. */
  readonly reopened?: readonly string[];
}

/** What a provider's headers say is left. */
export interface RateLimits {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly windows: readonly RateLimitWindow[];
}

export interface RateLimitWindow {
  readonly of: 'requests' | 'tokens' | 'input_tokens' | 'output_tokens';
  readonly per: 'minute' | 'hour' | 'day' | 'unknown';
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds from `RateLimits.at` until it is whole again. */
  readonly resetMs?: number;
}

export type ModelErrorKind =
  | 'auth'
  | 'billing'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'timeout'
  | 'stream_cut'
  | 'context_overflow'
  /** The body is too large in bytes (413): images or results have to go, or the conversation is compacted. */
  | 'payload_too_large'
  /** The output limit that was asked for is more than the model gives; the window is not full. */
  | 'output_cap'
  /** The key's plan has no long window: a smaller one is left. */
  | 'long_context_tier'
  /** An image was refused: its size, its kind, or the model sees none. */
  | 'image_rejected'
  /** It was asked not to think, and this model always does. */
  | 'reasoning_mandatory'
  /** The account's or the router's own rules allow no provider for it. */
  | 'provider_policy'
  | 'bad_request'
  | 'model_not_found'
  | 'content_policy'
  | 'not_json'
  | 'consent'
  | 'unknown';

export interface ModelError {
  readonly kind: ModelErrorKind;
  /** For people: what happened, what it means for their work, what to do. */
  readonly message: string;
  /** For the log: status, request id, the provider's own words; secrets redacted. */
  readonly detail: string;
  readonly status?: number;
  /** The provider's own name of it, such as `overloaded_error`; some have a wait of their own. */
  readonly code?: string;
  /** It says nothing of its cause: in a long conversation that is often its length. */
  readonly vague?: true;
  /** The answer ended before anything had come. */
  readonly empty?: true;
  /** True when the same request may work later without anybody changing anything. */
  readonly retryable: boolean;
  /** Milliseconds the server asked to wait (`Retry-After`), capped at 600,000. */
  readonly retryAfterMs?: number;
  /** A command id that mends it, such as `midcourse.setApiKey`. */
  readonly action?: string;
  /** Tokens of the model's window, where the refusal names it. */
  readonly contextWindow?: number;
  /** The most output tokens, where the refusal names it. */
  readonly outputLimit?: number;
  /** Names of the calls that were being written. None of them was run. */
  readonly droppedCalls?: readonly string[];
}

/** What a model's tokens cost. */
export interface Price extends Rates {
  /** A request whose prompt is longer than `tokens`, cached ones counted, costs these rates as a whole; shortest first. */
  readonly above?: readonly (Rates & { readonly tokens: number })[];
  /** A subscription pays: requests cost nothing of their own. */
  readonly included?: true;
}

/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
