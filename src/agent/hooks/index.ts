/** The door to the hooks. */

export { decidedWords } from './decided-words.ts';
export { hookEvents, isHookEvent } from './events.ts';
export { fullMatch, type NameMatcher } from './full-match.ts';
export { HookManager, type HookManagerParts, type HookMessage } from './hook-manager.ts';
export { type HookLimits, hookLimits, nativeLimit, nativeTimeout } from './limits.ts';
export { type NativeAnswer, nativeAnswer, nativeAnswers } from './native-answer.ts';
export { hasTool, type NativeHookParts, nativeHook } from './native-hook.ts';
export { noHooks } from './no-hooks.ts';
export type { HookProblem } from './notices.ts';
export type { HookPort, StreamEvent, WhichHooks } from './port.ts';
export {
  type Dialect,
  type Hook,
  type HookAnswer,
  type HookBlock,
  HookFailure,
  type HookKind,
  type HookReply,
  type HookRun,
  type HookSource,
} from './types.ts';
export { wantedFirst } from './wanted-first.ts';
