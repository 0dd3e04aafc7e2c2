import { identity } from './identity.ts';
import { hold } from './violation.ts';
import { type Alphabet, actions, answers, perform, performLate, type World } from './world.ts';

export interface Exploration {
  /** Distinct states, the first one included. */
  readonly states: number;
  readonly steps: number;
  /** Events after which every state has been visited; below the bound when there is nothing new any more. */
  readonly depth: number;
}

/** A world and how it came about. */
interface Visit {
  readonly world: World;
  readonly label: string;
  readonly from: Visit | undefined;
}

/**
 * Visits every state that `depth` events lead to, breadth first, and checks each step and each state. Throws the
 * violation with the shortest way to it.
 */
export function explore(first: World, alphabet: Alphabet, depth: number): Exploration {
  const seen = new Set([identity(first)]);
  let edge: Visit[] = [{ world: first, label: 'start', from: undefined }];
  const ending = new Set<string>();
  let steps = 0;
  let reached = 0;
  while (reached < depth && edge.length > 0) {
    const next: Visit[] = [];
    for (const visit of edge) {
      for (const action of actions(visit.world, alphabet)) {
        steps += 1;
        const world = traced(visit, action.label, () => perform(visit.world, action));
        const name = identity(world);
        if (seen.has(name)) continue;
        seen.add(name);
        const found: Visit = { world, label: action.label, from: visit };
        traced(visit, action.label, () => checkState(world, ending));
        next.push(found);
      }
    }
    edge = next;
    reached += 1;
  }
  return { states: seen.size, steps, depth: reached };
}

/** What must hold in a state whatever happens next: late events change nothing, and the turn ends if all answer. */
function checkState(world: World, ending: Set<string>): void {
  for (const event of world.outside.over) performLate(world, event);
  patienceEnds(world, ending);
}

/**
 * 7: if everything outside answers, no turn lasts for ever.
 *
 * @param ending names of worlds that are known to come to an end; those on the way are added
 */
export function patienceEnds(world: World, ending: Set<string> = new Set()): void {
  const way: string[] = [];
  let now = world;
  while (now.control.turn && !ending.has(identity(now))) {
    way.push(identity(now));
    hold(way.length < 200, '7 progress', 'the turn does not end although everything outside answers');
    const next = answers(now).find(({ label }) => PLAIN.test(label));
    hold(next, '7 progress', `nothing outside answers while ${now.control.turn.activity.is}`);
    now = perform(now, next);
  }
  for (const name of way) ending.add(name);
}

const PLAIN =
  /^(hooks allow|the tick ends|answer|wait is over|compacted|review ends|end work is done|clear \d|allow \d|choose \d|finish \d)$/;

function traced<T>(visit: Visit, label: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const trace = [label];
    for (let at: Visit | undefined = visit; at; at = at.from) trace.unshift(at.label);
    throw new Error(`${error instanceof Error ? error.message : error}\n  ${trace.join('\n  ')}`, { cause: error });
  }
}
