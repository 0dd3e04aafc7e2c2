/**
 * Random schedules: one seed, one run, always the same. A schedule that breaks an invariant is a list of labels, which
 * can be played again with any of them left out; so it is made as short as it gets.
 */

import type { LoopEvent } from '../../src/agent/control/index.ts';
import { patienceEnds } from './explore.ts';
import { identity } from './identity.ts';
import { type Random, random } from './random.ts';
import { type Action, type Alphabet, answers, crash, perform, performLate, start, verbs, type World } from './world.ts';

export interface Broken {
  readonly seed: number;
  readonly problem: string;
  readonly labels: readonly string[];
}

const ALPHABET: Alphabet = { ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], full: true };
/** Room for an answer that is cut as often as it may be. */
const BUDGET = 5;

/**
 * Runs one schedule.
 *
 * @param visit is given the identity of each state
 * @returns what broke, already shortened, or undefined
 */
export function runSchedule(seed: number, length: number, visit?: (identity: string) => void): Broken | undefined {
  const dice = random(seed);
  const labels: string[] = [];
  let world = start(BUDGET, { reviews: true });
  try {
    for (let index = 0; index < length; index += 1) {
      const label = choose(world, dice);
      labels.push(label);
      world = play(world, label);
      visit?.(identity(world));
    }
    patienceEnds(world);
    return undefined;
  } catch (error) {
    return shorten({ seed, problem: problemOf(error), labels });
  }
}

const CUT = 'answer is cut and goes on';

/** Mostly what is awaited outside, often a verb, now and then what nobody wants. */
function choose(world: World, dice: Random): string {
  const chance = dice.below(100);
  if (chance < 2) return 'crash';
  if (chance < 12 && world.outside.over.length > 0) return `late ${dice.below(world.outside.over.length)}`;
  const loop = answers(world);
  // An answer that is cut is often cut again.
  const cut = loop.find(({ label }) => label === CUT);
  if (cut && world.control.turn?.continuation && chance < 60 && dice.below(2) === 0) return CUT;
  const list = chance < 60 && loop.length > 0 ? loop : verbs(world, ALPHABET);
  const action = list[dice.below(list.length)];
  if (!action) return 'crash';
  // A stopped session has little to show: the rarer ways to end are taken less often.
  const rare = /^(stop|double|watchdog|storage|failure$|hooks block|clear queue)/.test(action.label);
  if (rare && dice.below(3) > 0) return choose(world, dice);
  return chance % 20 === 13 ? `not stored: ${action.label}` : action.label;
}

/** Plays one label; one that means nothing here is passed over. */
export function play(world: World, label: string): World {
  if (label === 'crash') return crash(world);
  if (label.startsWith('late ')) {
    const event: LoopEvent | undefined = world.outside.over[Number(label.slice('late '.length))];
    if (event) performLate(world, event);
    return world;
  }
  const [, unstored] = /^not stored: (.*)$/.exec(label) ?? [];
  const action = find(world, unstored ?? label);
  if (!action) return world;
  if (unstored === undefined) return perform(world, action);
  // The transaction failed: the step did not happen, whatever it would have led to.
  perform(world, action);
  return { ...world, seq: world.seq + 1, at: world.at + action.after };
}

function find(world: World, label: string): Action | undefined {
  return [...answers(world), ...verbs(world, ALPHABET)].find((action) => action.label === label);
}

/** Leaves out as much as possible while the same rule stays broken: halves first, single events in the end. */
function shorten(broken: Broken): Broken {
  let { labels } = broken;
  for (let size = Math.ceil(labels.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < labels.length; ) {
      const shorter = labels.toSpliced(from, size);
      if (rule(replay(shorter)) === rule(broken.problem)) labels = shorter;
      else from += size;
    }
  }
  return { ...broken, labels, problem: replay(labels) ?? broken.problem };
}

/** Plays labels that all mean something: a typing error in one is an error. */
export function replayTo(world: World, labels: readonly string[]): World {
  return labels.reduce((now, label) => {
    if (!find(now, label)) throw new Error(`"${label}" cannot happen here`);
    return play(now, label);
  }, world);
}

/** Plays labels from the start. @returns the problem, or undefined when nothing breaks */
export function replay(labels: readonly string[]): string | undefined {
  try {
    let world = start(BUDGET, { reviews: true });
    for (const label of labels) world = play(world, label);
    patienceEnds(world);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Another way to break the same invariant is as good; its message may name another item or call. */
function rule(problem: string | undefined): string | undefined {
  return problem?.split(':')[0];
}
