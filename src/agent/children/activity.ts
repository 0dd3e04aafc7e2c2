import type { SessionEvent, TranscriptRow } from '../../api.ts';
import { firstOf } from '../tools/index.ts';

const LINES = 8;
const LINE_CHARACTERS = 120;

/** What an agent does or did last, in words, newest last. */
export class Activity {
  #lines: readonly { readonly of: string; readonly text: string }[] = [];

  get lines(): readonly string[] {
    return this.#lines.map((line) => line.text);
  }

  /** True when the event changed the lines. */
  follow(event: SessionEvent): boolean {
    if (event.type === 'tool' && event.label !== undefined) return this.#put(event.callId, event.label);
    const said = event.type === 'row' ? saidIn(event.row) : undefined;
    return event.type === 'row' && said !== undefined && this.#put(event.row.id, said);
  }

  /** A line for a thing that has one already takes its place. */
  #put(of: string, words: string): boolean {
    const text = lineOf(words);
    const index = this.#lines.findIndex((line) => line.of === of);
    if (this.#lines[index]?.text === text) return false;
    this.#lines = (index === -1 ? [...this.#lines, { of, text }] : this.#lines.with(index, { of, text })).slice(-LINES);
    return true;
  }
}

/** The lines that the stored transcript of an agent gives. */
export function activityOf(rows: readonly TranscriptRow[]): readonly string[] {
  return rows
    .flatMap((row) => row.card?.label ?? saidIn(row) ?? [])
    .map(lineOf)
    .slice(-LINES);
}

function saidIn({ role, kind, displayText }: TranscriptRow): string | undefined {
  const text = displayText?.trim() ?? '';
  if (text === '') return undefined;
  if (kind === 'steer' || kind === 'redirect') return `Steered: ${text}`;
  return role === 'assistant' ? text : undefined;
}

function lineOf(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > LINE_CHARACTERS ? `${firstOf(line, LINE_CHARACTERS)}…` : line;
}
