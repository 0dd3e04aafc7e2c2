/** A session as a file for people (Markdown) or programs (JSON). */

import type { Item, Part, TranscriptRow } from '../../api.ts';
import { maskDeep, maskSecrets } from '../safety/index.ts';
import type { SessionStore, StoredSession, TurnRecord } from './types.ts';

export interface ExportedSession {
  readonly format: 'midcourse-session';
  readonly version: 1;
  readonly session: StoredSession;
  readonly rows: readonly TranscriptRow[];
  readonly items: readonly Item[];
  readonly turns: readonly TurnRecord[];
}

/** Everything that is stored of a session, as `ExportedSession`, secrets masked. Undefined when it does not exist. @throws StorageError */
export function exportJson(store: SessionStore, sessionId: string): string | undefined {
  const session = store.get(sessionId);
  if (!session) return undefined;
  const exported: ExportedSession = {
    format: 'midcourse-session',
    version: 1,
    session,
    rows: store.rows(sessionId),
    items: store.items(sessionId),
    turns: store.turns(sessionId),
  };
  return `${JSON.stringify(maskDeep(exported), undefined, 2)}\n`;
}

/** What a person saw of a session, secrets masked; tool calls are one line each. Undefined when it does not exist. @throws StorageError */
export function exportMarkdown(store: SessionStore, sessionId: string): string | undefined {
  const session = store.get(sessionId);
  return session && maskSecrets(markdown(session, store.rows(sessionId)));
}

/** @param rows in order */
export function markdown(session: StoredSession, rows: readonly TranscriptRow[]): string {
  const results = new Map(rows.flatMap((row) => (row.callId === undefined ? [] : [[row.callId, row] as const])));
  const blocks = [`# ${oneLine(session.title)}`, `_${day(session.createdAt)}_`];
  let speaker = '';
  for (const row of rows) {
    const shown = blocksOf(row, results);
    if (shown.length === 0) continue;
    const now = speakerOf(row);
    if (now !== speaker || row.role === 'user') blocks.push(`## ${now}`);
    speaker = now;
    blocks.push(...shown);
  }
  return `${blocks.join('\n\n')}\n`;
}

function speakerOf(row: TranscriptRow): string {
  switch (row.role) {
    case 'user':
      return row.kind === 'steer' || row.kind === 'redirect' ? `You (${row.kind})` : 'You';
    case 'assistant':
    case 'tool':
      return 'Midcourse';
    case 'notice':
      return 'Note';
    default:
      return row.role satisfies never;
  }
}

/** A tool row shows nothing of its own: its call's line says how it went. */
function blocksOf(row: TranscriptRow, results: ReadonlyMap<string, TranscriptRow>): string[] {
  if (row.role === 'tool') return [];
  const text = row.displayText?.trim() ?? '';
  const images = row.parts.flatMap((part) => (part.type === 'image' ? [`_(image: ${part.name || part.mime})_`] : []));
  const calls = row.parts.filter((part) => part.type === 'tool_call').map((call) => callLine(call, results));
  return [
    ...images,
    ...(text === '' ? [] : [text]),
    ...(row.interrupted ? [`_(interrupted by ${INTERRUPTED[row.interrupted]})_`] : []),
    ...(calls.length === 0 ? [] : [calls.join('\n')]),
  ];
}

const INTERRUPTED: Readonly<Record<NonNullable<TranscriptRow['interrupted']>, string>> = {
  stop: 'stop',
  redirect: 'a redirect',
  reload: 'a reload of the window',
  stream_cut: 'a lost connection',
};

function callLine(call: Extract<Part, { type: 'tool_call' }>, results: ReadonlyMap<string, TranscriptRow>): string {
  const object = objectOf(call.input);
  const status = results.get(call.callId)?.status ?? 'no result';
  return `- **${call.name}**${object === '' ? '' : ` ${code(object)}`}: ${status.replace('_', ' ')}`;
}

/** What the call is about: the path, command or pattern, which is the first short text of its input. */
function objectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const text = Object.values(input).find((value): value is string => typeof value === 'string');
  const line = oneLine(text ?? '');
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}

/** Inline code, whatever backticks the text has. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function day(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
