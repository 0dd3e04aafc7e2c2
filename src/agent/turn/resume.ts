import type { Item, TranscriptRow } from '../../api.ts';
import type { TurnRecord } from '../session/index.ts';

/** Milliseconds after which an interrupted turn is not gone on with by itself any more. */
export const RESUME_WITHIN = 15 * 60_000;
/** How often one prompt is gone on with by itself, when each time the window goes away again. */
export const RESUME_ATTEMPTS = 2;

export interface Resume {
  /** For the text that goes on. It names the turn and the attempt, so each attempt is made once and outlives a crash. */
  readonly itemId: string;
  /** The turn that the user began. */
  readonly turnId: string;
  /** From 1. */
  readonly attempt: number;
}

export interface ResumeFacts {
  readonly turns: readonly TurnRecord[];
  /** Asked for only when the newest turn may be gone on with: they may be many. */
  rows(): readonly TranscriptRow[];
  items(): readonly Item[];
}

/**
 * Whether the newest turn may be gone on with although nobody asked: only when its window went away while it ran, a
 * short time ago, not too often in a row for the same prompt, and never when it was stopped.
 *
 * @param now milliseconds since the epoch
 */
export function resumeOf({ rows, items, turns }: ResumeFacts, now: number): Resume | undefined {
  const last = turns.at(-1);
  if (last?.result?.exitReason !== 'interrupted_by_reload' || last.stopped) return undefined;
  if (now - (last.endedAt ?? 0) >= RESUME_WITHIN) return undefined;
  const begunBy = rows().find((row) => row.turnId === last.id && row.kind === 'message')?.itemIds?.[0];
  if (begunBy === undefined) return undefined;
  const { turnId, attempt: attempts } = attemptIn(begunBy) ?? { turnId: last.id, attempt: 0 };
  const attempt = attempts + 1;
  const itemId = `${PREFIX}${attempt}:${turnId}`;
  if (attempt > RESUME_ATTEMPTS || items().some(({ id }) => id === itemId)) return undefined;
  return { itemId, turnId, attempt };
}

const PREFIX = 'resume-';

/** The attempt that an item stands for; undefined for one of the user. */
function attemptIn(itemId: string): { readonly turnId: string; readonly attempt: number } | undefined {
  const [, attempt, turnId] = /^resume-(\d+):(.+)$/.exec(itemId) ?? [];
  return attempt === undefined || turnId === undefined ? undefined : { turnId, attempt: Number(attempt) };
}
