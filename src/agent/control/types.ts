/**
 * The words of the control machine: its state, the events it is fed, the writes and effects it answers with.
 * The rules themselves are in `machine.ts`; where each comes from is `spec/control.md` of the project.
 */

import type {
  Attachment,
  Continuation,
  ExitReason,
  Interruption,
  Item,
  Phase,
  Receipt,
  ResultStatus,
} from '../../api.ts';
import type { Receipts } from './receipts.ts';

export interface ControlState {
  readonly sessionId: string;
  /** The last sequence number that was given out; order is decided by it and by nothing else. */
  readonly seq: number;
  /** Undelivered items, in the order in which they will be delivered: texts that lead first, then queue entries. */
  readonly items: readonly Item[];
  /** Delivered in a request of the current turn whose response head has not arrived. */
  readonly unread: readonly Item[];
  readonly receipts: Receipts;
  /** Requests a turn may make. */
  readonly stepBudget: number;
  readonly turn: Turn | undefined;
  /** A stop that the model has not been told of: the next user row carries the note. */
  readonly untoldStop: UntoldStop | undefined;
  /** Ends of background work that the model has not been told of. They never start a turn. */
  readonly notices: readonly Notice[];
  /** Delegated agents that have not ended, also those in the background. */
  readonly children: readonly WorkingChild[];
  /** True when a quiet review follows an answered turn. */
  readonly reviews: boolean;
  /** True when a turn that has used up its requests may ask once more, without tools, for a last word. */
  readonly wrapsUp: boolean;
  readonly review: 'none' | 'running' | 'cancelling';
}

export interface WorkingChild {
  readonly id: string;
  /** The turn that started it. */
  readonly startedBy: string;
}

export interface Notice {
  readonly id: string;
  readonly text: string;
}

export interface UntoldStop {
  readonly phase: Phase;
  readonly by: string;
}

export interface Turn {
  readonly id: string;
  /** True once its user row is stored; a turn that is not running fires no hook when it is stopped. */
  readonly running: boolean;
  /** The request that is under way or was last, from 1; 0 before the first. */
  readonly request: number;
  readonly attempt: number;
  /** Redirects that restarted the current request, once each for those that went in together. */
  readonly restarts: number;
  /** Requests of this turn that were charged to the step budget; a redirect is not. */
  readonly stepsUsed: number;
  readonly activity: Activity;
  readonly stopAfterStep: StopCause | undefined;
  /** `wanted`: before the next request. A turn compacts once, whether it worked or not. */
  readonly compaction: 'none' | 'wanted' | 'done';
  /** An answer that was cut and goes on: where its pieces begin, and how many there are. */
  readonly continuation: { readonly from: number; readonly pieces: number } | undefined;
  /** The request under way is the last word of a turn that has used up its requests: nothing follows it. */
  readonly wrapsUp: boolean;
  /** How often hooks made the turn go on instead of ending; of `stop` without a word of the user between. */
  readonly goneOn: Readonly<Record<GoOnKind, number>>;
}

/** `stop`: a hook that any end of an answer asks (`Stop` of other systems); `verify`: one that looks at changed files. */
export type GoOnKind = 'verify' | 'stop';

export interface GoOn {
  readonly kind: GoOnKind;
  /** What the model is told. */
  readonly text: string;
  /** The hook, for people. */
  readonly by: string;
}

export interface StopCause {
  readonly seq: number;
  /** `user`, or a named system producer. */
  readonly by: string;
  /** Which surface: `stop_button`, `stop_key`, `api`, … */
  readonly reason: string;
  /** What becomes of the queue: `midcourse.queue.onStop`. */
  readonly onQueue: 'hold' | 'return';
}

export type Activity =
  /**
   * Prompt hooks run for the turn's first text; nothing of it is in the history yet. While `held` they have not begun:
   * a review is being cancelled first. A turn that only compacts has no text.
   */
  | {
      readonly is: 'starting';
      readonly ready: readonly string[];
      readonly asking: readonly string[];
      readonly held: boolean;
    }
  /**
   * Prompt hooks run for texts at a boundary. After them comes the next request, or the same one again; `cut` means
   * again because a redirect ended its last attempt, whose visible text goes into the history before the texts. With
   * nothing to ask for any more a `cut` waits for what else is sent in the same moment.
   */
  | {
      readonly is: 'hook';
      readonly ready: readonly string[];
      readonly asking: readonly string[];
      readonly then: 'next' | 'again' | 'cut';
    }
  | { readonly is: 'model' }
  | { readonly is: 'backoff'; readonly retryAfter: boolean }
  /**
   * What follows it: the request that would have been too long, the one that was (`overflow`), the next one; `end`: the
   * turn was started for it and is over with it.
   */
  | { readonly is: 'compaction'; readonly then: 'again' | 'overflow' | 'next' | 'end' }
  | { readonly is: 'tool'; readonly calls: readonly Call[] }
  | { readonly is: 'finalizing' }
  | {
      readonly is: 'stopping';
      readonly cause: StopCause;
      readonly phase: Phase;
      readonly calls: readonly Call[];
      /** Milliseconds since the epoch, of the press that was last acted upon. */
      readonly pressedAt: number;
    };

export interface Call {
  readonly id: string;
  /** Calls of one segment may overlap; segments run in order. */
  readonly segment: number;
  readonly state: CallState;
  /** Its result row is in the history. */
  readonly stored: boolean;
  /** It waits for hooks, before it runs or before its result is told. */
  readonly hooks: boolean;
}

export type CallState =
  | { readonly is: 'waiting' }
  /** Its input is parsed, its hooks run, its permission is looked up. */
  | { readonly is: 'beginning' }
  | { readonly is: 'approval' }
  | { readonly is: 'question'; readonly freeText: boolean }
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly status: ResultStatus };

/** Every event carries the session's next sequence number and the time it was made (milliseconds since the epoch). */
export type ControlEvent = (VerbEvent | LoopEvent) & { readonly seq: number; readonly at: number };

interface TextEvent {
  readonly id: string;
  readonly text: string;
  /** As `Item.providerText`. */
  readonly providerText?: string;
  readonly attachments: readonly Attachment[];
  readonly origin: Item['origin'];
  /** False when the text has images and the model sees none. */
  readonly seesImages: boolean;
}

export type VerbEvent =
  | ({ readonly type: 'send'; readonly busyInput: 'steer' | 'queue' | 'redirect' } & TextEvent)
  | ({ readonly type: 'steer' } & TextEvent)
  | ({ readonly type: 'redirect' } & TextEvent)
  | ({ readonly type: 'queue' } & TextEvent)
  | ({ readonly type: 'stopAndSend'; readonly onQueue: 'hold' | 'return'; readonly reason: string } & TextEvent)
  | {
      readonly type: 'stop';
      readonly id: string;
      readonly by: string;
      readonly reason: string;
      readonly onQueue: 'hold' | 'return';
    }
  | {
      readonly type: 'stopAfterStep';
      readonly id: string;
      readonly reason: string;
      readonly onQueue: 'hold' | 'return';
    }
  | { readonly type: 'withdraw'; readonly id: string }
  /** `seesImages`: false when the entry has images and the model sees none. */
  | { readonly type: 'sendNow'; readonly id: string; readonly seesImages: boolean }
  | { readonly type: 'redirectNow'; readonly id: string; readonly seesImages: boolean }
  | {
      readonly type: 'edit';
      readonly id: string;
      readonly text: string;
      readonly providerText?: string;
      readonly revision: number;
    }
  | { readonly type: 'move'; readonly id: string; readonly before: string | undefined }
  | { readonly type: 'resumeQueue'; readonly id: string }
  | { readonly type: 'clearQueue'; readonly id: string }
  | { readonly type: 'acknowledge'; readonly id: string }
  /** The user asks for a compaction: before the next request, or at once when the session is idle. */
  | { readonly type: 'compact'; readonly id: string };

interface AttemptOf {
  readonly turnId: string;
  readonly request: number;
  readonly attempt: number;
}

export type LoopEvent =
  | {
      readonly type: 'prepared';
      readonly turnId: string;
      readonly itemIds: readonly string[];
      readonly blocked: readonly { readonly id: string; readonly why: string }[];
    }
  /** What was sent in the same tick as a redirect is here. */
  | { readonly type: 'gathered'; readonly turnId: string }
  | ({ readonly type: 'head' } & AttemptOf)
  | ({
      readonly type: 'answered';
      readonly calls: readonly { readonly id: string; readonly segment: number }[];
      /** False when the answer holds neither text nor calls. */
      readonly substance: boolean;
    } & AttemptOf)
  | ({
      readonly type: 'failed';
      readonly retry: { readonly ms: number; readonly retryAfter: boolean } | undefined;
      /** `context_exhausted`: the history is too long, nothing of an answer was shown, and a compaction may mend it. */
      readonly exit: 'model_error' | 'context_exhausted' | 'no_answer' | 'cost_budget';
    } & AttemptOf)
  /** The answer was cut short, nothing of its calls runs, and it can go on from what was said. */
  | ({ readonly type: 'continues'; readonly why: Continuation } & AttemptOf)
  | ({ readonly type: 'waited' } & AttemptOf)
  /** Instead of asking: the request would be too long. */
  | ({ readonly type: 'compacting' } & AttemptOf)
  | { readonly type: 'compacted'; readonly turnId: string; readonly ok: boolean }
  | { readonly type: 'cleared'; readonly turnId: string; readonly callId: string }
  | { readonly type: 'approval'; readonly turnId: string; readonly callId: string }
  | { readonly type: 'question'; readonly turnId: string; readonly callId: string; readonly freeText: boolean }
  | { readonly type: 'allowed'; readonly turnId: string; readonly callId: string }
  | { readonly type: 'result'; readonly turnId: string; readonly callId: string; readonly status: ResultStatus }
  /** A call begins to wait for its hooks, or waits no longer. */
  | { readonly type: 'hooks'; readonly turnId: string; readonly callId: string; readonly wait: boolean }
  /** What the hooks of the turn's end want: the turn ends when nothing. */
  | { readonly type: 'finalized'; readonly turnId: string; readonly goOns: readonly GoOn[] }
  | { readonly type: 'abandon'; readonly turnId: string }
  | {
      readonly type: 'configured';
      readonly stepBudget: number;
      readonly reviews: boolean;
      readonly wrapsUp: boolean;
    }
  /** A delegated agent is about to run, or waits for a place to. */
  | { readonly type: 'childStarted'; readonly childId: string; readonly startedBy: string }
  | { readonly type: 'childEnded'; readonly childId: string }
  | { readonly type: 'reviewEnded' }
  /** The review was given time enough to end. */
  | { readonly type: 'startAnyway'; readonly turnId: string }
  /** Background work has ended. */
  | { readonly type: 'noticed'; readonly notice: Notice }
  | { readonly type: 'storageFailed'; readonly turnId: string; readonly callsUnstored: boolean };

/**
 * What has to be on disk before the new state counts. All writes of one step are one transaction: if it fails, the
 * step did not happen. Writes name what to store; the content (texts, results) is the turn loop's.
 */
export type Write =
  | { readonly write: 'item'; readonly item: Item }
  /** The user chose the order: all undelivered items as they now stand. */
  | { readonly write: 'order'; readonly ids: readonly string[] }
  /** What a text was answered with: its id may come again, also after a reload. */
  | { readonly write: 'receipt'; readonly receipt: Receipt }
  | {
      readonly write: 'user';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly kind: 'message' | 'steer' | 'redirect';
      readonly items: readonly Item[];
      /** The answer before it was cut by this correction. */
      readonly cut: boolean;
      readonly untoldStop: UntoldStop | undefined;
    }
  /** What the model is told of background work, before the next user text or request. */
  | {
      readonly write: 'notice';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly text: string;
    }
  | {
      readonly write: 'answer';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
    }
  /** The visible text of an answer that was cut; nothing when there was none. */
  | {
      readonly write: 'partial';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly interrupted: Interruption;
    }
  /** A piece of an answer that goes on: its visible text, and what the provider wants back; nothing when there is none. */
  | {
      readonly write: 'fragment';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly why: Continuation;
    }
  /** What the model alone is told: to go on with the cut answer, or to say its last word. */
  | {
      readonly write: 'nudge';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly why: Continuation | 'step_budget';
    }
  /** One row for all pieces of an answer that never came to its end; they begin at `from`. */
  | {
      readonly write: 'stitched';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly from: number;
    }
  /** A hook has the agent go on: what the model is told, in the place of a message of the user. */
  | {
      readonly write: 'goOn';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly text: string;
      readonly by: string;
    }
  | {
      readonly write: 'result';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
      readonly callId: string;
      readonly status: ResultStatus;
    }
  /** What stands for the older part of the history from now on. */
  | {
      readonly write: 'summary';
      readonly seq: number;
      readonly rowId: string;
      readonly turnId: string;
      readonly request: number;
    }
  /** An assistant row that only the model sees, when the history ends on tool results. */
  | { readonly write: 'closing'; readonly seq: number; readonly rowId: string; readonly turnId: string }
  | { readonly write: 'turn'; readonly turnId: string; readonly state: 'started' }
  /** Before the call runs: after a crash it may have run in part, one that is not named here did not. */
  | { readonly write: 'callStarted'; readonly turnId: string; readonly callId: string }
  | { readonly write: 'turn'; readonly turnId: string; readonly state: 'stopped'; readonly cause: StopCause }
  | { readonly write: 'turn'; readonly turnId: string; readonly state: 'ended'; readonly end: TurnEnd };

export interface TurnEnd {
  readonly exit: ExitReason;
  readonly phase: Phase;
  readonly cause: StopCause | undefined;
  readonly running: boolean;
  readonly requests: number;
}

/** What the turn loop carries out after the writes are on disk, in this order. */
export type Effect =
  | { readonly do: 'prepare'; readonly turnId: string; readonly items: readonly Item[] }
  /** The machine is told `gathered` when the tick is over. */
  | { readonly do: 'gather'; readonly turnId: string }
  | {
      readonly do: 'request';
      readonly turnId: string;
      readonly request: number;
      readonly attempt: number;
      /** False once the turn has compacted: a request that is still too long is the provider's to judge. */
      readonly mayCompact: boolean;
      /** It goes on with an answer that was cut. */
      readonly continues: boolean;
      /** No tools: the answer is the turn's last word. */
      readonly last: boolean;
    }
  | { readonly do: 'abortRequest'; readonly turnId: string; readonly request: number; readonly attempt: number }
  | {
      readonly do: 'wait';
      readonly turnId: string;
      readonly request: number;
      readonly attempt: number;
      readonly ms: number;
    }
  | { readonly do: 'cancelWait' | 'cancelPrepare' | 'cancelCompaction' | 'cancelFinalize'; readonly turnId: string }
  | { readonly do: 'begin' | 'run'; readonly turnId: string; readonly callId: string }
  /** The call is over for the turn: its card or question closes, whatever it still does is dropped. */
  | { readonly do: 'closeCall'; readonly turnId: string; readonly callId: string; readonly status: ResultStatus }
  | { readonly do: 'abortCall' | 'killCall' | 'askYield'; readonly turnId: string; readonly callId: string }
  | { readonly do: 'answerQuestion'; readonly turnId: string; readonly callId: string; readonly text: string }
  | { readonly do: 'abandonAfter'; readonly turnId: string; readonly ms: number }
  /** The hooks of these kinds are asked whether the turn may end. */
  | {
      readonly do: 'finalize';
      readonly turnId: string;
      readonly ask: readonly GoOnKind[];
      readonly goneOn: Turn['goneOn'];
    }
  /** Hooks of this kind have had the turn go on as often as they may: they are not heard any more. */
  | { readonly do: 'goOnsUsedUp'; readonly turnId: string; readonly kind: GoOnKind }
  | { readonly do: 'turnStarted'; readonly turnId: string; readonly seq: number }
  | { readonly do: 'turnEnded'; readonly turnId: string; readonly end: TurnEnd }
  /** `manual`: the user asked for it. */
  | {
      readonly do: 'compact';
      readonly turnId: string;
      readonly request: number;
      readonly trigger: 'manual' | 'auto';
    }
  | { readonly do: 'stopChild'; readonly childId: string }
  | { readonly do: 'review'; readonly turnId: string }
  | { readonly do: 'cancelReview' }
  /** The turn waits for the review to end, no longer than this. */
  | { readonly do: 'holdStart'; readonly turnId: string; readonly ms: number };

export interface StepResult {
  readonly state: ControlState;
  readonly writes: readonly Write[];
  readonly effects: readonly Effect[];
  /** For verbs. */
  readonly receipt: Receipt | undefined;
}
