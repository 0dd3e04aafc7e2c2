/** The calls of one Responses stream, which are announced, filled and confirmed by events that need not agree on ids. */

import type { ModelPart } from '../../types.ts';
import type { ResponsesItem } from './events.ts';

interface Slot {
  /** Copilot gives an item another id in each event. */
  readonly items: Set<string>;
  readonly index: number | undefined;
  callId: string;
  name: string;
  readonly fragments: string[];
  characters: number;
  /** The arguments as a closing event repeated them: it knows better than the fragments, also where it says ''. */
  whole: string | undefined;
  /** Its item was said as a whole: another item with the same id of a call is another call. */
  done: boolean;
}

/** A call as the stream has it. */
export interface StreamedCall {
  readonly callId: string;
  readonly item: string;
  readonly name: string;
  readonly text: string;
}

/** Where an event says that it belongs. */
interface Place {
  readonly item_id?: string | null | undefined;
  readonly output_index?: number | null | undefined;
}

export class ResponsesCalls {
  readonly #slots: Slot[] = [];

  get any(): boolean {
    return this.#slots.length > 0;
  }

  /** `output_item.added` and `output_item.done`. */
  item(place: Place, item: ResponsesItem, done: boolean): ModelPart {
    const slot = this.#slotOf({ item_id: item.id, output_index: place.output_index }, item.call_id ?? '');
    if (item.call_id) slot.callId = item.call_id;
    if (item.name) slot.name = item.name;
    slot.done ||= done;
    if (done && typeof item.arguments === 'string') slot.whole = item.arguments;
    return this.#progress(slot);
  }

  fragment(place: Place, text: string): ModelPart {
    const slot = this.#slotOf(place, '');
    slot.fragments.push(text);
    slot.characters += text.length;
    return this.#progress(slot);
  }

  whole(place: Place, name: string | null | undefined, text: string | null | undefined): ModelPart {
    const slot = this.#slotOf(place, '');
    if (name) slot.name = name;
    if (typeof text === 'string') slot.whole = text;
    return this.#progress(slot);
  }

  /** In the order of the answer; where an event has not said its place, in that in which they began. */
  list(): readonly StreamedCall[] {
    const placed = this.#slots.every(({ index }) => index !== undefined);
    const ordered = placed ? this.#slots.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : this.#slots;
    return ordered.map(({ callId, items, name, fragments, whole }) => ({
      callId,
      item: [...items][0] ?? '',
      name,
      text: whole ?? fragments.join(''),
    }));
  }

  #progress(slot: Slot): ModelPart {
    const characters = slot.whole?.length ?? slot.characters;
    return { type: 'call_progress', index: this.#slots.indexOf(slot), name: slot.name, characters };
  }

  /** The id of a call is stable and goes before that of an item, and that before the place in the output. */
  #slotOf({ item_id, output_index }: Place, callId: string): Slot {
    const index = output_index ?? undefined;
    const byCall =
      callId === ''
        ? undefined
        : this.#slots.findLast((slot) => slot.callId === callId && !isOther(slot, item_id, index));
    const found = byCall ?? this.#byItem(item_id, callId) ?? this.#byIndex(index, callId);
    const slot = found ?? {
      items: new Set(),
      index,
      callId,
      name: '',
      fragments: [],
      characters: 0,
      whole: undefined,
      done: false,
    };
    if (found === undefined) this.#slots.push(slot);
    if (item_id) slot.items.add(item_id);
    return slot;
  }

  #byItem(id: string | null | undefined, callId: string): Slot | undefined {
    return id ? this.#slots.find((slot) => slot.items.has(id) && isFree(slot, callId)) : undefined;
  }

  #byIndex(index: number | undefined, callId: string): Slot | undefined {
    return index === undefined ? undefined : this.#slots.find((slot) => slot.index === index && isFree(slot, callId));
  }
}

/** Some servers give two calls of an answer one id. */
function isOther({ done, items, index }: Slot, item: string | null | undefined, at: number | undefined): boolean {
  return done && index !== undefined && at !== undefined && index !== at && !items.has(item ?? '');
}

/** Two calls with ids of their own are never one. */
function isFree(slot: Slot, callId: string): boolean {
  return callId === '' || slot.callId === '' || slot.callId === callId;
}
