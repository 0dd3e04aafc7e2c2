/**
 * What the turn loop is given from outside. `src/editor` puts the real ones in; tests and the simulator their own.
 */

import type { CallSubject } from '../../api.ts';
import type { CustomisationPort } from '../customisations/types.ts';
import type { HookPort } from '../hooks/port.ts';
import type { Effort, ModelError, ModelErrorKind, ModelWire, Price } from '../model/types.ts';
import type { SessionStore } from '../session/types.ts';
import type { EditorPort, ProcessPort, Tool, ToolSettings } from '../tools/types.ts';

export interface AgentPorts {
  readonly store: SessionStore;
  readonly models: ModelPort;
  readonly tools: ToolPort;
  readonly approvals: ApprovalPort;
  readonly hooks: HookPort;
  readonly editor: EditorPort;
  /** Set for the session of a delegated agent. */
  readonly parent?: ParentPort;
  /** One for each session; ended with it. */
  processes(sessionId: string): ProcessPort;
  readonly clock: Clock;
  readonly log: Log;
  settings(): AgentSettings;
  /** True while a chat shows the session. */
  isShown(sessionId: string): boolean;
  /** What files tell the agent; absent where nothing is read. */
  readonly customisations?: CustomisationPort;
  /** The system prompt: the same bytes for one session as long as its workspace stays. A delegated agent has its own. */
  systemPrompt(of?: 'session' | 'child', sessionId?: string): string;
}

export interface AgentSettings {
  readonly busyInput: 'steer' | 'queue' | 'redirect';
  readonly queueOnStop: 'hold' | 'return';
  /** What becomes of a turn that a reload or a crash interrupted: *Continue* is offered, it goes on by itself, neither. */
  readonly resume: 'offer' | 'auto' | 'off';
  /** Requests a turn may make; at least 1. */
  readonly stepBudget: number;
  /** False: a turn that has used up its requests ends without a last word. For work whose words nobody reads. */
  readonly wrapsUp?: boolean;
  readonly agents: AgentLimits;
  /** Milliseconds without progress after which a turn is stopped; 0 never stops it. */
  readonly livenessTimeout: number;
  /** Per cent of the model's window above which a request waits for a compaction; 0 never compacts before a request. */
  readonly compactionThreshold: number;
  readonly review: ReviewSettings;
  readonly budget: BudgetSettings;
  /** Attempts of one request when it fails in a way that may pass; at least 1. */
  readonly maxAttempts: number;
  /** False: nothing is compacted by itself, also not when the provider refuses the conversation as too long. */
  readonly compacts?: boolean;
  /** Absolute real paths; empty without a workspace, or where tools are off (untrusted, virtual). */
  readonly folders: readonly string[];
  /** Why tools are off, in words for the model and the user; undefined when they are on. */
  readonly toolsOff: string | undefined;
  readonly tool: ToolSettings;
}

/** What a delegated agent's session shares with the one that it works for. */
export interface ParentPort {
  readonly sessionId: string;
  /** What kind of agent it is, for hooks. */
  readonly agentType: string;
  /** Rules that the user allowed for the session. */
  readonly sessionRules: Set<string>;
  /** True while the agent waits for a free place, which is no lack of progress. */
  waits(): boolean;
  /** False when no request may go out, because what may be spent is spent; the session has been stopped then. */
  mayAsk?(): boolean;
}

/** What delegated agents may use. */
export interface AgentLimits {
  /** How many of one session run at once; at least 1. Further ones wait for a free place. */
  readonly max: number;
  /** Requests that each of them may make; at least 1. */
  readonly requests: number;
}

/** The quiet review after an answered turn. */
export interface ReviewSettings {
  readonly enabled: boolean;
  /** Requests that one review may make; at least 1. */
  readonly requests: number;
  /** Tokens after which it ends. */
  readonly tokens: number;
}

/** US dollars that may be spent; absent for no limit. */
export interface BudgetSettings {
  readonly perTurn?: number;
  readonly perSession?: number;
  /** Of all sessions of this workspace, since midnight. */
  readonly perDay?: number;
}

export interface ModelPort {
  /** The model for a `provider/model` reference, the chosen one when undefined. Never throws. */
  resolve(ref: string | undefined): Promise<ResolvedModel | { readonly error: ModelError }>;
  /** The `provider/model` that undefined stands for, as far as it is known without asking anybody. */
  chosenRef?(): string | undefined;
  /**
   * The same model with the provider's next key, after its key was refused or is used up; undefined when none is left.
   *
   * @param reread the keys are read again first: the user may have set another one
   */
  rotate?(model: ResolvedModel, error: ModelError, reread: boolean): Promise<ResolvedModel | undefined>;
  /** The next model of the fallback chain; undefined when none is left that was not tried. */
  fallback?(tried: readonly ResolvedModel[], error: ModelError): Promise<ResolvedModel | undefined>;
  /** A provider named a limit of the model: it is kept, also for later sessions. */
  learn?(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void;
  /** It has answered: what was held against it and its key is over. */
  worked?(model: ResolvedModel): void;
}

export interface ResolvedModel {
  /** `provider/model` as in the setting `midcourse.model`. */
  readonly ref: string;
  readonly label: string;
  readonly wire: ModelWire;
  readonly model: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutput?: number;
  readonly vision: boolean;
  readonly price?: Price;
  /** What it thinks with; absent for the provider's default. */
  readonly effort?: Effort;
  /** The efforts that it takes, weakest first; empty or absent where nobody says. */
  readonly efforts?: readonly Effort[];
  /** Which of the provider's keys it uses, counted from 0, when there are several. */
  readonly key?: number;
  /** The wanted model rests after a failure, and this one goes on for it. */
  readonly standsIn?: { readonly for: string; readonly because: ModelErrorKind };
  /** The provider keeps the conversation itself: nothing is compacted here. */
  readonly keepsHistory?: true;
}

export interface ToolPort {
  list(): readonly Tool[];
  /** By name; a near miss in case or separators is repaired. `own`: those of a provider that works by itself. */
  find(name: string, own?: readonly Tool[]): Tool | undefined;
  /** Resolves when tools that are about to come are there, or after a bounded time; undefined when none are expected. */
  ready?(signal: AbortSignal): Promise<void> | undefined;
}

/** Rules that the user allowed. Session rules live in the session; *always* rules are stored for the workspace. */
export interface ApprovalPort {
  isAlwaysAllowed(key: string): boolean;
  allowAlways(key: string, words: string): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the returned function ends it. */
  after(ms: number, callback: () => void): () => void;
}

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What a session does right now, for a view that opens or comes back. */
export interface LiveView {
  readonly turnId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly request: number;
  readonly attempt: number;
  /** Visible text of the answer that is being written. */
  readonly text: string;
  readonly reasoning: string;
  readonly tools: readonly LiveTool[];
}

export interface LiveTool {
  readonly callId: string;
  readonly name: string;
  readonly state: string;
  readonly label: string;
  readonly subject?: CallSubject;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The newest output, at most 4,000 characters. */
  readonly output: string;
}
