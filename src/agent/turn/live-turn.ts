import type {
  CallSubject,
  ModelUsage,
  Part,
  PendingApproval,
  PendingQuestion,
  ToolCard,
  TurnError,
  Usage,
  WaitsFor,
} from '../../api.ts';
import type { HookPayloads } from '../../hooks-api.ts';
import { callWords, waitWords } from '../../words/call-words.ts';
import type { ControlState, GoOnKind } from '../control/index.ts';
import { addModelUsage, addUsage, NO_USAGE, type RecoveryState, withCost } from '../model/index.ts';
import type { Effort, ModelCall, SignedThinking, ToolSpec } from '../model/types.ts';
import type { TurnRecord } from '../session/index.ts';
import type { PermissionNeed, Tool, ToolResult } from '../tools/types.ts';
import { stitch } from './stitch.ts';
import type { ResolvedModel } from './types.ts';

const NO_SUBJECT: CallSubject = { verb: 'use', object: '' };

/**
 * What one turn holds while it runs and the control machine does not need to know: texts, calls, results, usage and
 * the controllers that end its work. It decides nothing.
 */
export class LiveTurn {
  readonly id: string;
  readonly startedAt: number;
  record: TurnRecord;
  /** Ends everything of this turn that has no controller of its own (hooks, model look-up). */
  readonly controller = new AbortController();

  model: ResolvedModel | undefined;
  request = 0;
  attempt = 0;
  attempts = 0;
  /** Models that failed in this turn, so that another went on. */
  tried: readonly ResolvedModel[] = [];
  /** What was tried after failures of a request. */
  recovery: { readonly request: number; readonly state: RecoveryState } | undefined;
  /** Visible text of the attempt that is being written, or of the one that was just cut. */
  text = '';
  reasoning = '';
  /** Pieces of the answer that is being written, from requests before: each was cut and goes on in the next. */
  pieces: string[] = [];
  /** Names of the calls that the attempt began to write. */
  readonly callsBegun = new Set<string>();
  /** What the request under way is asked with otherwise than the model would be. */
  asksWith: RequestChange = {};
  /** The newest answer broke off in a call because of this limit, in tokens, where one is known. */
  cutCall: { readonly limit: number | undefined } | undefined;
  /** Taken once a turn, so that what stands before the messages stays as it is while it runs. */
  opening: { readonly system: string; readonly tools: readonly ToolSpec[] } | undefined;
  requestController: AbortController | undefined;
  cancelWait: (() => void) | undefined;
  /** When a failed request is repeated, milliseconds since the epoch; undefined while none waits. */
  waitUntil: number | undefined;
  cancelAbandon: (() => void) | undefined;
  cancelHold: (() => void) | undefined;
  answer: { text: string; thinking: readonly SignedThinking[]; calls: readonly ModelCall[] } | undefined;
  /** What a compaction made, until it is stored. */
  summary: Summary | undefined;
  /** Why this turn's compaction came to nothing. */
  notCompacted: string | undefined;
  /** Started by no text: it is over with its compaction. */
  onlyCompacts = false;
  readonly calls = new Map<string, LiveCall>();
  /** The id of the text that started it. */
  promptId: string | undefined;
  /** What hooks added to a text, in the words for the model, by item id. */
  readonly hookContext = new Map<string, readonly string[]>();
  /** Absolute paths of the files that its calls changed. */
  readonly changed = new Set<string>();
  /** The hook that last had it go on instead of ending. */
  readonly goOnBy = new Map<GoOnKind, string>();
  /** Results of the running batch, as hooks are told of them. */
  batch: readonly HookPayloads['post_tool_call'][] = [];
  /** By the model that answered. */
  byModel: readonly ModelUsage[] = [];
  usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  /** Tokens that the newest request's prompt and answer take. */
  contextTokens = 0;
  error: TurnError | undefined;
  finalText = '';
  readonly survivors: { pid: number; command: string }[] = [];

  #isCounted = true;

  constructor(id: string, seq: number, startedAt: number) {
    this.id = id;
    this.startedAt = startedAt;
    this.record = { id, seq, startedAt, startedCalls: [] };
  }

  /** Visible text of the whole answer, with the pieces that earlier requests brought. */
  get wholeText(): string {
    return stitch([...this.pieces, this.text]);
  }

  /** What one request to that model used; undefined when the provider did not say: then the turn's cost is not known. */
  charge(used: Usage | undefined, model: ResolvedModel | undefined): void {
    if (!used) this.#isCounted = false;
    const usage = withCost(used ?? NO_USAGE, model?.price);
    const { costUsd, ...tokens } = used ? addUsage(this.usage, usage) : this.usage;
    this.usage = costUsd === undefined || !this.#isCounted ? tokens : { ...tokens, costUsd };
    if (!used) return;
    if (model) this.byModel = addModelUsage(this.byModel, model, usage);
  }

  #subjectOf(callId: string): CallSubject {
    return this.calls.get(callId)?.subject ?? NO_SUBJECT;
  }

  describe(callId: string): Pick<WaitsFor, 'what' | 'label'> {
    const call = this.calls.get(callId);
    const agent = call?.input === undefined ? undefined : call.tool?.agentName?.(call.input);
    return agent === undefined
      ? { what: 'tool', label: waitWords(this.#subjectOf(callId)) }
      : { what: 'child', label: agent };
  }

  /** What runs now, or why a failed request waits. */
  stateLabel(state: ControlState): string | undefined {
    const activity = state.turn?.activity;
    if (activity?.is === 'backoff') return this.error?.message;
    if (activity?.is !== 'tool' && activity?.is !== 'stopping') return undefined;
    const running = activity.calls.find((call) => call.state.is === 'running');
    return running && callWords(this.#subjectOf(running.id), 'running');
  }

  endWait(): void {
    this.cancelWait?.();
    this.cancelWait = undefined;
    this.waitUntil = undefined;
  }

  endTimers(): void {
    this.endWait();
    this.cancelAbandon?.();
    this.cancelHold?.();
    this.controller.abort();
  }

  dispose(): void {
    this.endTimers();
    this.requestController?.abort();
    for (const call of this.calls.values()) {
      call.controller.abort();
      call.killController.abort();
    }
  }
}

/** How one request differs, attempts that come again included. It does not outlive the request. */
export interface RequestChange {
  /** Tokens. */
  readonly maxOutput?: number;
  readonly effort?: Effort;
}

export interface Summary {
  readonly text: string;
  readonly displayText: string;
  readonly providerText: string;
  /** The first sequence number whose rows are still sent. */
  readonly keepsFrom: number;
}

export interface LiveCall {
  readonly call: ModelCall;
  readonly controller: AbortController;
  readonly killController: AbortController;
  readonly yieldController: AbortController;
  tool: Tool | undefined;
  /** The arguments as they count: what the model wrote, or what a hook made of it. */
  given: unknown;
  /** The same, parsed. */
  input: unknown;
  subject: CallSubject;
  startedAt: number;
  /** The newest output, at most 4,000 characters. */
  output: string;
  need?: PermissionNeed;
  approval?: PendingApproval;
  question?: PendingQuestion;
  answer?: string | readonly string[];
  /** Milliseconds; undefined when it did not run. */
  ranFor?: number;
  facts?: ToolResult['facts'];
  blockedBy?: NonNullable<ToolCard['blockedBy']>;
  /** The hook that changed its arguments. */
  changedBy?: string;
  /** What the model reads behind the result. */
  readonly notes: string[];
  /** True once `post_tool_call` was fired for it. */
  told: boolean;
  /** `modelText`: what the model reads where that is not `text`. */
  result?: {
    readonly text: string;
    readonly modelText?: string;
    readonly images?: readonly Part[];
    readonly card: ToolCard;
  };
}
