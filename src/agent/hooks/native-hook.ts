import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import type { Fit, Soon } from '../kernel/patterns/index.ts';
import { fullMatch, type NameMatcher } from './full-match.ts';
import { nativeTimeout } from './limits.ts';
import { nativeAnswer, nativeAnswers } from './native-answer.ts';
import type { Hook, HookSource } from './types.ts';

export interface NativeHookParts {
  readonly id: string;
  readonly event: HookEvent;
  /** For people. */
  readonly name: string;
  readonly source: HookSource;
  /** A regular expression for the whole name of the tool. Without a meaning for events that have no tool. */
  readonly matcher?: string;
  /** Milliseconds; see `nativeTimeout` for what stands in for it and what it may be at most. */
  readonly timeout?: number;
  /** `pre_tool_call` only; true by default. */
  readonly failClosed?: boolean;
  /** Given a payload of its own that it cannot change. May throw or reject; what it returns is parsed. */
  handle(payload: HookPayload, signal: AbortSignal): unknown;
}

/** A hook in our own dialect: code of a plugin or of another extension. */
export function nativeHook(parts: NativeHookParts): Hook {
  const { event, name } = parts;
  return {
    id: parts.id,
    event,
    declaredAs: event,
    dialect: 'midcourse',
    source: parts.source,
    kind: 'code',
    name,
    timeout: nativeTimeout(event, parts.timeout),
    failClosed: event === 'pre_tool_call' && (parts.failClosed ?? true),
    answers: nativeAnswers(event),
    matches: nativeMatches(event, parts.matcher),
    async run(payload, signal) {
      // Not in the tick of the event: the session is in the middle of a step then, and the code may use it.
      await undefined;
      // Stopped or unloaded in that tick: nobody hears it any more.
      signal.throwIfAborted();
      return nativeAnswer(event, payload, await parts.handle(payload, signal), name);
    },
  };
}

/** True when a matcher has a meaning: the event is about one tool. */
export function hasTool(event: HookEvent): boolean {
  return toolEvents.has(event);
}

const toolEvents: ReadonlySet<HookEvent> = new Set([
  'pre_tool_call',
  'post_tool_call',
  'transform_tool_result',
  'pre_approval_request',
  'post_approval_response',
]);

/** Which payloads a hook of our own dialect wants. */
export function nativeMatches(event: HookEvent, matcher: string | undefined): Hook['matches'] {
  // A session that is opened again or was compacted is not a new one.
  if (event === 'on_session_start') return (payload) => 'source' in payload && isNew(payload.source);
  if (!hasTool(event)) return () => true;
  const means = fullMatch(matcher);
  return (payload) => matchesTool(payload, means);
}

function isNew(source: string): boolean {
  return source === 'startup' || source === 'clear';
}

function matchesTool(payload: HookPayload, means: NameMatcher): Soon<Fit> {
  return 'tool_name' in payload ? means(payload.tool_name) : false;
}
