import type { Program } from './program.ts';

/**
 * Reads a text once, from left to right, in all places of a pattern at the same time: the time is the text's length times
 * the pattern's size at most, and mostly the text's length alone, as the sets of places that were reached are kept with
 * where each character leads.
 */
export class Automaton {
  readonly #program: Program;
  readonly #unicode: boolean;
  readonly #multiline: boolean;
  readonly #atoms: readonly Atom[];
  readonly #isWord: Atom;
  #states = new Map<string, State>();
  #kept = 0;
  #steps = 0;
  /** Marks of the places visited in the pass of that number. */
  readonly #visited: Int32Array;
  #pass = 0;

  /** @param flags of `RegExp`: i, m, s and u count */
  constructor(program: Program, flags: string) {
    this.#program = program;
    this.#unicode = flags.includes('u');
    this.#multiline = flags.includes('m');
    const each = [...flags].filter((flag) => 'isu'.includes(flag)).join('');
    this.#atoms = program.atoms.map((source) => new Atom(`^(?:${source})$`, each));
    this.#isWord = new Atom('^\\b', each);
    this.#visited = new Int32Array(program.places.length);
  }

  /**
   * True when the pattern fits a part of the text.
   *
   * @param steps visits of a place that it may take
   * @returns undefined when that was not enough
   */
  test(text: string, steps: number): boolean | undefined {
    this.#steps = steps - text.length;
    let state = this.#state([0], 'start');
    for (let at = 0; at < text.length; ) {
      const code = (this.#unicode ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
      at += code > 0xffff ? 2 : 1;
      const next: State | 'fits' = (code < ASCII && state.next[code]) || this.#step(state, code);
      if (next === 'fits') return true;
      if (this.#steps < 0) return undefined;
      state = next;
    }
    const ends = this.#closure(state, 'end') === 'fits';
    return this.#steps < 0 ? undefined : ends;
  }

  #step(state: State, code: number): State | 'fits' {
    const character = String.fromCodePoint(code);
    const side = this.#sideOf(character);
    const taking = this.#closure(state, side);
    if (taking === 'fits') return this.#lead(state, code, 'fits');
    const reached = new Set([0]);
    for (const at of taking) {
      const place = this.#program.places[at];
      if (place?.is === 'one' && this.#accepts(place.atom, character, code)) reached.add(at + 1);
    }
    this.#steps -= reached.size;
    return this.#lead(
      state,
      code,
      this.#state(
        [...reached].sort((one, other) => one - other),
        side,
      ),
    );
  }

  #lead(state: State, code: number, next: State | 'fits'): State | 'fits' {
    if (code < ASCII) state.next[code] = next;
    return next;
  }

  #accepts(atom: number, character: string, code: number): boolean {
    const of = this.#atoms[atom];
    if (!of) return false;
    this.#steps -= of.cost(code);
    return of.accepts(character, code);
  }

  /** All places that take a character, reached without taking one; `fits` where the end of the pattern is among them. */
  #closure({ places, before }: State, after: Side): readonly number[] | 'fits' {
    const pass = ++this.#pass;
    const waiting = [...places];
    const taking: number[] = [];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (this.#visited[at] === pass) continue;
      this.#visited[at] = pass;
      this.#steps--;
      const place = this.#program.places[at];
      switch (place?.is) {
        case 'fits':
          return 'fits';
        case 'one':
          taking.push(at);
          break;
        case 'split':
          waiting.push(...place.to);
          break;
        case 'assert':
          if (this.#holds(place.what, before, after)) waiting.push(at + 1);
          break;
      }
    }
    return taking;
  }

  #holds(what: 'start' | 'end' | 'word' | 'notWord', before: Side, after: Side): boolean {
    switch (what) {
      case 'start':
        return before === 'start' || (this.#multiline && before === 'line');
      case 'end':
        return after === 'end' || (this.#multiline && after === 'line');
      case 'word':
        return (before === 'word') !== (after === 'word');
      case 'notWord':
        return (before === 'word') === (after === 'word');
      default:
        return what satisfies never;
    }
  }

  #sideOf(character: string): Side {
    if (/^[\n\r\u2028\u2029]$/.test(character)) return 'line';
    return this.#isWord.accepts(character, character.charCodeAt(0)) ? 'word' : 'other';
  }

  #state(places: readonly number[], before: Side): State {
    const key = `${before} ${places.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    if (this.#kept > MOST_KEPT) {
      this.#states = new Map();
      this.#kept = 0;
    }
    const state: State = { places, before, next: [] };
    this.#states.set(key, state);
    this.#kept += places.length + ASCII;
    return state;
  }
}

/** What is beside a place between two characters. */
type Side = 'start' | 'line' | 'word' | 'other' | 'end';

interface State {
  /** Where the pattern may go on, in order; its begin is always among them, as a match may begin anywhere. */
  readonly places: readonly number[];
  readonly before: Side;
  /** Where an ASCII character leads, as far as it is known. */
  readonly next: (State | 'fits')[];
}

const ASCII = 128;
/** Places and characters of the states that are kept; then they are found anew. */
const MOST_KEPT = 64 * 1024;

/** What one character may be. */
class Atom {
  readonly #source: string;
  readonly #flags: string;
  readonly #ascii: (boolean | undefined)[] = [];
  #expression: RegExp | undefined;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  /** In steps: the engine reads the source at the first question, and property classes at length. */
  cost(code: number): number {
    if (this.#expression === undefined) return /\\p/i.test(this.#source) ? 20_000 : 1_000;
    return this.#ascii[code] === undefined ? 10 : 1;
  }

  accepts(character: string, code: number): boolean {
    const known = this.#ascii[code];
    if (known !== undefined) return known;
    // Looks at one character: what repeats is not in it.
    this.#expression ??= new RegExp(this.#source, this.#flags);
    const fits = this.#expression.test(character);
    if (code < ASCII) this.#ascii[code] = fits;
    return fits;
  }
}
