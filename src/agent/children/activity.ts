import type { SessionEvent, TranscriptRow } from '../../api.ts';
import { firstOf } from '../tools/index.ts';

const LINES = 8;
const LINE_CHARACTERS = 120;

/** What an agent does or did last, in words, newest last. */
export class Activity {
  #lines: readonly { readonly of: string; readonly text: string }[] = [];
  /** The beginning of the answer that is being written. */
  #written = '';

  get lines(): readonly string[] {
    return this.#lines.map((line) => line.text);
  }

  /** True when the event changed the lines. */
  follow(event: SessionEvent): boolean {
    switch (event.type) {
      case 'tool':
        return event.label !== undefined && this.#put(event.callId, event.label);
      case 'request.started':
        this.#written = '';
        return false;
      case 'delta':
        // What stands in the line already is not written once more.
        if (event.part !== 'text' || this.#written.length > LINE_CHARACTERS) return false;
        this.#written += event.text;
        return this.#written.trim() !== '' && this.#put(answerOf(event), this.#written);
      case 'row': {
        const said = saidIn(event.row);
        return (
          said !== undefined && this.#put(event.row.role === 'assistant' ? answerOf(event.row) : event.row.id, said)
        );
      }
      default:
        return false;
    }
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

/** An answer has one line, from its first word to its row. */
function answerOf({ turnId, request }: { readonly turnId?: string; readonly request?: number }): string {
  return `${turnId} ${request}`;
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
