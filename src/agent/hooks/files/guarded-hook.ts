import type { HookPayload } from '../../../hooks-api.ts';
import { type Hook, HookFailure, type HookReply } from '../types.ts';
import { wantedFirst } from '../wanted-first.ts';

export interface Guard {
  /** Asked before each run: trusted, and allowed exactly as it is on disk now. */
  mayRun(): Promise<boolean>;
  /** Told when a run was refused: its state is another one than is listed. */
  refused(): void;
  /** The folder that is its project; undefined for the turn's own. */
  readonly cwd: string | undefined;
  /** Hooks that run instead of it where they want the payload too: the same handler, written before. */
  earlier(): readonly Hook[];
}

/** A hook of a file that runs only while it is what the user has allowed. */
export function guardedHook(hook: Hook, guard: Guard): Hook {
  return {
    ...hook,
    matches: (payload) => wantedFirst(hook, guard.earlier(), payload),
    async run(payload, signal): Promise<HookReply> {
      if (await guard.mayRun()) return await hook.run(inFolder(payload, guard.cwd), signal);
      guard.refused();
      throw new HookFailure(
        'spawn',
        'It was not run: it was changed since you allowed it, or is not allowed any more. Review it in the view Hooks.',
      );
    },
  };
}

function inFolder(payload: HookPayload, cwd: string | undefined): HookPayload {
  return cwd === undefined || cwd === payload.cwd ? payload : { ...payload, cwd };
}
