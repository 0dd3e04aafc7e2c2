/** The models: wires to them, what their failures mean, when to ask again, and what it cost. */

export { thinksAlways } from './catalogue/index.ts';
export { type CodexOptions, type CodexWire, createCodexWire } from './codex/index.ts';
export { completionPort } from './complete.ts';
export type { Completion, CompletionPort, CompletionRequest } from './completion.ts';
export { classify } from './failures/classify.ts';
export type { Endpoint, Failure } from './failures/failure.ts';
export { compactionHelps, type Hints, isRetryable } from './failures/hints.ts';
export { describeKind } from './failures/kinds.ts';
export { refusedTool } from './failures/refused-tool.ts';
export { failureOfWords } from './failures/thrown-words.ts';
export { addModelUsage, sumModelUsage } from './model-usage.ts';
export { createPracticeWire, type Pace, type PracticeOptions } from './practice/wire.ts';
export { CredentialPool, type KeyStatus, type KeyStrategy, type PoolClock } from './recovery/credentials.ts';
export { type ChainParts, FallbackChain } from './recovery/fallback-chain.ts';
export { RateLimitWatch, readRateLimits, usedShare } from './recovery/rate-limits.ts';
export {
  afterSwitch,
  type FailedAttempt,
  FRESH,
  type Recovery,
  type RecoveryState,
  recover,
  withoutOne,
} from './recovery/recovery.ts';
export { type Backoff, backoff } from './recovery/retry.ts';
export { ModelRoutes, type RouteSource } from './recovery/routes.ts';
export type * from './types.ts';
export { addUsage, costOf, NO_USAGE, usageCaveat, withCost } from './usage.ts';
export { warmUp } from './warm-up.ts';
export { alternatingTurns, type PartWriter } from './wires/alternation.ts';
export { type AnthropicOptions, createAnthropicWire } from './wires/anthropic/wire.ts';
export { askedLast } from './wires/asked-last.ts';
export { type BedrockOptions, createBedrockWire } from './wires/bedrock/wire.ts';
export { createOpenAiChatWire } from './wires/chat/wire.ts';
export type { WireOptions } from './wires/exchange/http.ts';
export { createGeminiWire } from './wires/gemini/wire.ts';
export { createResponsesWire, type ResponsesOptions } from './wires/responses/wire.ts';
export { toolSchema } from './wires/tool-schema.ts';
export { inputOf, isBlank, NO_OUTPUT, plainId, toolName, uniqueTools, wellFormed } from './wires/wire-text.ts';
