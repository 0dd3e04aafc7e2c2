/**
 * The hooks of Midcourse: when they fire, what they are given and what they may answer. Plugins and other extensions
 * see the same. This file imports nothing, so that it can be copied as it is.
 *
 * Keys are snake_case. A payload is frozen; every hook gets a copy of its own.
 */

/** Of every payload. */
export interface HookPayloadBase {
  /** The version of these shapes. */
  readonly schema: 'midcourse.hooks.v1';
  readonly session_id: string;
  /** What a session is known by outside; here the same as `session_id`. */
  readonly session_key: string;
  /** Absent for what happens between turns. */
  readonly turn_id?: string;
  readonly platform: 'vscode';
  /** Absolute; the first workspace folder, or the home folder without one. */
  readonly cwd: string;
  /** Absolute, in their order; only where several are open. Paths of calls begin with the name of one of them then. */
  readonly workspace_folders?: readonly string[];
  /** `provider/model` that the turn is answered by; absent before one is known. */
  readonly model?: string;
  readonly effort?: string;
  /** The id of the text that started the turn; outside of one, and where it only compacts, that of the last text. */
  readonly prompt_id?: string;
  /** Set inside a delegated agent. */
  readonly parent_session_id?: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
}

interface CallPayload {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_input: unknown;
}

export type ToolCallStatus = 'success' | 'error' | 'blocked' | 'cancelled' | 'timeout';

interface CallResultPayload extends CallPayload {
  readonly tool_result: string;
  readonly status: ToolCallStatus;
  /** Milliseconds of the run; 0 for a call that was not run. */
  readonly duration_ms: number;
  /** `exit_code`, `not_run`, `denied`, `stopped`, `hook`, `tool`, …; absent for success. */
  readonly error_type?: string;
  readonly error_message?: string;
  /** What a tool knows of its result beside the text: of a command `exit_code` and `output`, of a read file its lines. */
  readonly tool_facts?: Readonly<Record<string, unknown>>;
}

interface RequestPayload {
  readonly request_id: string;
  /** Counted from 1 in a turn. */
  readonly request: number;
  readonly attempt: number;
  readonly kind: 'sampling' | 'compaction';
  readonly provider: string;
}

interface StreamPayload {
  /** The request, counted from 1 in a turn. */
  readonly iteration: number;
  readonly provider: string;
  readonly surface: 'chat' | 'agent';
}

/** What each event adds to `HookPayloadBase`. */
export interface HookPayloads {
  /**
   * As the first turn of a session starts. Hooks of Midcourse, of plugins and of Hermes get `startup` and `clear` only:
   * a new session; those of Claude Code, Codex and VS Code also the others.
   */
  on_session_start: { readonly source: 'startup' | 'clear' | 'resume' | 'compact' };
  /** The session is closed for good in this window. */
  on_session_finalize: {
    readonly reason: 'new_session' | 'session_closed' | 'session_deleted' | 'window_closed';
    readonly new_session_id?: string;
  };
  /** A new session takes the place of another one in the chat; after `on_session_finalize` of the other. */
  on_session_reset: { readonly reason: 'new_session'; readonly old_session_id: string };
  pre_llm_call: {
    readonly user_message: string;
    /** How the text was sent: `message`, `steer`, `redirect` or `queue`. */
    readonly kind: string;
    readonly item_id: string;
    readonly is_first_turn: boolean;
  };
  pre_tool_call: CallPayload;
  post_tool_call: CallResultPayload;
  transform_tool_result: CallResultPayload;
  transform_terminal_output: {
    readonly tool_call_id: string;
    readonly command: string;
    readonly output: string;
    readonly returncode: number | null;
  };
  transform_llm_output: { readonly response_text: string };
  pre_approval_request: CallPayload & {
    readonly summary: string;
    readonly why: string;
    readonly command?: string;
    readonly choices: readonly string[];
    /** What *always* would allow, in words. */
    readonly always_scope?: string;
  };
  post_approval_response: CallPayload & {
    readonly choice: 'once' | 'session' | 'always' | 'deny' | 'cancelled';
    /** `user`, `api` or the name of the hook that decided. */
    readonly decided_by: string;
    readonly reason?: string;
  };
  /** The model says that it is done. `by: verify` only when files were changed in this turn. */
  pre_verify: {
    /** How often a hook has already made this turn go on; 0 at first. */
    readonly attempt: number;
    readonly final_response: string;
    /** Absolute paths. */
    readonly changed_paths: readonly string[];
  };
  post_llm_call: { readonly response: string };
  /** The end of every turn. */
  on_session_end: {
    readonly completed: boolean;
    readonly interrupted: boolean;
    readonly failed: boolean;
    readonly turn_exit_reason: string;
  };
  agent_loop_stopped: {
    readonly reason: string;
    readonly invalidation_reason: string;
    readonly phase: string;
    readonly had_partial_text: boolean;
    readonly open_tool_calls: number;
  };
  pre_api_request: RequestPayload & { readonly message_count: number };
  post_api_request: RequestPayload & {
    readonly status: 'completed' | 'failed' | 'aborted';
    readonly duration_ms: number;
    readonly response_id?: string;
    readonly usage?: {
      readonly input: number;
      readonly output: number;
      readonly cache_read: number;
      readonly cache_write: number;
      readonly reasoning: number;
    };
    readonly error_type?: string;
    readonly error_message?: string;
  };
  api_request_error: RequestPayload & {
    readonly error_type: string;
    readonly error_message: string;
    /** False: the turn ends with it. */
    readonly will_retry: boolean;
    /** What the turn had said before. */
    readonly last_response?: string;
  };
  on_stream_start: StreamPayload;
  on_stream_delta: StreamPayload & { readonly delta: string; readonly kind: 'text' | 'reasoning' };
  on_stream_end: StreamPayload & {
    readonly final_text: string;
    readonly finished: boolean;
    readonly error?: string;
  };
  /** Text beside tool calls, and the last text of a turn. */
  on_interim_message: StreamPayload & {
    readonly text: string;
    readonly already_streamed: boolean;
    readonly final: boolean;
  };
  subagent_start: {
    readonly parent_turn_id: string;
    readonly child_session_id: string;
    readonly child_name: string;
    /** The `*.agent.md` that it works as; absent for one without a role. */
    readonly child_role?: string;
    readonly child_goal: string;
    readonly background: boolean;
  };
  subagent_stop: {
    readonly parent_turn_id: string;
    readonly child_session_id: string;
    readonly child_name: string;
    /** The `*.agent.md` that it works as; absent for one without a role. */
    readonly child_role?: string;
    readonly child_summary: string;
    readonly child_status: 'completed' | 'failed' | 'interrupted' | 'error';
    readonly duration_ms: number;
  };
  pre_compact: { readonly trigger: 'manual' | 'auto'; readonly custom_instructions: string };
  post_compact: { readonly trigger: 'manual' | 'auto'; readonly summary: string };
  /** A slash command of the chat. */
  pre_command: { readonly command: string; readonly args_raw: string; readonly surface: 'chat' | 'api' };
  notification: {
    readonly message: string;
    readonly title: string;
    readonly notification_type: 'permission_prompt' | 'idle_prompt' | 'agent_needs_input' | 'agent_completed';
  };
  pre_model_switch: { readonly from_model: string; readonly to_model: string; readonly source: 'user' | 'api' };
  post_model_switch: { readonly from_model: string; readonly to_model: string; readonly source: 'user' | 'api' };
  /** All calls of one answer have their results. */
  post_tool_batch: { readonly tool_calls: readonly CallResultPayload[] };
}

export type HookEvent = keyof HookPayloads;

export type HookPayload<E extends HookEvent = HookEvent> = E extends HookEvent
  ? Flat<HookPayloads[E] & HookPayloadBase>
  : never;

type Flat<T> = { readonly [K in keyof T]: T[K] };

/**
 * What a handler may answer; every field is read where it has a meaning and ignored elsewhere.
 *
 * - `pre_tool_call`: `block`, `ask`, `input`
 * - `pre_llm_call`: `block`, `context` (a string alone is a context)
 * - `pre_verify`: `go_on`
 * - `transform_*`: a string, which replaces
 * - `pre_compact`: `block`, for one that the user asked for
 */
export interface HookResult {
  /** Refuses, with the reason that the model and the user read. */
  readonly block?: string;
  /** Asks the user before the call runs, with the reason. It never allows anything. */
  readonly ask?: string;
  /** Values that replace those of the call's input, key by key. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Text added to the user's message. */
  readonly context?: string;
  /** What the agent is told to go on with instead of ending. */
  readonly go_on?: string;
}

/** A throw or a rejection is reported and changes nothing, except where a hook of `pre_tool_call` fails closed. */
export type HookHandler<E extends HookEvent = HookEvent> =
  | ((payload: HookPayload<E>) => HookOutcome | Promise<HookOutcome>)
  | ((payload: HookPayload<E>) => void | Promise<void>);

export type HookOutcome = HookResult | string | null | undefined;
