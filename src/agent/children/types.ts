import type { TranscriptRow, TurnResult } from '../../api.ts';
import type { HookPayloads } from '../../hooks-api.ts';
import type { LoopEvent } from '../control/index.ts';
import type { DelegatePort, ProcessPort } from '../tools/types.ts';
import type { AgentPorts, Announcement, LiveSession, OpenedSession } from '../turn/index.ts';

/** What delegated agents are given of the session that they work for. */
export interface ChildrenParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  /** What the user allowed for the session: it counts for its agents, and what is allowed to them counts for it. */
  readonly sessionRules: Set<string>;
  readonly processes: ProcessPort;
  /** Tells hooks of the session's of something that happened to one of its agents. */
  tellHooks<E extends 'subagent_start' | 'subagent_stop'>(event: E, of: HookPayloads[E]): void;
  modelRef(): string | undefined;
  /** The stored session of an agent, of one that has ended the newest rows; undefined when it was deleted. @throws StorageError */
  read(id: string): OpenedSession | undefined;
  /** Its live session. @throws StorageError */
  open(ports: AgentPorts, id: string): LiveSession;
  /** Feeds the machine of the session. */
  tell(event: LoopEvent): void;
  emit(event: Announcement): void;
  /** False when what the session may spend is spent: it has been stopped then, with its agents. */
  mayAsk(): boolean;
  /** Something of an agent moved. */
  progress(): void;
  /** True while that turn runs and is not being stopped: whoever ends one of its calls then means that call alone. */
  goesOn(turnId: string): boolean;
  /** True while the call has no result. */
  isOpen(callId: string): boolean;
  endProcess(id: string): void;
}

/** The call that delegates. */
export type DelegatingCall = Parameters<DelegatePort['delegate']>[1];

/** The rows of a session and the results of its turns, as stored. */
export interface Transcript {
  /** @param range.limit counts from the end; `before` excludes rows from that sequence number on */
  rows(range?: { readonly before?: number; readonly limit?: number }): readonly TranscriptRow[];
  turnResult(turnId: string): TurnResult | undefined;
}
