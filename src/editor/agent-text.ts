import type { TranscriptRow } from '../api.ts';

/** The transcript of an agent as plain text: its task, what it said, and a line for each call. */
export function agentText(rows: readonly TranscriptRow[]): string {
  return rows.flatMap((row) => textOf(row) ?? []).join('\n\n');
}

function textOf(row: TranscriptRow): string | undefined {
  const text = row.displayText?.trim() ?? '';
  switch (row.role) {
    case 'user':
      return text === '' ? undefined : quoted(text);
    case 'assistant':
    case 'notice':
      return text === '' ? undefined : text;
    case 'tool':
      return row.card && callLine(row.card, row.status);
    default:
      return row.role satisfies never;
  }
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function callLine({ label, detail }: NonNullable<TranscriptRow['card']>, status: TranscriptRow['status']): string {
  const how = [...(detail ? [detail] : []), ...(status && status !== 'success' ? [status] : [])];
  return how.length === 0 ? `- ${label}` : `- ${label} (${how.join(', ')})`;
}
