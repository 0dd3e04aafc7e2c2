import type { Part, TranscriptRow } from '../../api.ts';
import { type Entry, messageTokens } from '../context/index.ts';
import type { ModelMessage } from '../model/types.ts';
import type { ImageStore } from '../session/index.ts';
import { withImages } from './row-images.ts';

/**
 * The transcript as the model sees it. Rows are only ever appended, and a row's message never changes, so the messages
 * of one request are a prefix of those of the next. A summary begins a new stretch of that: it stands first, before the
 * rows that it keeps.
 */
export class History {
  #entries: Entry[] = [];
  readonly #toolNames = new Map<string, string>();
  /** The user's words since they were last answered, so also those of a turn that was stopped. */
  #goal: { readonly seq: number; readonly text: string }[] = [];
  #answered = false;
  /** Calls of the newest answer that have no result yet. */
  #open = new Set<string>();
  /** Images of the results of its batch. */
  #ofResults: Part[] = [];
  readonly #images: ImageStore | undefined;

  /** @param images where those of user rows are kept */
  constructor(rows: readonly TranscriptRow[] = [], images?: ImageStore) {
    this.#images = images;
    this.reset(rows);
  }

  /** The session was read again. */
  reset(rows: readonly TranscriptRow[]): void {
    this.#entries = [];
    this.#goal = [];
    this.#answered = false;
    this.#toolNames.clear();
    this.#open.clear();
    this.#ofResults = [];
    for (const row of rows) this.append(row);
  }

  append(row: TranscriptRow): void {
    const message = this.#messageOf(row);
    if (!message) return;
    const { seq, turnId } = row;
    const { continued, standsFrom } = row;
    const isPiece = continued !== undefined;
    const entry = { seq, turnId, message, tokens: messageTokens(message), summary: row.kind === 'summary', isPiece };
    if (standsFrom !== undefined) {
      // Words of the user that came between the pieces stay; so do pieces that a crash left in another turn.
      const isReplaced = (old: Entry) => old.isPiece && old.turnId === turnId && old.seq >= standsFrom;
      this.#entries = this.#entries.filter((old) => !isReplaced(old));
    }
    if (entry.summary) {
      const from = row.keepsFrom ?? seq;
      this.#entries = [entry, ...this.#entries.filter((kept) => kept.seq >= from && !kept.summary)];
    } else {
      this.#entries.push(entry);
    }
    if (row.role === 'assistant') this.#open = new Set(callsOf(row.parts).map(({ callId }) => callId));
    if (row.role === 'tool') this.#addImages(row);
    if (isWholeAnswer(row)) this.#answered = true;
    if (row.role === 'user') this.#addGoal(row);
  }

  /** No API takes images in every kind of result, and each takes them in a message of the user behind the batch. */
  #addImages({ seq, turnId, callId = '', parts }: TranscriptRow): void {
    this.#open.delete(callId);
    this.#ofResults.push(...parts.filter((part) => part.type === 'image'));
    if (this.#open.size > 0 || this.#ofResults.length === 0) return;
    const names = this.#ofResults.map((part) => (part.type === 'image' ? part.name : '')).join(', ');
    const message = withImages(`[Images of the results above: ${names}]`, this.#ofResults, this.#images);
    this.#ofResults = [];
    const about = { tokens: messageTokens(message), summary: false, isPiece: false, isOfResults: true };
    this.#entries.push({ seq, turnId, message, ...about });
  }

  #addGoal({ kind, seq, parts }: TranscriptRow): void {
    if (this.#answered && kind === 'message') this.#goal = [];
    this.#answered = false;
    this.#goal.push({ seq, text: textOf(parts) });
  }

  /** A copy: what a request was sent with does not change under it. */
  messages(): readonly ModelMessage[] {
    return this.#entries.map((entry) => entry.message);
  }

  /** Those of one turn, as far as no summary stands for them. */
  messagesOf(turnId: string): readonly ModelMessage[] {
    return this.#entries.flatMap((entry) => (entry.turnId === turnId && !entry.summary ? [entry.message] : []));
  }

  entries(): readonly Entry[] {
    return this.#entries;
  }

  /** What the user asked for last, with what they added since, as far as it stands before that sequence number. */
  goalBefore(seq: number): string {
    return this.#goal.flatMap((said) => (said.seq < seq ? [said.text] : [])).join('\n\n');
  }

  /** Of the newest row that the model sees; 0 when there is none. */
  get lastSeq(): number {
    const [first] = this.#entries;
    return Math.max(first?.seq ?? 0, this.#entries.at(-1)?.seq ?? 0);
  }

  /** True when the next user row would follow a tool result: an assistant row has to close the turn. */
  get endsOnToolResult(): boolean {
    const last = this.#entries.at(-1);
    return last?.message.role === 'tool' || last?.isOfResults === true;
  }

  hasCall(callId: string): boolean {
    return this.#toolNames.has(callId);
  }

  #messageOf(row: TranscriptRow): ModelMessage | undefined {
    switch (row.role) {
      case 'user':
        return withImages(row.providerText ?? textOf(row.parts), row.parts, this.#images);
      case 'assistant':
        return this.#assistant(row);
      case 'tool': {
        const callId = row.callId ?? '';
        return {
          role: 'tool',
          callId,
          name: this.#toolNames.get(callId) ?? 'unknown',
          text: row.providerText ?? textOf(row.parts),
          isError: row.status !== 'success' && row.status !== 'yielded',
        };
      }
      case 'notice':
        // A notice that the model is to know of says so in its own words for it; the others are for people only.
        return row.providerText === undefined ? undefined : { role: 'user', text: row.providerText };
      default:
        return row.role satisfies never;
    }
  }

  #assistant(row: TranscriptRow): ModelMessage | undefined {
    const calls = callsOf(row.parts);
    for (const call of calls) this.#toolNames.set(call.callId, call.name);
    // Thinking of an answer that was cut is never sent back: only a whole answer proves its signature.
    const thinking = row.interrupted
      ? []
      : row.parts.flatMap((part) =>
          part.type === 'thinking' && part.signed && part.signature
            ? [{ text: part.text, signature: part.signature }]
            : [],
        );
    const text = row.providerText ?? textOf(row.parts);
    if (text === '' && calls.length === 0 && thinking.length === 0) return undefined;
    return { role: 'assistant', text, thinking, calls };
  }
}

function callsOf(parts: readonly Part[]) {
  return parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ callId: part.callId, name: part.name, input: part.input }] : [],
  );
}

function isWholeAnswer({ role, kind, interrupted, continued, parts }: TranscriptRow): boolean {
  if (role !== 'assistant' || kind !== 'text' || interrupted !== undefined || continued !== undefined) return false;
  return parts.every((part) => part.type !== 'tool_call');
}

/** Text parts that stand together keep their lines and are separated by a blank line. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
