/** The calls of one answer, as their fragments come. */

import type { ModelCall, ModelPart } from '../../types.ts';
import { callOf, readArguments } from '../arguments.ts';
import type { CallDelta } from './chunk.ts';

interface Slot {
  readonly index: number;
  id: string;
  name: string;
  readonly fragments: string[];
  characters: number;
  extra: Record<string, unknown> | undefined;
}

export class ChatCalls {
  /** In the order in which the calls began. */
  readonly #slots: Slot[] = [];

  get count(): number {
    return this.#slots.length;
  }

  get names(): readonly string[] {
    return this.#slots.map(({ name }) => name);
  }

  /** Names of those whose arguments end inside a value. */
  get unfinished(): readonly string[] {
    return this.#slots.filter((slot) => readArguments(textOf(slot)).is === 'unfinished').map(({ name }) => name);
  }

  /** Some call has a name and not one byte of arguments. */
  get hasBare(): boolean {
    return this.#slots.some(({ characters }) => characters === 0);
  }

  write(delta: CallDelta): ModelPart {
    const slot = this.#slotOf(delta);
    // The whole name each time is what some servers send, so it is set and never appended.
    if (delta.function?.name) slot.name = delta.function.name;
    const fragment = delta.function?.arguments ?? '';
    if (fragment !== '') slot.fragments.push(fragment);
    slot.characters += fragment.length;
    slot.extra = delta.extra_content ?? slot.extra;
    return { type: 'call_progress', index: this.#slots.indexOf(slot), name: slot.name, characters: slot.characters };
  }

  calls(): readonly ModelCall[] {
    return this.#slots.map((slot) => callOf({ id: slot.id, name: slot.name, text: textOf(slot) }));
  }

  /** What the server wants back with each call, in their order; undefined when it is nothing. */
  extras(): readonly (Record<string, unknown> | null)[] | undefined {
    const extras = this.#slots.map(({ extra }) => extra ?? null);
    return extras.some((extra) => extra !== null) ? extras : undefined;
  }

  /** By index, but a new id at a known index is a new call: Ollama sends a whole batch under index 0. */
  #slotOf({ index, id }: CallDelta): Slot {
    const at = index ?? 0;
    const slot = this.#slots.findLast((candidate) => candidate.index === at);
    if (slot !== undefined && (!id || slot.id === id)) return slot;
    if (slot !== undefined && slot.id === '') {
      slot.id = id ?? '';
      return slot;
    }
    const known = id ? this.#slots.find((candidate) => candidate.index === at && candidate.id === id) : undefined;
    if (known !== undefined) return known;
    const fresh: Slot = { index: at, id: id ?? '', name: '', fragments: [], characters: 0, extra: undefined };
    this.#slots.push(fresh);
    return fresh;
  }
}

function textOf(slot: Slot): string {
  return slot.fragments.join('');
}
