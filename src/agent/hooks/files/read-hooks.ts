import type { ReadHooks } from '../../reading/index.ts';
import { dialectOfHooksFile, rulesOf } from '../dialects/index.ts';
import type { Dialect } from '../types.ts';

export interface HooksText {
  readonly dialect: Dialect | 'shared';
  readonly text: string;
  /** Hooks of one file; one with more has none. */
  readonly most: number;
}

/** What the text of a hook file declares, with the lines. Plain data: it may come from another thread. */
export function readHooks({ dialect: named, text, most }: HooksText): ReadHooks {
  const dialect = named === 'shared' ? dialectOfHooksFile(text) : named;
  const config = rulesOf(dialect).readConfig(text);
  if (config.hooks.length > most) {
    const broken = `It declares ${config.hooks.length} hooks, and at most ${most} are read from one file. None of them runs.`;
    return {
      dialect,
      config: { hooks: [], warnings: config.warnings.slice(0, MOST_WARNINGS), broken },
      lines: new Map(),
    };
  }
  return {
    dialect,
    config: { ...config, warnings: config.warnings.slice(0, MOST_WARNINGS) },
    lines: linesOf(config.hooks, text),
  };
}

/** Of a file as a whole; more says nothing more. */
const MOST_WARNINGS = 100;

/** Reads the text once, however many hooks there are. */
function linesOf(hooks: ReadHooks['config']['hooks'], text: string): ReadonlyMap<number, number> {
  const offsets = hooks.flatMap(({ offset }) => offset ?? []).sort((one, other) => one - other);
  const lines = new Map<number, number>();
  let line = 1;
  let at = 0;
  for (const offset of offsets) {
    for (let next = text.indexOf('\n', at); next >= 0 && next < offset; next = text.indexOf('\n', at)) {
      line++;
      at = next + 1;
    }
    lines.set(offset, line);
  }
  return lines;
}
