/** What a Responses stream says outside of its calls: the answer, the asides beside it, the reasoning and its seals. */

import type { ModelPart, SignedThinking } from '../../types.ts';
import type { ResponsesItem } from './events.ts';
import { LeakedCalls } from './harmony.ts';
import { isAside, type SealedItem, type SealedPart, seal } from './seals.ts';

/** Where an event says that it belongs. */
interface Place {
  readonly item_id?: string | null | undefined;
  readonly output_index?: number | null | undefined;
}

interface Sealed {
  readonly item: SealedItem | undefined;
  /** What was shown of it as reasoning. */
  readonly text: string;
}

/** `aside`: commentary, a checkpoint or a call that came as text, but no answer yet. */
export type Substance = 'answer' | 'aside' | 'reasoning' | 'nothing';

const BLANK_LINE = '\n\n';
/** Reasoning items that a server makes up for the moment. */
const PASSING = 'rs_tmp_';

export class ResponsesSaid {
  readonly #answersInReasoning: boolean;
  readonly #phases = new Map<string, string>();
  /** Of which items deltas have come: their text is not said again when they are done. */
  readonly #streamed = new Set<string>();
  /** Items that were announced and are not done. */
  readonly #open = new Set<string>();
  readonly #sealed: Sealed[] = [];
  readonly #leaks = new LeakedCalls();
  #answer = '';
  #reasoning = '';
  #textItem: string | undefined;
  #thoughtPart: string | undefined;
  #aside = false;

  constructor(answersInReasoning: boolean) {
    this.#answersInReasoning = answersInReasoning;
  }

  get any(): boolean {
    return this.#answer !== '' || this.#reasoning !== '';
  }

  get substance(): Substance {
    if (this.#answer.trim() !== '') return this.#leaks.leaked ? 'aside' : 'answer';
    if (this.#aside || this.#leaks.leaked) return 'aside';
    return this.#reasoning === '' && this.#sealed.length === 0 ? 'nothing' : 'reasoning';
  }

  /** Whether it is an answer of which nothing is still being written. */
  get isClosedAnswer(): boolean {
    const spoken = this.#sealed.some(({ item }) => item?.type === 'message' && !isAside(item.phase));
    return spoken && this.#open.size === 0 && this.substance === 'answer';
  }

  announce(place: Place, { type, id, phase }: ResponsesItem): void {
    this.#open.add(keyOf({ ...place, item_id: id }));
    if (type === 'message' && phase) this.#phases.set(keyOf({ ...place, item_id: id }), phase);
  }

  /** @param unshown text behind the first call is no part of the answer: it only goes back to the model */
  text(place: Place, text: string, unshown: boolean): Iterable<ModelPart> {
    this.#open.add(keyOf(place));
    return this.#say(keyOf(place), text, unshown);
  }

  /** The text of a server that streams none of it. */
  *wholeText(place: Place, text: string, unshown: boolean): Generator<ModelPart> {
    if (!this.#streamed.has(keyOf(place))) yield* this.#say(keyOf(place), text, unshown);
  }

  /** A part with an index is a paragraph of its own; text without one goes on where it was. */
  *thought(place: Place, text: string, part: number | undefined): Generator<ModelPart> {
    const key = keyOf(place);
    this.#streamed.add(key);
    if (text !== '') yield* this.#think(part === undefined ? undefined : `${key} ${part}`, text);
  }

  *done(place: Place, item: ResponsesItem, unshown: boolean): Generator<ModelPart> {
    const key = keyOf({ ...place, item_id: item.id });
    const streamed = this.#streamed.has(key);
    this.#open.delete(key);
    switch (item.type) {
      case 'message': {
        const phase = item.phase ?? this.#phases.get(key);
        if (phase) this.#phases.set(key, phase);
        const text = partsOf(item).map(wordsOf).join('');
        yield* this.wholeText({ ...place, item_id: item.id }, text, unshown);
        this.#sealMessage(item, phase, text);
        return;
      }
      case 'reasoning': {
        const parts = (item.summary?.length ? item.summary : (item.content ?? [])).map(({ text }) => text ?? '');
        if (!streamed)
          for (const [part, text] of parts.entries()) yield* this.thought({ ...place, item_id: item.id }, text, part);
        this.#sealReasoning(item, parts.join(BLANK_LINE));
        return;
      }
      case 'compaction':
        if (!item.encrypted_content) return;
        this.#aside = true;
        this.#sealed.push({ item: { type: 'compaction', ...sealOf(item, item.encrypted_content) }, text: '' });
        return;
      default:
        // Calls of tools on the server's side, whether they came to an end or not.
        return;
    }
  }

  /** The last of the text, once the stream is over. */
  *close(): Generator<ModelPart> {
    const held = this.#leaks.flush();
    this.#answer += held;
    if (held !== '') yield { type: 'text', text: held };
    if (!this.#answersInReasoning || this.#answer.trim() !== '') return;
    const answer = /<response>([\s\S]*?)(?:<\/response>|$)/.exec(this.#reasoning)?.[1]?.trim() ?? '';
    if (answer === '') return;
    this.#answer = answer;
    yield { type: 'text', text: answer };
  }

  /** Empty when nothing of it could go back. */
  seals(issuer: string): SignedThinking[] {
    const spoken = this.#sealed.filter(({ item }) => item?.type === 'message' && !isAside(item.phase));
    if (this.#sealed.every(({ item }) => item === undefined)) return [];
    return this.#sealed.map(({ item, text }) => {
      // The one message that is the answer need not be kept twice.
      const isAnswer = item?.type === 'message' && spoken.length === 1 && spoken[0]?.item === item;
      return seal(
        isAnswer && (item.content ?? []).map(wordsOf).join('') === this.#answer ? withoutContent(item) : item,
        issuer,
        text,
      );
    });
  }

  *#say(key: string, text: string, unshown: boolean): Generator<ModelPart> {
    this.#streamed.add(key);
    if (text === '') return;
    if (isAside(this.#phases.get(key))) {
      this.#aside = true;
      yield* this.#think(`${key} aside`, text);
    } else if (!unshown) yield* this.#speak(key, text);
  }

  *#speak(key: string, text: string): Generator<ModelPart> {
    const isNew = this.#textItem !== undefined && this.#textItem !== key && this.#answer !== '';
    this.#textItem = key;
    const shown = this.#leaks.push(text);
    if (shown === '') return;
    const part = isNew ? BLANK_LINE + shown : shown;
    this.#answer += part;
    yield { type: 'text', text: part };
  }

  *#think(part: string | undefined, text: string): Generator<ModelPart> {
    const isNew = part !== undefined && this.#thoughtPart !== undefined && part !== this.#thoughtPart;
    this.#thoughtPart = part ?? this.#thoughtPart;
    const shown = isNew && this.#reasoning !== '' ? BLANK_LINE + text : text;
    this.#reasoning += shown;
    yield { type: 'reasoning', text: shown };
  }

  /** A message that is repeated is the same one: no id may go back twice. */
  #sealMessage(item: ResponsesItem, phase: string | undefined, text: string): void {
    const content = partsOf(item);
    if (content.length === 0) return;
    this.#aside ||= isAside(phase);
    const sealed: Sealed = {
      item: {
        type: 'message',
        ...(item.id && { id: item.id }),
        ...(item.status && { status: item.status }),
        ...(phase !== undefined && { phase }),
        content,
      },
      text: isAside(phase) ? text : '',
    };
    const known = item.id ? this.#sealed.findIndex(({ item: other }) => isMessage(other, item.id)) : -1;
    if (known < 0) this.#sealed.push(sealed);
    else this.#sealed[known] = sealed;
  }

  /** An item is sealed once, though some servers repeat it. */
  #sealReasoning(item: ResponsesItem, text: string): void {
    const sealed = item.encrypted_content;
    if (!sealed || item.id?.startsWith(PASSING)) {
      if (text !== '') this.#sealed.push({ item: undefined, text });
      return;
    }
    if (this.#sealed.some(({ item: other }) => other?.type === 'reasoning' && other.encrypted_content === sealed))
      return;
    this.#sealed.push({ item: { type: 'reasoning', ...sealOf(item, sealed) }, text });
  }
}

function sealOf(
  { id }: ResponsesItem,
  encrypted_content: string,
): { readonly id?: string; readonly encrypted_content: string } {
  return { ...(id && { id }), encrypted_content };
}

function isMessage(item: SealedItem | undefined, id: string | null | undefined): boolean {
  return item?.type === 'message' && item.id === id;
}

function withoutContent({ content: _, ...item }: Extract<SealedItem, { type: 'message' }>): SealedItem {
  return item;
}

function partsOf({ content }: ResponsesItem): SealedPart[] {
  return (content ?? []).flatMap((part): SealedPart[] => {
    if (part.type === 'output_text' && part.text) return [{ type: 'output_text', text: part.text }];
    return part.type === 'refusal' && part.refusal ? [{ type: 'refusal', refusal: part.refusal }] : [];
  });
}

function wordsOf(part: SealedPart): string {
  return part.type === 'refusal' ? part.refusal : part.text;
}

/** By its place in the output, which is stable; the ids of items are not with every server. */
function keyOf({ item_id, output_index }: Place): string {
  return output_index === undefined || output_index === null ? (item_id ?? '') : String(output_index);
}
