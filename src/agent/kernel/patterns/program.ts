import { patternLimits } from './limits.ts';
import type { Assertion, PatternNode } from './parse.ts';

/** One place of an automaton. */
export type Place =
  /** Takes one character that the atom of this number accepts, and goes on at the next place. */
  | { readonly is: 'one'; readonly atom: number }
  | { readonly is: 'split'; readonly to: readonly number[] }
  | { readonly is: 'assert'; readonly what: Assertion }
  | { readonly is: 'fits' };

export interface Program {
  readonly places: readonly Place[];
  /** The sources of what one character may be, each once. */
  readonly atoms: readonly string[];
}

/** Undefined for one with more places than are allowed. */
export function programOf(node: PatternNode): Program | undefined {
  if (sizeOf(node) > patternLimits.places) return undefined;
  const places: Place[] = [];
  const atoms = new Map<string, number>();
  write(node, places, atoms);
  places.push({ is: 'fits' });
  return { places, atoms: [...atoms.keys()] };
}

function sizeOf(node: PatternNode): number {
  switch (node.is) {
    case 'one':
    case 'assert':
      return 1;
    case 'all':
    case 'any':
      return node.of.reduce((sum, one) => sum + sizeOf(one) + 1, 1);
    case 'repeat':
      return (sizeOf(node.of) + 2) * Math.max(1, node.max === Infinity ? node.min + 1 : node.max);
    default:
      return node satisfies never;
  }
}

function write(node: PatternNode, places: Place[], atoms: Map<string, number>): void {
  switch (node.is) {
    case 'one': {
      const atom = atoms.get(node.source) ?? atoms.size;
      atoms.set(node.source, atom);
      places.push({ is: 'one', atom });
      return;
    }
    case 'assert':
      places.push(node);
      return;
    case 'all':
      for (const one of node.of) write(one, places, atoms);
      return;
    case 'any':
      writeAny(node.of, places, atoms);
      return;
    case 'repeat':
      writeRepeat(node, places, atoms);
      return;
    default:
      node satisfies never;
  }
}

function writeAny(of: readonly PatternNode[], places: Place[], atoms: Map<string, number>): void {
  const starts: number[] = [];
  const ends: number[] = [];
  const branch = reserve(places);
  for (const one of of) {
    starts.push(places.length);
    write(one, places, atoms);
    ends.push(reserve(places));
  }
  places[branch] = { is: 'split', to: starts };
  for (const end of ends) places[end] = { is: 'split', to: [places.length] };
}

function writeRepeat(
  { of, min, max }: Extract<PatternNode, { is: 'repeat' }>,
  places: Place[],
  atoms: Map<string, number>,
): void {
  for (let time = 0; time < min; time++) write(of, places, atoms);
  if (max === Infinity) {
    const branch = reserve(places);
    write(of, places, atoms);
    places.push({ is: 'split', to: [branch] });
    places[branch] = { is: 'split', to: [branch + 1, places.length] };
    return;
  }
  const branches: number[] = [];
  for (let time = min; time < max; time++) {
    branches.push(reserve(places));
    write(of, places, atoms);
  }
  for (const branch of branches) places[branch] = { is: 'split', to: [branch + 1, places.length] };
}

/** A place whose ways are known later. */
function reserve(places: Place[]): number {
  return places.push({ is: 'split', to: [] }) - 1;
}
