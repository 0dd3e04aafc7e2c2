import type { HookEvent } from '../../hooks-api.ts';
import type { Log } from '../turn/types.ts';
import type { Hook } from './types.ts';

/** Something about a hook that the user has to know. */
export interface HookProblem {
  readonly hook: Hook;
  readonly event: HookEvent;
  /** `warning`: it counted, but something in its answer did not. `dropped`: it was too slow for what it is told. */
  readonly kind: 'failed' | 'timeout' | 'warning' | 'dropped';
  /** What happened, in the hook's own words where it has some. */
  readonly message: string;
  /** What happened, what it means for the work and what to do, for the user. */
  readonly words: string;
}

/** Bound of what is remembered: a hook that fails with another text each time is not told for ever. */
const REMEMBERED = 1000;

/** Tells of each distinct problem once; after that it is only in the log. */
export class Notices {
  readonly #told = new Set<string>();
  readonly #log: Log;
  readonly #report: (problem: HookProblem) => void;

  constructor(log: Log, report: (problem: HookProblem) => void) {
    this.#log = log;
    this.#report = report;
  }

  tell(hook: Hook, kind: HookProblem['kind'], message: string, consequence: string): void {
    const key = JSON.stringify([hook.id, hook.event, message]);
    const words = `The hook ${hook.name} (${hook.declaredAs}) ${happened(kind)}: ${message} ${consequence}`.trimEnd();
    if (this.#told.has(key) || this.#told.size >= REMEMBERED) return this.#log.debug(words);
    this.#told.add(key);
    this.#report({ hook, event: hook.event, kind, message, words });
  }
}

function happened(kind: HookProblem['kind']): string {
  switch (kind) {
    case 'failed':
      return 'failed';
    case 'timeout':
      return 'took too long';
    case 'warning':
      return 'was not understood in everything';
    case 'dropped':
      return 'does not keep up';
    default:
      return kind satisfies never;
  }
}
