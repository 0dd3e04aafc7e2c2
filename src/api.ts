/**
 * The types of Midcourse's extension API.
 *
 * ```ts
 * const midcourse = await vscode.extensions.getExtension('midcourse.midcourse')?.activate() as MidcourseApi;
 * ```
 *
 * The chat speaks the same shapes. Another extension can copy this file, with `hooks-api.ts` beside it, as it is.
 * Every field is read-only: a value that was handed out never changes; a change is a new value and an event.
 */

import type { HookEvent, HookHandler } from './hooks-api.ts';

export type {
  HookEvent,
  HookHandler,
  HookOutcome,
  HookPayload,
  HookPayloads,
  HookResult,
  ToolCallStatus,
} from './hooks-api.ts';

/** Structurally `vscode.Disposable`. */
export interface Disposable {
  dispose(): unknown;
}

/** Structurally `vscode.Event<T>`. */
export type Event<T> = (listener: (event: T) => unknown, thisArgs?: unknown, disposables?: Disposable[]) => Disposable;

export type Verb =
  | 'send'
  | 'steer'
  | 'redirect'
  | 'queue'
  | 'stop'
  | 'stopAfterStep'
  | 'stopAndSend'
  | 'withdraw'
  | 'edit'
  | 'move'
  | 'sendNow'
  | 'resumeQueue'
  | 'clearQueue';

export type ItemKind = 'message' | 'steer' | 'redirect' | 'queue';

export type Phase =
  | 'starting'
  | 'hook'
  | 'model'
  | 'backoff'
  | 'tool'
  | 'approval'
  | 'question'
  | 'compaction'
  | 'finalizing';

export type Refusal =
  | 'empty'
  | 'full'
  | 'read_only'
  | 'unknown_item'
  | 'already_delivered'
  | 'stale_revision'
  | 'storage_busy'
  | 'closed'
  | 'no_model'
  | 'over_budget';

/** Why a verb became a weaker one. */
export type Downgrade =
  | 'tools_running'
  | 'no_request'
  | 'starting'
  | 'finalizing'
  | 'stopping'
  | 'compacting'
  | 'no_vision'
  | 'redirect_limit';

/** What became of a verb, known at once: a receipt never waits for the model, a tool, a hook or the UI. */
export type Receipt = {
  /** The item's id for verbs that carry text or name an item, otherwise the id of the request itself. */
  readonly id: string;
  readonly verb: Verb;
  /** The session's sequence number of this verb; it decides every race. */
  readonly seq: number;
  readonly turnId?: string;
  /** 1-based place in the queue, for `queued`. */
  readonly position?: number;
} & (
  | {
      readonly outcome: 'started' | 'steering' | 'redirecting' | 'queued' | 'stopping' | 'changed' | 'nothing_running';
      readonly downgradedFrom?: Verb;
      readonly reason?: Downgrade;
    }
  | { readonly outcome: 'refused'; readonly reason: Refusal; readonly message: string }
);

export interface Image {
  readonly mime: string;
  /** Base64, without a `data:` prefix. */
  readonly base64: string;
}

export interface Attachment {
  readonly kind: 'image' | 'file' | 'selection';
  readonly name: string;
  readonly mime?: string;
  /** Where the content is kept: a workspace path, or a reference into the session's storage. */
  readonly ref: string;
}

export interface InputOptions {
  /** Made by the client, at most 128 characters. A repeated id gets the first receipt again. */
  readonly id?: string;
  /** At most 20; each a PNG, JPEG, GIF or WebP of at most 10 MB, by its bytes and not by what it is called. */
  readonly images?: readonly Image[];
  readonly attachments?: readonly Attachment[];
}

export interface WaitsFor {
  readonly what: 'tool' | 'model' | 'backoff' | 'compaction' | 'child' | 'turn_end' | 'resume';
  readonly label: string;
  readonly callId?: string;
}

export type ItemState =
  | { readonly is: 'pending' }
  | { readonly is: 'held' }
  | {
      readonly is: 'delivered';
      readonly turnId: string;
      readonly request: number;
      readonly rowId: string;
      /** True once the response head of the request that carries it has arrived. */
      readonly read: boolean;
    }
  | { readonly is: 'returned'; readonly why: string; readonly acknowledged: boolean }
  | { readonly is: 'withdrawn' };

/** A text that the user sent while a turn ran. */
export interface Item {
  readonly id: string;
  readonly sentAs: ItemKind;
  readonly kind: ItemKind;
  readonly text: string;
  /** What the model is given in the place of `text`, where that is a slash command of the chat. */
  readonly providerText?: string;
  readonly attachments: readonly Attachment[];
  readonly seq: number;
  readonly revision: number;
  readonly origin: 'view' | 'command' | 'api';
  readonly waitsFor?: WaitsFor;
  readonly state: ItemState;
}

export type Choice = 'once' | 'session' | 'always' | 'deny';

/** A part of a text, in UTF-16 code units: from `start` up to and without `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** One reason why a call is asked about every time. */
export interface Danger {
  readonly why: string;
  /** Where it stands in `PendingApproval.command`; empty when it has no single place there. */
  readonly parts: readonly TextRange[];
}

export interface PendingApproval {
  readonly id: string;
  readonly turnId: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly child?: { readonly id: string; readonly name: string };
  readonly tool: string;
  readonly summary: string;
  /** What runs, to the byte, but for the parts in `masked`. It may hold control characters: show them, never render them. */
  readonly command?: string;
  /** Literal words of `command` that are wholly a secret. Each is masked by as many `•` as it has UTF-16 code units. */
  readonly masked?: readonly TextRange[];
  /** Everything that makes the call dangerous, most serious first. Absent when nothing does. */
  readonly dangers?: readonly Danger[];
  /** The folder that a command runs in, as the user would name it. Absent: the first workspace folder. */
  readonly cwd?: string;
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string };
  readonly why: string;
  readonly choices: readonly Choice[];
  /** What *always* would allow, in words. */
  readonly alwaysScope?: string;
}

export interface PendingQuestion {
  readonly id: string;
  readonly turnId: string;
  readonly callId: string;
  readonly text: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly multiple: boolean;
  readonly freeText: boolean;
}

export type ResultStatus =
  | 'success'
  | 'error'
  | 'blocked'
  | 'denied'
  | 'withdrawn'
  | 'not_run'
  | 'stopped'
  | 'timeout'
  | 'yielded'
  | 'abandoned';

export type RowKind = 'message' | 'steer' | 'redirect' | 'text' | 'tool_result' | 'closing' | 'notice' | 'summary';

export type Interruption = 'stop' | 'redirect' | 'reload' | 'stream_cut';

/** Why an answer was cut short and can go on in another request. */
export type Continuation = 'length' | 'network' | 'dropped_call' | 'incomplete';

export interface TranscriptRow {
  readonly id: string;
  readonly seq: number;
  readonly turnId: string;
  readonly request?: number;
  readonly role: 'user' | 'assistant' | 'tool' | 'notice';
  readonly kind: RowKind;
  readonly parts: readonly Part[];
  readonly itemIds?: readonly string[];
  /** What a person sees; null for a row that only the model sees. */
  readonly displayText: string | null;
  /** What the model sees where it differs from the parts; made once, re-sent unchanged for ever. */
  readonly providerText?: string;
  readonly callId?: string;
  readonly status?: ResultStatus;
  readonly interrupted?: Interruption;
  /** For tool results: what the card shows beside the model's text. */
  readonly card?: ToolCard;
  /** For summaries: the first sequence number whose rows the model is still sent beside it; older rows are not. */
  readonly keepsFrom?: number;
  /** A piece of an answer that goes on in a later row, or the words that ask the model to go on: why it was cut. */
  readonly continued?: Continuation;
  /** It says all that the pieces of its answer, from that sequence number on, say: the model is not sent them any more. */
  readonly standsFrom?: number;
  /** The hook that had the agent go on, of its words to the model. */
  readonly hook?: string;
}

export type CallVerb =
  | 'read'
  | 'list'
  | 'search'
  | 'findFiles'
  | 'write'
  | 'edit'
  | 'run'
  | 'start'
  | 'listProcesses'
  | 'pollProcess'
  | 'endProcess'
  | 'check'
  | 'ask'
  | 'readPlan'
  | 'plan'
  | 'delegate'
  | 'delegateInBackground'
  | 'use'
  | 'searchWeb'
  | 'answer'
  | 'note';

/** One step of a plan. */
export interface PlanStep {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
}

/** What a call is about, whatever became of it. */
export interface CallSubject {
  readonly verb: CallVerb;
  /** The file, command, pattern or name; empty where there is none. */
  readonly object: string;
  /** The folder that is searched, the server whose tool is used. */
  readonly where?: string;
  /** The path of the file that is read or changed; several calls may be about one file. */
  readonly path?: string;
  /** Of a call that writes the plan: the whole new plan. */
  readonly steps?: readonly PlanStep[];
  /** It came to its end, also when that is a failure: a command that exited with 1 has run. */
  readonly ran?: true;
}

export interface ToolCard {
  /** What came of it, in words: `Read src/a.ts 1–40`, `Not run: npm test`, `Could not edit src/a.ts`. */
  readonly label: string;
  /** What the words are made of; absent in sessions of 0.4. */
  readonly subject?: CallSubject;
  /** `+3 −1`, `exit 1`, `40 lines`. */
  readonly detail?: string;
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string };
  readonly durationMs: number;
  /** The delegated agent that the call started. */
  readonly childId?: string;
  /** The hook that refused the call, and why. */
  readonly blockedBy?: { readonly hook: string; readonly reason: string };
  /** The hook that changed the arguments of the call. */
  readonly changedBy?: string;
}

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly itemId?: string }
  | { readonly type: 'thinking'; readonly text: string; readonly signed: boolean; readonly signature?: string }
  | { readonly type: 'image'; readonly mime: string; readonly ref: string; readonly name?: string }
  | { readonly type: 'tool_call'; readonly callId: string; readonly name: string; readonly input: unknown };

export interface BackgroundProcess {
  readonly id: string;
  readonly pid: number;
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly startedBy: 'background' | 'yield' | 'user';
  readonly turnId: string;
  readonly state: 'running' | 'exited' | 'killed' | 'unreachable';
  readonly exitCode?: number;
  /** The last 2,000 characters of its output. */
  readonly tail: string;
}

/** How a delegated agent stands. `waiting`: for an answer to its approval, or, while it has made no request, for a free place. The last three are ends. */
export type ChildState = 'running' | 'waiting' | 'stopping' | 'finished' | 'interrupted' | 'failed';

/** A delegated agent as a value: it never changes; a change is a new value and a `child` event. */
export interface ChildAgent {
  /** Also the id of the session that holds its own transcript. */
  readonly id: string;
  readonly name: string;
  readonly task: string;
  /** The turn and the call of the parent that started it. */
  readonly turnId: string;
  readonly callId: string;
  /** A foreground child keeps its call open until it ends; a redirect or *Move to background* makes it a background one. */
  readonly mode: 'foreground' | 'background';
  readonly state: ChildState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly requests: number;
  readonly usage: Usage;
  /** What it does or did last, in words, newest last; at most eight lines. */
  readonly activity: readonly string[];
}

/** A delegated agent to work with. */
export interface Child extends ChildAgent {
  /** New guidance for it, read at its next boundary. Refused (`closed`) once it has ended. */
  steer(text: string, options?: InputOptions): Receipt;
  /** Ends it alone; its partial result goes back to the parent as interrupted. */
  stop(): Receipt;
  transcript(): Promise<readonly TranscriptRow[]>;
}

/** Tokens. `input` excludes what came from or went to the prompt cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** US dollars; absent means unknown, never zero. */
  readonly costUsd?: number;
}

/** What requests to one model used. */
export interface ModelUsage {
  /** `provider/model`. */
  readonly ref: string;
  readonly label: string;
  readonly requests: number;
  readonly usage: Usage;
}

export type ExitReason =
  | 'answered'
  | 'interrupted_by_user'
  | `interrupted_by_system(${string})`
  | 'redirect_limit'
  | 'step_budget'
  | 'cost_budget'
  | 'model_error'
  | 'no_answer'
  | 'context_exhausted'
  | 'storage_failed'
  | 'tool_persistence_failed'
  | 'interrupted_by_reload';

export interface TurnError {
  readonly kind: string;
  readonly message: string;
  /** The one thing to do next, as a command id the chat can offer as a button. */
  readonly action?: string;
}

export interface TurnResult {
  readonly turnId: string;
  readonly exitReason: ExitReason;
  readonly completed: boolean;
  readonly interrupted: boolean;
  readonly failed: boolean;
  /** True when visible text was kept although the answer was not completed. */
  readonly partial: boolean;
  readonly stoppedBy?: string;
  readonly phase?: Phase;
  /** Processes that could not be ended. */
  readonly survivors: readonly { readonly pid: number; readonly command: string }[];
  readonly finalText: string;
  readonly requests: number;
  readonly attempts: number;
  readonly usage: Usage;
  /** The same by model, in the order in which they answered. */
  readonly byModel?: readonly ModelUsage[];
  /** Wall-clock milliseconds from the user's verb to the end. */
  readonly durationMs?: number;
  readonly error?: TurnError;
}

export type SessionStateName = 'idle' | 'running' | 'waiting' | 'stopping';

export type SessionEvent = { readonly seq: number; readonly at: number; readonly turnId?: string } & (
  | {
      readonly type: 'state';
      readonly state: SessionStateName;
      readonly phase?: Phase;
      /** What runs, in words; in `backoff` why the request failed. */
      readonly label?: string;
      /** In `backoff`: when the request is repeated, milliseconds since the epoch. */
      readonly until?: number;
    }
  | { readonly type: 'item'; readonly item: Item }
  | { readonly type: 'turn.started' }
  | {
      readonly type: 'request.started' | 'request.ended';
      readonly request: number;
      readonly attempt: number;
      readonly outcome?: string;
    }
  | {
      readonly type: 'delta';
      readonly request: number;
      readonly attempt: number;
      readonly part: 'text' | 'reasoning';
      readonly text: string;
    }
  | {
      readonly type: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly state: ToolCallState;
      /** Words for the card, as far as the call got: `Run npm test`, `Running npm test`, `Not run: npm test`. */
      readonly label?: string;
      readonly subject?: CallSubject;
      /** New output since the last event of this call: the newest 4,000 characters of it. */
      readonly output?: string;
      /**
       * Characters at the end of the output so far that `output` takes the place of: a line that the command draws anew,
       * such as progress. Absent for none.
       */
      readonly replaced?: number;
    }
  | { readonly type: 'approval.opened' | 'approval.closed'; readonly id: string; readonly by?: string }
  | { readonly type: 'question.opened' | 'question.closed'; readonly id: string }
  | { readonly type: 'row'; readonly row: TranscriptRow }
  | { readonly type: 'process'; readonly process: BackgroundProcess }
  | {
      readonly type: 'child';
      readonly childId: string;
      readonly name: string;
      readonly state: ChildState;
      readonly child: ChildAgent;
    }
  | { readonly type: 'turn.ended' | 'settled'; readonly result: TurnResult }
  | { readonly type: 'notice'; readonly kind: string; readonly text: string }
);

export type ToolCallState = 'announced' | 'waiting' | 'approval' | 'question' | 'running' | ResultStatus;

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turns: number;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string;
  readonly rowId: string;
  readonly snippet: string;
}

export interface ToolDefinition {
  /** `[A-Za-z0-9_-]{1,64}`; may not be the name of a built-in tool. */
  readonly name: string;
  readonly description: string;
  /** JSON schema (draft 2020-12) of the input object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True when it changes nothing: it then runs without asking and beside other reads. */
  readonly readOnly?: boolean;
  invoke(input: unknown, signal: AbortSignal): Promise<string>;
}

export interface Session extends Disposable {
  readonly id: string;
  readonly title: string;
  readonly state: SessionStateName;
  send(text: string, options?: InputOptions): Receipt;
  steer(text: string, options?: InputOptions): Receipt;
  redirect(text: string, options?: InputOptions): Receipt;
  queue(text: string, options?: InputOptions): Receipt;
  stop(options?: { readonly reason?: string }): Receipt;
  stopAfterStep(): Receipt;
  stopAndSend(text: string, options?: InputOptions): Receipt;
  /** Every item that is not delivered or withdrawn, in the order in which it will be delivered. */
  items(): readonly Item[];
  /** Any item, also a delivered one. */
  item(id: string): Item | undefined;
  withdraw(id: string): Receipt;
  edit(id: string, text: string, revision: number): Receipt;
  move(id: string, before?: string): Receipt;
  sendNow(id: string): Receipt;
  resumeQueue(): Receipt;
  clearQueue(): Receipt;
  approvals(): readonly PendingApproval[];
  /** False when that approval is not open (any more). */
  answer(approvalId: string, choice: Choice, reason?: string): boolean;
  questions(): readonly PendingQuestion[];
  answerQuestion(id: string, answer: string | readonly string[]): boolean;
  transcript(): Promise<readonly TranscriptRow[]>;
  processes(): readonly BackgroundProcess[];
  processOutput(id: string): string | undefined;
  killProcess(id: string): Promise<void>;
  /** Its delegated agents in the order of their start, ended ones too, also those of earlier windows. */
  children(): readonly Child[];
  /** Sends the text that began the last turn once more, as a turn of its own. Undefined when there was none. */
  retry(): Receipt | undefined;
  /** That turn's result (the current one by default; at once with the last result when idle). Rejects on a session that never had a turn. */
  settled(turnId?: string): Promise<TurnResult>;
  /** The events after `sinceSeq` that are still kept (the newest 10,000). */
  events(sinceSeq: number): readonly SessionEvent[];
  rename(title: string): void;
  /** Lets go of the session: what runs goes on. Stop it first if it should not. */
  dispose(): void;
  export(format: 'json' | 'markdown'): Promise<string>;
  readonly onDidEmit: Event<SessionEvent>;
}

export interface MidcourseApi {
  readonly apiVersion: 1;
  readonly sessions: {
    create(options?: { readonly title?: string; readonly model?: string }): Promise<Session>;
    open(id: string): Promise<Session>;
    list(): Promise<readonly SessionSummary[]>;
    search(query: string, options?: { readonly limit?: number }): Promise<readonly SearchHit[]>;
  };
  readonly hooks: { on<E extends HookEvent>(event: E, handler: HookHandler<E>): Disposable };
  readonly tools: { register(tool: ToolDefinition): Disposable };
}
