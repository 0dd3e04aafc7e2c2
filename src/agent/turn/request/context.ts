import type { LoopEvent } from '../../control/index.ts';
import type { RateLimitWatch } from '../../model/index.ts';
import type { ModelRequest } from '../../model/types.ts';
import type { ContextWatch } from '../context-watch.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { AgentPorts } from '../types.ts';
import type { SentImages } from './sent-images.ts';

/** One attempt of one request. */
export interface AttemptOf {
  readonly turnId: string;
  readonly request: number;
  readonly attempt: number;
}

/** What an attempt is given of its session and turn. */
export interface RequestContext {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly modelRef: string | undefined;
  readonly turn: LiveTurn;
  readonly hooks: SessionHooks;
  readonly watch: ContextWatch;
  /** Which images a model is sent. */
  readonly images: SentImages;
  /** What was said of the session's limits. */
  readonly limits: RateLimitWatch;
  /** False once the turn has compacted. */
  readonly mayCompact: boolean;
  /** It goes on with an answer that was cut. */
  readonly continues: boolean;
  /** The turn's last word: no tools, nothing follows. */
  readonly last: boolean;
  /** The newest row that the model is sent. */
  readonly upTo: number;
  /** False when what may be spent is spent: the turn has been stopped then. */
  mayAsk(): boolean;
  messages(): ModelRequest['messages'];
  hasCall(callId: string): boolean;
  /** Feeds the machine; events of an attempt that is over change nothing there. */
  tell(event: LoopEvent): void;
  delta(part: 'text' | 'reasoning', text: string): void;
  callProgress(name: string, characters: number): void;
  /** Something for the user that is not part of the conversation. */
  notice(kind: string, text: string): void;
}
