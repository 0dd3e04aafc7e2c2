/** Everything that may happen next, each with a label that means the same in every schedule. */

import { faults, hooks, model, time, tools } from './outside.ts';
import { cards, settings, stops, texts, waiting } from './user.ts';
import type { World } from './world.ts';

export interface Action {
  readonly label: string;
  /** Who does it: it decides how often it is chosen. */
  readonly by: 'setting' | 'user' | 'outside' | 'time' | 'fault';
  /** Milliseconds that pass after it. */
  readonly after: number;
  do(): void;
}

export type Add = (label: string, act: () => void, after?: number) => void;

/** A person is not faster than this. */
const PERSON = 400;
const MOMENT = 5;

export function possible(world: World): readonly Action[] {
  const list: Action[] = [];
  const add =
    (by: Action['by'], usual: number): Add =>
    (label, act, after = usual) => {
      list.push({ label, by, after, do: act });
    };
  settings(world, add('setting', 0));
  texts(world, add('user', PERSON));
  stops(world, add('user', PERSON));
  waiting(world, add('user', PERSON));
  cards(world, add('user', PERSON));
  model(world, add('outside', MOMENT));
  tools(world, add('outside', MOMENT));
  hooks(world, add('outside', MOMENT));
  time(world, add('time', 0));
  faults(world, add('fault', MOMENT));
  return list;
}
