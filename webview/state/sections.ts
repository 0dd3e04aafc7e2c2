import type { TranscriptRow } from '../../src/api.ts';
import type { LiveState } from '../../src/protocol/index.ts';
import type { Section } from './chat-state.ts';

/** A turn longer than this many rows goes on in another section. */
export const sectionRows = 60;

/** Rows of a snapshot or an older stretch, oldest first. */
export function sectionsOf(rows: readonly TranscriptRow[]): readonly Section[] {
  let sections: readonly Section[] = [];
  for (const row of rows) sections = appendRow(sections, row);
  return sections;
}

/** Only the last section changes its identity. A row that is already there replaces the one with its id. */
export function appendRow(sections: readonly Section[], row: TranscriptRow): readonly Section[] {
  const last = sections.at(-1);
  if (last?.rows.some((known) => known.id === row.id)) {
    return [...sections.slice(0, -1), { ...last, rows: last.rows.map((known) => (known.id === row.id ? row : known)) }];
  }
  if (last && goesOn(last, row.turnId, row.role === 'assistant' ? row.request : undefined)) {
    return [...sections.slice(0, -1), { ...last, rows: [...last.rows, row] }];
  }
  const key = uniqueKey(sections, sectionKey(row.turnId, row.request), row);
  return [...sections, { key, turnId: row.turnId, rows: [row] }];
}

/** Older rows may begin in the middle of the turn that the loaded ones begin with; they keep sections of their own. */
export function prependRows(older: readonly TranscriptRow[], sections: readonly Section[]): readonly Section[] {
  const known = new Set(sections[0]?.rows.map((row) => row.id));
  const before = sectionsOf(older.filter((row) => !known.has(row.id)));
  return [...before.map((section) => ({ ...section, key: `older/${section.rows[0]?.seq}` })), ...sections];
}

/** With a section for the answer that is being written, where it does not go on in the last one. */
export function withLive(
  sections: readonly Section[],
  live: Pick<LiveState, 'turnId' | 'request'>,
): readonly Section[] {
  const last = sections.at(-1);
  if (last && goesOn(last, live.turnId, live.request)) return sections;
  return [...sections, { key: sectionKey(live.turnId, live.request), turnId: live.turnId, rows: [] }];
}

/** Results stay beside their calls: a long section ends only where an answer of another request begins. */
function goesOn(section: Section, turnId: string, answerOf: number | undefined): boolean {
  if (section.turnId !== turnId) return false;
  if (section.rows.length < sectionRows || answerOf === undefined) return true;
  return section.rows.some((row) => row.role === 'assistant' && row.request === answerOf);
}

function sectionKey(turnId: string, request: number | undefined): string {
  return `${turnId}/${request ?? 0}`;
}

/** Rows of one turn never come back after another turn's, except in a store that was written by two windows. */
function uniqueKey(sections: readonly Section[], key: string, row: TranscriptRow): string {
  return sections.some((section) => section.key === key) ? `${key}/${row.seq}` : key;
}
