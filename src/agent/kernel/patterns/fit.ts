/** Why a pattern was not judged: it was refused, or needed more time than it may have. In words, a full sentence. */
export interface Unsure {
  readonly unsure: string;
}

/**
 * What a pattern from outside says of a text. The side that is safe is for the caller: what blocks or asks counts an
 * `Unsure` as fitting, what allows counts it as not fitting.
 */
export type Fit = boolean | Unsure;

/** Now where it can be; a promise never rejects. */
export type Soon<T> = T | Promise<T>;

/** True for one that blocks, asks or runs a guard: what cannot be judged counts as fitting. */
export function mayFit(fit: Fit): boolean {
  return fit !== false;
}

/** True for one that allows: what cannot be judged does not fit. */
export function surelyFits(fit: Fit): boolean {
  return fit === true;
}

/** As `then`, without a tick where the value is there. */
export function soon<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Fits when one does; asked in order, and no further than the first that does. */
export function anyFits<T>(items: readonly T[], test: (item: T) => Soon<Fit>): Soon<Fit> {
  return reduced(items, test, false, (fit) => fit === true);
}

/** Fits when each does; asked in order, and no further than the first that does not. */
export function eachFits(tests: readonly (() => Soon<Fit>)[]): Soon<Fit> {
  return reduced(
    tests,
    (test) => test(),
    true,
    (fit) => fit === false,
  );
}

export function notFits(fit: Soon<Fit>): Soon<Fit> {
  return soon(fit, (known) => (typeof known === 'boolean' ? !known : known));
}

function reduced<T>(
  items: readonly T[],
  test: (item: T) => Soon<Fit>,
  unless: boolean,
  settles: (fit: Fit) => boolean,
  at = 0,
  unsure?: Unsure,
): Soon<Fit> {
  let doubt = unsure;
  for (let index = at; index < items.length; index++) {
    const fit = test(items[index] as T);
    if (fit instanceof Promise) {
      return fit.then((known) => {
        if (settles(known)) return known;
        const kept = doubt ?? (typeof known === 'boolean' ? undefined : known);
        return reduced(items, test, unless, settles, index + 1, kept);
      });
    }
    if (settles(fit)) return fit;
    if (typeof fit !== 'boolean') doubt ??= fit;
  }
  return doubt ?? unless;
}
