/**
 * What a dialect brings. One folder each; a dialect knows nothing of trust, files or the dispatcher.
 */

import type { HookEvent, HookPayload } from '../../../hooks-api.ts';
import type { Fit, Soon } from '../../kernel/patterns/index.ts';
import type { Dialect, HookAnswer, HookKind } from '../types.ts';

/** What a hook's own definition says, read by its dialect's config schema. */
export interface DeclaredHook {
  /** The event's name as it is written. */
  readonly declaredAs: string;
  /** Our event that fires it. Undefined: not supported, with `unsupported` saying why. */
  readonly event: HookEvent | undefined;
  readonly unsupported?: string;
  /** Its place in the file: `PreToolUse[0].hooks[1]`. Unique there. */
  readonly place: string;
  /** 0-based offset of the handler in the file, to open it at the line. */
  readonly offset?: number;
  readonly kind: HookKind;
  readonly matcher?: string;
  /** One permission rule such as `Bash(git *)`, read by the dialect's `matches` (Claude Code's `if`). */
  readonly when?: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly failClosed: boolean;
  readonly answers: boolean;
  readonly handler: DeclaredHandler;
  /** Words for the status line while it runs. */
  readonly statusMessage?: string;
  /** Tokens of text for the model from one run, where the definition sets it (Codex); 0 for no limit. */
  readonly contextLimit?: number;
  /** A matcher that cannot match, an unknown field, …; the hook still runs. */
  readonly warnings: readonly string[];
  /** Why it cannot run at all, such as a matcher that is no regular expression. */
  readonly broken?: string;
}

export type DeclaredHandler =
  | {
      readonly type: 'command';
      /** With `args` a program without a shell; otherwise a line for the shell. */
      readonly command: string;
      readonly args?: readonly string[];
      readonly shell?: 'bash' | 'powershell';
      /** Split into words and run without a shell (Hermes). */
      readonly noShell?: boolean;
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
      /** Nobody waits for it; what it answers comes later or not at all. */
      readonly async?: boolean;
    }
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly allowedEnvVars: readonly string[];
    }
  /** `continueOnBlock`: a no after a tool call is told to the model instead of ending the turn. */
  | { readonly type: 'prompt'; readonly prompt: string; readonly model?: string; readonly continueOnBlock?: boolean }
  | { readonly type: 'mcp_tool'; readonly server: string; readonly tool: string; readonly input: unknown };

export interface ReadConfig {
  readonly hooks: readonly DeclaredHook[];
  /** Of the file as a whole: an unknown root key, an event whose value is no list. */
  readonly warnings: readonly string[];
  /** The file cannot be used; `hooks` is empty. */
  readonly broken?: string;
  /** The file switches the hooks of all files of its system off (`disableAllHooks`); its own are listed as broken. */
  readonly disablesAll?: boolean;
}

/** What a dialect is told beside the payload, for stdin and environment. */
export interface HookSurroundings {
  /** Absolute path of the session's transcript as JSON lines; undefined when there is none. */
  transcriptPath(sessionId: string): Promise<string | undefined>;
  /** The home folder. */
  readonly home: string;
  /** Absolute; the first one is the project. */
  readonly folders: readonly string[];
}

export interface RunEnd {
  readonly exitCode: number | null;
  /** At most 1 Mi characters. */
  readonly stdout: string;
  readonly stderr: string;
  /** Why what it wrote cannot be read, in a sentence: to every dialect that is a failed run. */
  readonly unread?: string;
}

/** What an answer is read with. */
export interface Reading {
  readonly payload: HookPayload;
  readonly hook: DeclaredHook;
  /** The hook, for people. */
  readonly by: string;
}

export interface ReadOutput {
  readonly answer: HookAnswer;
  readonly message?: string;
  readonly warnings: readonly string[];
  /** The run counts as failed, with the reason; `answer` is then empty, or a block where the dialect fails closed. */
  readonly failed?: string;
}

/** What a model answered to a prompt hook. */
export interface Verdict {
  readonly ok: boolean;
  readonly reason: string;
  /** What was asked for cannot be reached: going on would not help. */
  readonly impossible: boolean;
}

export interface DialectRules {
  readonly dialect: Dialect;
  /** Reads the text of a hook file. Never throws. */
  readConfig(text: string): ReadConfig;
  /** True when the hook wants this payload: matcher, event variants (`SessionStart` by source). Never throws or rejects. */
  matches(hook: DeclaredHook, payload: HookPayload): Soon<Fit>;
  /** The JSON object that the hook reads on stdin, or as the body of an HTTP request. */
  stdin(hook: DeclaredHook, payload: HookPayload, surroundings: HookSurroundings): Promise<Record<string, unknown>>;
  /** Added to the clean environment of the hook's process. */
  environment(hook: DeclaredHook, payload: HookPayload, surroundings: HookSurroundings): Record<string, string>;
  /** What a process said. Never throws. */
  readOutput(end: RunEnd, reading: Reading): ReadOutput;
  /** What a model said, where the dialect has prompt hooks. Never throws. */
  readVerdict?(verdict: Verdict, reading: Reading): ReadOutput;
}
