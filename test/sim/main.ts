import { parseArgs } from 'node:util';
import { describe, type Level, report, simulate } from './pool.ts';

/**
 * Usage: node test/sim/main.ts [--schedules N] [--seed S] [--level machine|loop] [--length L] [--workers W] [--soak]
 *
 * Plays N schedules at each level, or with `--level` at one. `--soak` goes on with new seeds until something breaks,
 * Ctrl+C or N schedules a level, if N is given. Ends with 1 when something is broken.
 */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string' },
    seed: { type: 'string' },
    level: { type: 'string' },
    length: { type: 'string', default: '40' },
    workers: { type: 'string' },
    soak: { type: 'boolean', default: false },
  },
});

const levels: readonly Level[] = values.level === undefined ? ['machine', 'loop'] : [levelOf(values.level)];
const seed = number('seed', values.seed) ?? Date.now() % 1_000_000_000;
const length = number('length', values.length) ?? 40;
const workers = number('workers', values.workers);
const asked = number('schedules', values.schedules);
const schedules = values.soak ? (asked ?? Number.MAX_SAFE_INTEGER) : (asked ?? 10_000);
/** Of a soak, at one level before the other has its turn. */
const ROUND = 20_000;

let broken = false;
for (let from = 0; from < schedules && !broken; from += ROUND) {
  for (const level of levels) {
    const figures = await simulate({
      level,
      schedules: values.soak ? Math.min(ROUND, schedules - from) : schedules,
      seed: seed + from,
      length,
      ...(workers === undefined ? {} : { workers }),
    });
    console.log(describe(figures));
    if (figures.broken) {
      console.error(`\n${report(level, figures.broken)}\n`);
      broken = true;
    }
  }
  if (!values.soak) break;
}
process.exitCode = broken ? 1 : 0;

function levelOf(name: string): Level {
  if (name === 'machine' || name === 'loop') return name;
  throw new Error(`No such level: ${name}. There are machine and loop.`);
}

function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, not ${text}.`);
  return value;
}
