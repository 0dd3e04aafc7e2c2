/**
 * Our tools under the names and shapes of another system: a hook that was written for it reads its `Bash`, not our
 * `terminal`. One file for each system, one entry for each of our tools; what has no entry passes as it is.
 */

import type { HookPayload } from '../../../../hooks-api.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Where relative paths of a call start. */
export interface CallPlace {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute; only where several are open. */
  readonly workspace_folders?: readonly string[];
}

/** A call as the other system would have made it. */
export interface ForeignCall {
  readonly name: string;
  readonly input: Values;
  /** Other names that a matcher may use for it, such as `Write` for Codex' `apply_patch`. */
  readonly matchedBy?: readonly string[];
}

/** What a call came to; the fields of `post_tool_call` that a response is made of. */
export type CallResult = Pick<HookPayload<'post_tool_call'>, 'tool_result' | 'status' | 'duration_ms' | 'tool_facts'>;

/** One of our tools in another system. Nothing here may throw, whatever the model wrote into `input`. */
export interface ToolAlias {
  call(input: Values, place: CallPlace): ForeignCall;
  /**
   * Our input again, whole, from what a hook made of `call(input).input`. A string says why that cannot be done.
   *
   * @param input ours, as it was: what the other system has no word for is taken from it
   */
  back(changed: Values, input: Values, place: CallPlace): Values | string;
  /** `tool_response`; the result's text when absent. */
  response?(result: CallResult, input: Values, place: CallPlace): unknown;
  /** `error` of a call that failed; the result's text when absent. */
  failure?(result: CallResult): string;
  /** The text for the model from a response that a hook changed; strings pass, and objects become JSON when absent. */
  text?(response: unknown): string | undefined;
}

/** By the name of our tool. */
export type ToolAliases = Readonly<Record<string, ToolAlias>>;
