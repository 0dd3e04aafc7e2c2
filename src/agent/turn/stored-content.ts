import type { Item, Receipt, TranscriptRow, TurnResult } from '../../api.ts';
import { restore, type StepResult, type UntoldStop } from '../control/index.ts';
import type { TurnRecord } from '../session/index.ts';
import type { Reading } from './context-watch.ts';

/** All that the store has of a session. */
export interface StoredContent {
  readonly rows: readonly TranscriptRow[];
  readonly items: readonly Item[];
  readonly turns: readonly TurnRecord[];
  readonly receipts: readonly Receipt[];
  readonly lastSeq: number;
}

export function resultsOf({ turns }: StoredContent): readonly TurnResult[] {
  return turns.flatMap((turn) => turn.result ?? []);
}

/** The control machine of a session that was read. Its writes are still to be stored. */
export function restoredState(
  sessionId: string,
  content: StoredContent,
  limits: { readonly stepBudget: number; readonly reviews: boolean; readonly wrapsUp: boolean },
): StepResult {
  const { items, receipts, lastSeq } = content;
  return restore({ sessionId, lastSeq, ...limits, items, receipts, untoldStop: untoldStop(content) });
}

/** A stop of the turn that has the newest user row: the model is told of it with the next one. */
function untoldStop(content: StoredContent): UntoldStop | undefined {
  const told = content.rows.findLast((row) => row.role === 'user');
  const turn = resultsOf(content).findLast((result) => result.turnId === told?.turnId);
  return turn?.stoppedBy && turn.phase ? { phase: turn.phase, by: turn.stoppedBy } : undefined;
}

/** The newest count of the context that is stored, with the row that it goes up to. */
export function lastReading({ turns, rows }: StoredContent): Reading | undefined {
  const counted = turns.findLast((turn) => turn.contextTokens !== undefined);
  const row = rows.findLast((one) => one.turnId === counted?.id);
  return counted?.contextTokens === undefined || !row ? undefined : { tokens: counted.contextTokens, upTo: row.seq };
}
