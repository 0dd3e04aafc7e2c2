/** The models: wires to them, what their failures mean, when to ask again, and what it cost. */

export { classify } from './classify.ts';
export { type CodexModel, type CodexOptions, type CodexWire, createCodexWire } from './codex/index.ts';
export { CredentialPool, type KeyStatus, type KeyStrategy, type PoolClock } from './credentials.ts';
export type { Endpoint, Failure } from './failure.ts';
export { type ChainParts, FallbackChain } from './fallback-chain.ts';
export { compactionHelps, type Hints, isRetryable } from './hints.ts';
export { describeKind } from './kinds.ts';
export { addModelUsage, sumModelUsage } from './model-usage.ts';
export { RateLimitWatch, readRateLimits, resetIn, usedShare } from './rate-limits.ts';
export {
  afterSwitch,
  type FailedAttempt,
  FRESH,
  type Recovery,
  type RecoveryState,
  recover,
  withoutOne,
} from './recovery.ts';
export { type Backoff, backoff } from './retry.ts';
export { ModelRoutes, type RouteSource } from './routes.ts';
export type * from './types.ts';
export { addUsage, costOf, NO_USAGE, usageCaveat, withCost } from './usage.ts';
export { warmUp } from './warm-up.ts';
export { type AnthropicOptions, createAnthropicWire } from './wires/anthropic.ts';
export { type BedrockOptions, createBedrockWire } from './wires/bedrock.ts';
export { createGeminiWire } from './wires/gemini.ts';
export type { WireOptions } from './wires/http.ts';
export { createOpenAiChatWire } from './wires/openai-chat.ts';
export { createPracticeWire, type Pace, type PracticeOptions } from './wires/practice.ts';
export { createResponsesWire, type ResponsesOptions } from './wires/responses.ts';
