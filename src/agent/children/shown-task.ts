import { firstOf } from '../tools/index.ts';

/** Characters. Every change of an agent carries its task; the whole of it is in its transcript and in the call. */
const SHOWN = 2_000;

export function shownTask(task: string): string {
  return task.length > SHOWN ? `${firstOf(task, SHOWN)}…` : task;
}
