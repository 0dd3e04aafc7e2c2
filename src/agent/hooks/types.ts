/**
 * What a hook is to the dispatcher, whoever wrote it and wherever it runs.
 */

import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import type { Fit, Soon } from '../kernel/patterns/index.ts';

/** The rules that a hook was written for: its matcher, stdin, limits, exit codes and output. */
export type Dialect = 'midcourse' | 'claude' | 'codex' | 'vscode' | 'copilot' | 'hermes' | 'cline';

/** Where a hook comes from. */
export type HookSource =
  /** `plugin` is the plugin's id; `path` the file that declares the hook, absent for code. */
  | { readonly is: 'plugin'; readonly plugin: string; readonly path?: string; readonly line?: number }
  | {
      readonly is: 'file';
      readonly scope: 'workspace' | 'user';
      /** Absolute. */
      readonly path: string;
      /** 1-based, where the hook is written. */
      readonly line?: number;
    }
  | { readonly is: 'webhook' }
  | { readonly is: 'extension' };

export type HookKind = 'code' | 'command' | 'http' | 'prompt' | 'mcp_tool' | 'webhook';

/** Ready to run. Made by plugins, by dialects (files), by webhooks and by the API. */
export interface Hook {
  /** Unique, and the same after a reload of the same definition. */
  readonly id: string;
  readonly event: HookEvent;
  /** The event's name in the hook's dialect, such as `PreToolUse`. */
  readonly declaredAs: string;
  readonly dialect: Dialect;
  readonly source: HookSource;
  readonly kind: HookKind;
  /** For people, such as `./check.sh` or the plugin's name. */
  readonly name: string;
  /** Milliseconds from the start of its run (a process: from its spawn). */
  readonly timeout: number;
  /** `pre_tool_call` only: a run that fails, or takes too long, blocks. */
  readonly failClosed: boolean;
  /**
   * True when the loop waits for its answer. An observer is false: it is told and nobody waits. A hook of an event that
   * only observes may still be true where its dialect lets it answer (`PostToolUse` with a word for the model).
   */
  readonly answers: boolean;
  /**
   * True for a payload that it wants to see; unsure where its matcher cannot be judged, and then it runs: a guard is
   * rather asked once too often. A promise only where the worker for patterns is needed. Must not throw or reject.
   */
  matches(payload: HookPayload): Soon<Fit>;
  /**
   * One run. `signal` aborts when its time is over, when it is unloaded, or when nobody needs the answer any more; it then
   * ends what it started and may reject. A rejection is a failed run; `HookFailure` says more.
   */
  run(payload: HookPayload, signal: AbortSignal): Promise<HookReply>;
}

/** What one run answered, with what is shown of it. */
export interface HookReply {
  readonly answer: HookAnswer;
  readonly exitCode?: number | null;
  /** What it was given. At most 10,000 characters of each are kept. */
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Words for the user, from the hook (`systemMessage`). */
  readonly message?: string;
  /** What was wrong with its answer although the run counts: an unknown field, a decision without effect here. */
  readonly warnings?: readonly string[];
  /**
   * What became of work that goes on after its answer, such as a webhook's delivery: shown in place of this reply. It may
   * reject like a run.
   */
  readonly later?: Promise<HookReply>;
}

/** What one hook says, or all of an event together. An empty one says nothing. */
export interface HookAnswer {
  readonly block?: HookBlock;
  readonly ask?: { readonly reason: string; readonly by: string };
  /** A decision instead of the user's (`PermissionRequest` only). Never beats a rule that denies. */
  readonly permission?: { readonly decision: 'allow' | 'deny'; readonly reason: string; readonly by: string };
  /** The call's whole new input, in the shape of our tool. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The hooks that `input` comes from, for people. This and the like are filled in where answers are merged. */
  readonly inputBy?: string;
  /** Text for the model: beside the user's message, or after a call's result. */
  readonly context?: string;
  readonly contextBy?: string;
  /** The new text of a result or an answer (`transform_*`; `updatedToolOutput`). */
  readonly replace?: string;
  readonly replaceBy?: string;
  /** What the agent goes on with instead of ending (`pre_verify`). */
  readonly goOn?: { readonly text: string; readonly by: string };
  /** The turn ends (`continue: false`), with the reason. */
  readonly stopTurn?: { readonly reason: string; readonly by: string };
}

export interface HookBlock {
  /** For the user, from the hook. */
  readonly reason: string;
  /** The hook, for people. */
  readonly by: string;
  /** What the model is told, in the words of the hook's dialect. */
  readonly modelText: string;
}

/** Why a run failed, for `HookRun` and the notice to the user. */
export class HookFailure extends Error {
  readonly kind: 'spawn' | 'timeout' | 'exit' | 'output' | 'http' | 'crashed' | 'aborted' | 'threw';
  readonly exitCode: number | null | undefined;
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;

  constructor(
    kind: HookFailure['kind'],
    message: string,
    of: { exitCode?: number | null; stdin?: string; stdout?: string; stderr?: string } = {},
  ) {
    super(message);
    this.name = 'HookFailure';
    this.kind = kind;
    this.exitCode = of.exitCode;
    this.stdin = of.stdin ?? '';
    this.stdout = of.stdout ?? '';
    this.stderr = of.stderr ?? '';
  }

  /** The same failure of a run that was given this. */
  given(stdin: string): HookFailure {
    const { kind, message, exitCode, stdout, stderr } = this;
    return new HookFailure(kind, message, { stdin, stdout, stderr, ...(exitCode === undefined ? {} : { exitCode }) });
  }
}

/** One run as the hook manager's view shows it. Every started run ends with exactly one outcome. */
export interface HookRun {
  readonly hookId: string;
  readonly event: HookEvent;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'cancelled';
  readonly exitCode?: number | null;
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** In words: `blocked: no secrets in commits`, `added 120 characters`, `nothing`. */
  readonly decided: string;
  readonly problem?: string;
  readonly warnings?: readonly string[];
}
