import { breathe } from '../slices.ts';
import { Automaton } from './automaton.ts';
import type { Fit, Soon, Unsure } from './fit.ts';
import { patternLimits } from './limits.ts';
import { parsePattern } from './parse.ts';
import { programOf } from './program.ts';
import { askWorker } from './worker-client.ts';

/**
 * A regular expression that somebody else wrote: in a file, a setting, a model's call, a server's answer. It means what
 * JavaScript's means. What is regular takes linear time on the caller's thread; what looks round or back is asked of a
 * worker that ends after 50 ms.
 */
export class Pattern {
  readonly source: string;
  readonly flags: string;
  readonly #automaton: Automaton | undefined;
  #refused: string | undefined;

  /** @param refused why it is never judged */
  constructor(source: string, flags: string, refused?: string) {
    this.source = source;
    this.flags = flags;
    this.#refused = refused;
    this.#automaton = refused === undefined ? automatonOf(source, flags) : undefined;
  }

  /** Why it is not judged, a full sentence; also after it once took too long. */
  get refused(): string | undefined {
    return this.#refused;
  }

  /** True when it is judged on the caller's thread. */
  get isLinear(): boolean {
    return this.#automaton !== undefined;
  }

  /** Whether it fits a part of the text. A promise only where the worker is needed. */
  test(text: string): Soon<Fit> {
    const fit = this.#now(text);
    if (fit !== undefined) return fit;
    return askWorker(this, [text]).then((fits) => ('unsure' in fits ? this.#overLimit(fits) : fits.includes(0)));
  }

  /** As `test`, without the worker: unsure where it would be needed. */
  testNow(text: string): Fit {
    return this.#now(text) ?? { unsure: `The pattern ${shown(this.source)} cannot be judged at once.` };
  }

  /**
   * The indexes of the texts that it fits, in order; for searches. Gives the thread back between slices.
   *
   * @param signal ends it with what was found
   */
  async testAll(texts: readonly string[], signal: AbortSignal): Promise<readonly number[] | Unsure> {
    if (this.#refused !== undefined) return { unsure: this.#refused };
    const found: number[] = [];
    for (let at = 0; at < texts.length; at++) {
      const fit = this.#now(texts[at] ?? '');
      if (fit === undefined) {
        // Many in one question: it takes longer than most texts do.
        const asked = texts.slice(at, at + TOGETHER);
        const fits = await askWorker(this, asked);
        if ('unsure' in fits) return this.#overLimit(fits);
        for (const index of fits) found.push(at + index);
        at += asked.length - 1;
      } else if (fit === true) found.push(at);
      else if (fit !== false) return fit;
      await breathe();
      if (signal.aborted) return found;
    }
    return found;
  }

  /** Undefined where the worker is needed. */
  #now(text: string): Fit | undefined {
    if (this.#refused !== undefined) return { unsure: this.#refused };
    if (text.length > patternLimits.longest) {
      return { unsure: `A text of ${text.length} characters is too long for the pattern ${shown(this.source)}.` };
    }
    if (text.length > patternLimits.text) return undefined;
    return this.#automaton?.test(text, patternLimits.steps);
  }

  /** Once is enough: it is not given the time again. */
  #overLimit(why: Unsure & { readonly busy?: boolean }): Unsure {
    if (!why.busy) this.#refused ??= why.unsure;
    return why;
  }
}

/** Texts of one question to the worker. */
const TOGETHER = 500;

const kept = new Map<string, Pattern | string>();

/**
 * @param flags of `RegExp`; i, m, s and u count
 * @returns a string says why it is no regular expression
 */
export function patternOf(source: string, flags = ''): Pattern | string {
  const key = `${flags}/${source.slice(0, patternLimits.pattern + 1)}`;
  const known = kept.get(key);
  if (known !== undefined) {
    // The newest last.
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const pattern = made(source, flags);
  kept.set(key, pattern);
  if (kept.size > patternLimits.kept) kept.delete(kept.keys().next().value ?? '');
  return pattern;
}

function made(source: string, flags: string): Pattern | string {
  const why = tooMuch(source);
  if (why !== undefined) return new Pattern(source, flags, why);
  try {
    // Read, never run: that takes linear time.
    new RegExp(source, flags);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return new Pattern(source, flags);
}

function tooMuch(source: string): string | undefined {
  if (source.length > patternLimits.pattern) {
    return `A pattern of ${source.length} characters is not judged; ${patternLimits.pattern} are the most.`;
  }
  const properties = source.match(/\\p/gi)?.length ?? 0;
  if (properties <= patternLimits.properties) return undefined;
  return `A pattern with ${properties} property classes is not judged; ${patternLimits.properties} are the most.`;
}

function automatonOf(source: string, flags: string): Automaton | undefined {
  const node = parsePattern(source, flags.includes('u'));
  const program = node && programOf(node);
  return program && new Automaton(program, flags);
}

export function shown(source: string): string {
  return source.length > 100 ? `${source.slice(0, 100)}…` : source;
}
