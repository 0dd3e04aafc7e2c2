/**
 * Random schedules over the real loop: one seed, one run, always the same. What breaks is a list of labels, which can
 * be played again with any of them left out; so it is made as short as it gets.
 */

import type { SessionStore } from '../../../src/agent/session/types.ts';
import { type Random, random } from '../random.ts';
import type { Broken } from '../schedule.ts';
import { hold } from '../violation.ts';
import { type Action, possible } from './actions.ts';
import { deterministic } from './deterministic.ts';
import { identity } from './identity.ts';
import { World } from './world.ts';

/** Runs one schedule. @returns what broke, already shortened, or undefined */
export async function runLoopSchedule(
  store: SessionStore,
  seed: number,
  length: number,
  visit?: (identity: string) => void,
): Promise<Broken | undefined> {
  const dice = random(seed);
  const labels: string[] = [];
  const problem = await inWorld(store, async (world) => {
    const play = async (action: Action) => {
      labels.push(action.label);
      await perform(world, action);
      visit?.(identity(world));
    };
    for (const setting of possible(world).filter(({ by }) => by === 'setting')) {
      if (dice.below(RARE.test(setting.label) ? 30 : 5) === 0) await play(setting);
    }
    for (let index = 0; index < length; index += 1) await play(choose(possible(world), dice));
  });
  return problem === undefined ? undefined : shorten(store, { seed, problem, labels });
}

/** @returns the problem, if there is one on the way or in what follows when everything outside answers */
async function inWorld(store: SessionStore, play: (world: World) => Promise<void>): Promise<string | undefined> {
  const restore = deterministic();
  const world = new World(store);
  try {
    await play(world);
    await finish(world);
    return undefined;
  } catch (error) {
    return problemOf(error);
  } finally {
    world.host.kill();
    store.delete(world.host.session.id);
    restore();
  }
}

async function perform(world: World, action: Action): Promise<void> {
  action.do();
  await world.pass(action.after);
  world.witness.check(world.host);
}

/** Mostly what is awaited outside, often the user, now and then time or a fault. */
function choose(actions: readonly Action[], dice: Random): Action {
  const chance = dice.below(100);
  const by: Action['by'] = chance < 57 ? 'outside' : chance < 88 ? 'user' : chance < 96 ? 'time' : 'fault';
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    if (action.by !== by) continue;
    const kind = kindOf(action.label);
    const group = groups.get(kind);
    if (group) group.push(action);
    else groups.set(kind, [action]);
  }
  const list = [...groups.values()][dice.below(Math.max(groups.size, 1))] ?? [];
  const action = list[dice.below(Math.max(list.length, 1))];
  if (!action) return choose(actions, dice);
  const again = RARE.test(action.label) ? dice.below(4) > 0 : STOP.test(action.label) && dice.below(3) === 0;
  return again ? choose(actions, dice) : action;
}

const kinds = new Map<string, string>();

/** Twenty batches of calls are one kind of thing that may happen, and so is a text: each kind is as likely. */
function kindOf(label: string): string {
  const known = kinds.get(label);
  if (known !== undefined) return known;
  const kind = label.replace(/\d+/g, '').replace(/(calls|error|answer|answer card)\b.*$/, '$1');
  kinds.set(label, kind);
  return kind;
}

const STOP = /^stop\b/;

/** A session that has failed or was closed has little to show: such ends are taken less often. */
const RARE =
  /^(a system stop|(agent \d+: )?(summary: )?(error|overflow|stream )|reload|close the view|clear|send a blank|tools are off|answer, )/;

/** 7: if everything outside answers, no turn lasts for ever, and each settles. */
async function finish(world: World): Promise<void> {
  world.host.store.full = false;
  world.host.store.fault = undefined;
  for (let steps = 0; isBusy(world); steps += 1) {
    hold(steps < 400, '7 progress', 'the turn does not end although everything outside answers');
    const actions = possible(world);
    const next =
      actions.find(({ label }) => PLAIN.test(label)) ?? actions.find(({ label }) => label === 'the next timer');
    hold(next, '7 progress', `nothing outside answers while ${world.host.session.phase}`);
    await perform(world, next);
  }
  world.reload();
  await world.pass(0);
  world.witness.check(world.host);
  world.witness.compare(world.host);
}

function isBusy({ host, witness }: World): boolean {
  return host.session.state !== 'idle' || witness.unsettled > 0 || host.agentsAtWork > 0;
}

const PLAIN =
  /^(hook \d: fine|(agent \d+: )?(summary: )?answer|model \d is found|look-up \d: nothing to ask|answer card \d: once|answer question \d|tool \d: done)$/;

/** Plays labels from the start; one that means nothing there is passed over. @returns the problem, if any */
export function replayLoop(store: SessionStore, labels: readonly string[]): Promise<string | undefined> {
  return inWorld(store, async (world) => {
    for (const label of labels) {
      const action = find(world, label);
      if (action) await perform(world, action);
    }
  });
}

/** Plays labels that all mean something: a typing error in one is a problem too. @returns the problem, if any */
export function playLoop(store: SessionStore, labels: readonly string[]): Promise<string | undefined> {
  return inWorld(store, async (world) => {
    for (const label of labels) {
      const action = find(world, label);
      if (!action) throw new Error(`"${label}" cannot happen here`);
      await perform(world, action);
    }
  });
}

function find(world: World, label: string): Action | undefined {
  return possible(world).find((action) => action.label === label);
}

/** Leaves out as much as possible while the same rule stays broken: halves first, single events in the end. */
async function shorten(store: SessionStore, broken: Broken): Promise<Broken> {
  let { labels } = broken;
  for (let size = Math.ceil(labels.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < labels.length; ) {
      const shorter = labels.toSpliced(from, size);
      if (rule(await replayLoop(store, shorter)) === rule(broken.problem)) labels = shorter;
      else from += size;
    }
  }
  return { ...broken, labels, problem: (await replayLoop(store, labels)) ?? broken.problem };
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Violation' ? error.message : `0 crash: ${error.stack}`;
}

function rule(problem: string | undefined): string | undefined {
  return problem?.split(':')[0];
}
