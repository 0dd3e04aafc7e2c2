/**
 * What a tool is, what it is given and what it gives back.
 */

import type { z } from 'zod';
import type { BackgroundProcess, CallSubject, Danger, PendingQuestion, ResultStatus, TextRange } from '../../api.ts';
import type { OtherNames } from './argument-names.ts';
import type { TreeRoot } from './process-tree.ts';
import type { Encoding, NamedEncoding } from './text-encoding.ts';

/** How a call may overlap with its neighbours of the same batch. */
export type Overlap = 'parallel' | 'barrier';

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** Parses the model's arguments; the JSON schema the model sees is made from it. */
  readonly input: z.ZodType<Input>;
  /** The schema the model sees where it was given from outside; otherwise it is made from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** Arguments of tools of other programs that mean the same as one of this tool's. */
  readonly otherNames?: OtherNames;
  /** Read-only tools are `parallel`; everything that changes, runs or asks is a `barrier`. */
  readonly overlap: Overlap;
  /** What the call is about: its words follow its state (`words/call-words.ts`). Must not throw on any valid input. */
  subject(input: Input): CallSubject;
  /** What the user has to allow before `run`, or undefined when nothing. May read files; changes nothing. */
  permission(input: Input, context: ToolContext): Promise<PermissionNeed | undefined>;
  /**
   * Runs once. Must observe `context.signal`; after an abort it resolves (does not throw) with what it has.
   * A throw becomes an `error` result with the exception's message.
   */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
  /**
   * Work that has limits of its own (a command, a delegated agent): it can go on in the background when it is asked to
   * yield, and its silence does not mean that the turn stands still.
   */
  readonly longRunning?: true;
  /** Set where the model's own program makes the call: its name, and what of the call hooks may still refuse. */
  readonly carriedOut?: {
    readonly by: string;
    /** True when it asked for leave and waits: only then a refusal counts. */
    waits(input: Input, sessionId: string): boolean;
  };
  /** Set by `delegate`: the name of the agent that does the work of the call. */
  agentName?(input: Input): string;
  /** Set by `ask_user`: the call is a question to the user and `run` is given no work until `answer` is known. */
  question?(input: Input): Omit<PendingQuestion, 'id' | 'turnId' | 'callId'>;
}

export interface PermissionNeed {
  readonly kind: 'write' | 'run' | 'read_secret';
  /** What will happen, in words. */
  readonly summary: string;
  /** Why it asks, in words. */
  readonly why: string;
  /** For `run`: the exact command, unmasked. */
  readonly command?: string;
  /** Words of `command` that are wholly a secret: cards mask them. */
  readonly masked?: readonly TextRange[];
  /** Everything that makes the call dangerous, the most serious first. */
  readonly dangers?: readonly Danger[];
  /** The folder that a command runs in, as the user names it; absent for the first workspace folder. */
  readonly cwd?: string;
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string };
  /** What *always* and *session* would allow: the key that is stored, and the words for it. Absent: only once or deny. */
  readonly rule?: {
    readonly key: string;
    readonly words: string;
    /** Of a chain of commands: the rules of its parts, which are stored instead. */
    readonly parts?: readonly { readonly key: string; readonly words: string }[];
  };
  /** Destructive: asks every time, whatever was allowed before. */
  readonly always?: boolean;
}

export interface ToolResult {
  readonly status: ResultStatus;
  /** What the model reads. */
  readonly text: string;
  /** For the card: `+3 −1`, `exit 1`, `40 lines`. */
  readonly detail?: string;
  /** Files this call changed, absolute paths. */
  readonly changed?: readonly string[];
  /** Before and after, for the diff editor. */
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string };
  /** Processes that could not be ended. */
  readonly survivors?: readonly { readonly pid: number; readonly command: string }[];
  /** Shown to a model that sees images, behind the results of its batch; described to any other. */
  readonly images?: readonly ResultImage[];
  /** The delegated agent that the call started. */
  readonly childId?: string;
  /**
   * What is known of it beside the text, for hooks. Of a command `command`, `exit_code` (null when it was ended),
   * `output`, `cwd`; of a file that was read `path`, `start_line`, `end_line`, `total_lines`, `ends_with_newline`; of an
   * edit `path` and, where there was a file, `before`.
   */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface ResultImage {
  /** For people and models: `shot.png`. */
  readonly name: string;
  /** A PNG, JPEG, GIF or WebP of at most `MOST_IMAGE` bytes. */
  readonly base64: string;
}

export interface ToolContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Aborted on stop; one for each call. */
  readonly signal: AbortSignal;
  /** Aborted on a second stop: end processes at once. */
  readonly killSignal: AbortSignal;
  /**
   * Aborted when the call is asked to yield: a tool that can goes on in the background and returns at once with
   * `yielded`; any other goes on as if nothing had been asked. The reason is `redirect` or `user`.
   */
  readonly yieldSignal: AbortSignal;
  /** Absolute real paths of the folders that the tools may touch; the first one is where commands start. */
  readonly folders: readonly string[];
  /**
   * New output for the card; the caller bounds and batches it.
   *
   * @param replaced characters at the end of the output so far that it takes the place of: a line that is drawn anew
   */
  output(text: string, replaced?: number): void;
  /** What comes out after the call's result: the model reads it with its next request, the user at once. */
  later(text: string): void;
  readonly editor: EditorPort;
  readonly processes: ProcessPort;
  readonly todos: TodoPort;
  /** Absent in a delegated agent: it does not delegate further. */
  readonly delegates?: DelegatePort;
  readonly settings: ToolSettings;
  /** The user was shown this very call and allowed it. False where a rule or a hook did, or nothing had to be asked. */
  readonly seen: boolean;
  /** What the user answered, for a tool with `question`: ids of choices or free text. Absent: closed without an answer. */
  readonly answer?: string | readonly string[];
}

export interface ToolSettings {
  /** Seconds a foreground command may run when the model names no limit; 180. */
  readonly terminalTimeout: number;
  /** Shell for commands; undefined picks `/bin/bash`, else `/bin/sh`, on Windows PowerShell. */
  readonly shell?: string;
  /** Absolute path of the editor's own ripgrep, where there is one. */
  readonly ripgrep?: string;
  /** Names of environment variables that hold model keys (`apiKeyEnv`); commands do not get them. */
  readonly secretEnv?: readonly string[];
  /** Names of variables that commands get although they look like a key of a model or an agent. */
  readonly letThrough?: readonly string[];
  /** What commands get beside the host's own environment; `null` takes a variable away. */
  readonly env?: Readonly<Record<string, string | null>>;
}

/** What the tools need of the editor. `src/editor` implements it with VS Code; a plain one reads and writes files only. */
export interface EditorPort {
  /** The text of an open buffer with unsaved changes, or undefined when the file is not open or is saved. */
  unsaved(path: string): string | undefined;
  /**
   * New problems in files after an edit, after at most 3 s; all that are known without paths.
   *
   * @param late is told of the new problems that a service reports within a minute after it did not answer in time; once
   * for each file, and not when there are none
   */
  diagnostics(
    paths: readonly string[],
    signal: AbortSignal,
    late?: (problems: readonly Diagnostic[]) => void,
  ): Promise<DiagnosticsAnswer>;
  /** Remembers the problems of files before an edit, so that `diagnostics` can tell which are new. Takes at most 1 s. */
  snapshotDiagnostics(paths: readonly string[]): Promise<void>;
  /** The kind of editor, other than a text editor, in which the file has unsaved changes. */
  unsavedElsewhere?(path: string): 'notebook' | 'custom' | undefined;
  /** What the editor's settings say of a file, which may be a new one. Never rejects. */
  fileRules?(path: string): Promise<FileRules>;
  /** All file names by glob, honouring the editor's excludes; undefined when the editor cannot. */
  findFiles?(glob: string, limit: number, signal: AbortSignal): Promise<readonly string[]>;
}

export interface FileRules {
  /** Absent for UTF-8. */
  readonly encoding?: NamedEncoding;
  /** The encoding of a new file, which begins with a byte-order mark. */
  readonly mark?: Exclude<Encoding, NamedEncoding | 'utf8'>;
  /** Of a new file. */
  readonly lineEnd?: '\n' | '\r\n';
  /** The setting that marks it read-only, with its glob. */
  readonly readOnly?: string;
}

export interface Diagnostic {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  readonly source?: string;
}

export type DiagnosticsAnswer =
  | {
      readonly checked: true;
      readonly diagnostics: readonly Diagnostic[];
      /** The problems before the edit did not come in time: some of these may be old. */
      readonly before?: 'unknown';
    }
  /** `mayCome`: a service reports on one of the files, and has not done so in time. */
  | { readonly checked: false; readonly why: string; readonly mayCome?: boolean };

/** The session's background processes. */
export interface ProcessPort {
  start(options: { command: string; cwd: string; env: NodeJS.ProcessEnv; turnId: string }): Promise<BackgroundProcess>;
  /** Takes over a command that ran in the foreground and yields. */
  adopt(running: RunningCommand): BackgroundProcess;
  list(): readonly BackgroundProcess[];
  /** Output since the start, at most 200,000 characters (the newest). */
  output(id: string): string | undefined;
  kill(id: string): Promise<{ readonly survivors: readonly { readonly pid: number; readonly command: string }[] }>;
  /**
   * Records a command of the foreground before it starts, so that a later window can end it should this one die.
   *
   * @param mark of its environment and of all that it starts
   */
  record(mark: string, command: string): RecordedCommand;
}

/** A command that a call waits for. */
export interface RecordedCommand {
  /** It runs; it is ended with the window from now on. */
  started(root: TreeRoot): void;
  /** The call waits no longer. @param isGone nothing of it runs any more, or it could not be started */
  ended(isGone: boolean): void;
}

/** How a process ended, as far as it has. A child process is one. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  once(event: 'exit', listener: () => void): unknown;
}

/** A command that leaves the foreground while it runs. */
export interface RunningCommand {
  readonly child: Exit;
  readonly root: TreeRoot;
  readonly command: string;
  readonly cwd: string;
  readonly turnId: string;
  readonly startedBy: 'yield' | 'user';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it wrote so far. */
  readonly output: string;
  /** Resolves when its output has ended. */
  readonly read: Promise<void>;
  /** Names the one who gets what it writes from now on. */
  listen(onText: (text: string, replaced?: number) => void): void;
}

/** What a model delegates. */
export interface Order {
  /** For people and for the notes to the model. */
  readonly name: string;
  /** All that the agent is told: it knows nothing of the conversation. */
  readonly task: string;
  /** The role that it has, by its name; absent for none. */
  readonly agent?: string | undefined;
  readonly background: boolean;
}

/** Starts agents that work for the session. */
export interface DelegatePort {
  /**
   * Resolves with the result of the call: when the agent has ended, or at once when it goes on in the background.
   * It follows the signals of `call`. Rejects when the agent cannot be stored.
   */
  delegate(
    order: Order,
    call: Pick<ToolContext, 'turnId' | 'callId' | 'signal' | 'killSignal' | 'yieldSignal'>,
  ): Promise<ToolResult>;
}

export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
}

export interface TodoPort {
  get(): readonly Todo[];
  set(todos: readonly Todo[]): void;
}
