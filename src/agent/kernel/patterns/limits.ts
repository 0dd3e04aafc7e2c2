/** What a pattern from outside may cost. One that needs more is not judged: see `Unsure`. */
export const patternLimits = {
  /** Characters of a pattern. */
  pattern: 4096,
  /** Characters of a glob. */
  glob: 1024,
  /** Characters of a text that is read on the thread of the caller; the worker reads longer ones. */
  text: 256 * 1024,
  /** Characters of a text that is read at all. */
  longest: 8 * 1024 * 1024,
  /** Property classes (`\p{…}`): the engine builds each from tables while it reads the pattern, about 0.1 ms apiece. */
  properties: 50,
  /** Groups in groups. */
  depth: 200,
  /** Places of the automaton, counted repetitions written out. */
  places: 5000,
  /** Visits of a place in one question on the thread of the caller; a few milliseconds. */
  steps: 500_000,
  /** Milliseconds of one question to the worker. */
  worker: 50,
  /** Questions that may wait for the worker: each may take all of its time. */
  waiting: 20,
  /** Compiled patterns that are kept. */
  kept: 100,
} as const;
