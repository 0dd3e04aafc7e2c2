/** Notices that say how an answer came about: they stand in the transcript, at their place, until the page is made anew. */

import type { SessionEvent, TranscriptRow } from '../../src/api.ts';

type Notice = Extract<SessionEvent, { type: 'notice' }>;

const marks = {
  /** The connection broke; the model is asked again. */
  reconnecting: 'debug-disconnect',
  /** Another model goes on. */
  model_switched: 'arrow-swap',
  /** Words of a hook for the person. */
  hook: 'plug',
  /** Hooks had the turn go on as often as they may. */
  hook_limit: 'plug',
  /** A hook had a say in what the model's own program does by itself. */
  hook_too_late: 'plug',
} as const;

export type MarkKind = keyof typeof marks;

/** The row that shows it; undefined for what is said on the quiet line. */
export function markRow({ kind, text, seq, turnId }: Notice): TranscriptRow | undefined {
  if (turnId === undefined || !Object.hasOwn(marks, kind)) return undefined;
  return { id: `${prefix}${kind}/${seq}`, seq, turnId, role: 'notice', kind: 'notice', parts: [], displayText: text };
}

export function markOf({ id }: TranscriptRow): MarkKind | undefined {
  if (!id.startsWith(prefix)) return undefined;
  return (Object.keys(marks) as MarkKind[]).find((kind) => id.startsWith(`${prefix}${kind}/`));
}

export function markIcon(kind: MarkKind): string {
  return marks[kind];
}

/** Ids of stored rows are the host's and never begin like this. */
const prefix = 'mark/';
