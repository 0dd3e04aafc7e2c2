import { firstOf } from '../tools/index.ts';
import type { RunEnding } from './run.ts';

/** Characters of what a hook says to the user at once. */
const MESSAGE = 10_000;
/** Warnings of one run, and characters of each. */
const WARNINGS = 10;
const WARNING = 1000;

/** The ending with as many words for people as they can read: a hook that writes nonsense writes a lot of it. */
export function boundedEnding(ending: RunEnding): RunEnding {
  if (ending.is !== 'ok') return ending;
  const { message, warnings, ...rest } = ending.reply;
  return {
    is: 'ok',
    reply: {
      ...rest,
      ...(message !== undefined && { message: firstOf(message, MESSAGE) }),
      ...(warnings && { warnings: bounded(warnings) }),
    },
  };
}

function bounded(warnings: readonly string[]): readonly string[] {
  const shown = warnings.slice(0, WARNINGS).map((warning) => firstOf(warning, WARNING));
  const more = warnings.length - shown.length;
  return more === 0 ? shown : [...shown, `There is more of this kind (${more}).`];
}
