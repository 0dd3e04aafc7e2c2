/**
 * Ids of calls. This API has two for each: that of the call, which a result names, and that of the item (`fc_…`), which
 * is of no use where nothing is stored. A history may hold either, or both as `call|item`.
 */

import { createHash } from 'node:crypto';

/** Characters that the API takes. */
const LONGEST = 64;

/** The halves of a stored id. */
interface Halves {
  readonly call: string;
  readonly item: string | undefined;
}

function halves(id: string): Halves {
  const bar = id.indexOf('|');
  if (bar > 0) return { call: id.slice(0, bar), item: id.slice(bar + 1) };
  const item = bar === 0 ? id.slice(1) : id;
  return item.startsWith('fc_') ? { call: `call_${item.slice('fc_'.length)}`, item } : { call: id, item: undefined };
}

/** The id of a call on the wire: always the same for the same stored id. */
export function callIdOf(id: string): string {
  const { call } = halves(id);
  return call.length <= LONGEST ? call : `call_${digest(call, 32)}`;
}

/** Whether a result that names `result` answers the call that was stored as `call`. */
export function answers(result: string, call: string): boolean {
  const [a, b] = [halves(result), halves(call)];
  return a.call === b.call || (a.item !== undefined && a.item === b.item);
}

/** The ids of calls that belong together, each only once: a second one gets `_d2` behind it. */
export class DistinctIds {
  readonly #taken = new Set<string>();

  take(id: string): string {
    let distinct = id;
    for (let copy = 2; this.#taken.has(distinct); copy++) {
      const suffix = `_d${copy}`;
      distinct = `${id.length + suffix.length <= LONGEST ? id : `call_${digest(id, 32)}`}${suffix}`;
    }
    this.#taken.add(distinct);
    return distinct;
  }
}

/**
 * The id of a call that the server gave none, or only that of its item. Never by chance: another one each time would be
 * another prefix for the provider's cache.
 */
export function madeCallId(
  call: { readonly item: string; readonly name: string; readonly text: string },
  index: number,
) {
  if (call.item !== '') return callIdOf(call.item.startsWith('fc_') ? call.item : `call_${call.item}`);
  return `call_${digest(`${call.name}:${call.text}:${index}`, 12)}`;
}

function digest(text: string, characters: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, characters);
}
