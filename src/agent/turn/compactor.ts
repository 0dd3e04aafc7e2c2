import type { TurnError } from '../../api.ts';
import type { LoopEvent } from '../control/index.ts';
import { compactionHelps } from '../model/index.ts';
import type { Announcer } from './announcer.ts';
import { type CompactionOutcome, runCompaction, tooLong } from './compaction-run.ts';
import type { ContextWatch } from './context-watch.ts';
import type { History } from './history.ts';
import { refusedCompaction, type Trigger, tellCompacted, withHookContext } from './hooks/compaction-hooks.ts';
import type { SessionHooks } from './hooks/session-hooks.ts';
import type { LiveTurn } from './live-turn.ts';
import type { AgentPorts } from './types.ts';

export interface CompactorParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly announcer: Announcer;
  readonly history: History;
  readonly hooks: SessionHooks;
  readonly watch: ContextWatch;
  modelRef(): string | undefined;
  /** False when what may be spent is spent: the turn has been stopped then. */
  mayAsk(): boolean;
  /** Feeds the machine. */
  tell(event: LoopEvent): void;
}

interface Size {
  readonly messages: number;
  readonly tokens: number;
}

/** Carries out the machine's `compact`: it tells `compacted` once, unless the turn was over before. */
export class Compactor {
  readonly #parts: CompactorParts;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
  }

  start(turn: LiveTurn, trigger: Trigger): void {
    const { ports, sessionId, history, hooks, watch, tell } = this.#parts;
    const { signal } = turn.controller;
    // A refusal as too long is mended by this; a stop meanwhile is no failure.
    const refused = turn.error && compactionHelps(turn.error.kind) ? watch.estimate() : undefined;
    turn.error = undefined;
    turn.summary = undefined;
    this.#mark(turn, true);
    void this.#run(turn, trigger, refused)
      .catch((error: unknown): CompactionOutcome => {
        ports.log.error(`compacting ${sessionId}: ${error instanceof Error ? error.stack : error}`);
        return { failed: `Midcourse itself failed: ${error}`, kind: 'failed' };
      })
      .then((outcome) => {
        if (signal.aborted) return;
        const made = 'made' in outcome ? outcome.made : undefined;
        if ('made' in outcome) turn.summary = outcome.made;
        else this.#failed(turn, outcome, refused !== undefined);
        const before = this.#size();
        tell({ type: 'compacted', turnId: turn.id, ok: made !== undefined });
        if (made) tellCompacted(hooks, turn, trigger, made);
        // The summary is there when the write went through.
        if ('made' in outcome && turn.onlyCompacts && history.entries()[0]?.summary) this.#told(turn, before);
      });
  }

  async #run(turn: LiveTurn, trigger: Trigger, refused: number | undefined): Promise<CompactionOutcome> {
    const { ports, sessionId, announcer, history, hooks, modelRef, mayAsk } = this.#parts;
    const { signal } = turn.controller;
    const refusal = await refusedCompaction(hooks, turn, trigger);
    if (refusal) return { failed: `the hook ${refusal.by} refused it: ${refusal.reason}`, kind: 'noop' };
    if (signal.aborted) return { failed: 'the turn was stopped', kind: 'failed' };
    const progress = () => announcer.progress();
    const outcome = await runCompaction(
      { ports, sessionId, modelRef: modelRef(), turn, history, hooks, refused, mayAsk, progress },
      signal,
    );
    return 'made' in outcome ? { made: await withHookContext(hooks, turn, outcome.made) } : outcome;
  }

  #size(): Size {
    const { history, watch } = this.#parts;
    return { messages: history.entries().length, tokens: watch.estimate() };
  }

  #told(turn: LiveTurn, before: Size): void {
    const { announcer } = this.#parts;
    const after = this.#size();
    const text = `Compacted: ${before.messages} → ${after.messages} messages, about ${thousands(before.tokens)} → ${thousands(after.tokens)} tokens.`;
    announcer.notice('compacted', text, turn.id);
  }

  #failed(
    turn: LiveTurn,
    { failed: why, kind }: Extract<CompactionOutcome, { failed: string }>,
    refused: boolean,
  ): void {
    const { announcer, ports, sessionId, watch } = this.#parts;
    const message = `The conversation was not compacted: ${why}. Nothing of it is lost.`;
    ports.log.warn(`session ${sessionId}: ${message}`);
    if (kind !== 'noop') watch.failed();
    this.#mark(turn, false);
    turn.notCompacted = why;
    // A turn that cannot go on ends with the reason; for any other it is said beside it.
    if (refused) turn.error = tooLong(turn, why);
    else if (turn.onlyCompacts) turn.error = errorOf(kind, message);
    else announcer.notice('not_compacted', message, turn.id);
  }

  /** For a recovery, which otherwise could not tell where the turn was cut. It goes without when it cannot be stored. */
  #mark(turn: LiveTurn, compacting: boolean): void {
    const { ports, sessionId, history } = this.#parts;
    const { compactingAfter: _over, ...record } = turn.record;
    try {
      const marked = compacting ? { ...record, compactingAfter: history.lastSeq } : record;
      ports.store.commit({ sessionId, turn: marked });
      turn.record = marked;
    } catch (error) {
      ports.log.warn(`the compaction of ${sessionId} was not marked: ${error}`);
    }
  }
}

/** Nothing to do is nothing to try again. */
function errorOf(kind: 'noop' | 'refused' | 'failed', message: string): TurnError {
  const name = `not_compacted_${kind}`;
  return kind === 'noop' ? { kind: name, message } : { kind: name, message, action: 'midcourse.compact' };
}

function thousands(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
