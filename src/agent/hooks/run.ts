import type { HookPayload } from '../../hooks-api.ts';
import type { Clock } from '../turn/types.ts';
import { limitWords, outerLimit } from './limits.ts';
import { type Hook, HookFailure, type HookReply } from './types.ts';

/** How a run ended. Each ends exactly once; what its hook says afterwards is not heard. */
export type RunEnding =
  | { readonly is: 'ok'; readonly reply: HookReply }
  | { readonly is: 'failed' | 'timeout'; readonly error: unknown }
  | { readonly is: 'cancelled'; readonly why: CancelReason };

/** `stopped`: nobody needs the answer any more. */
export type CancelReason = 'stopped' | 'unloaded';

/** One run of a hook, under way. */
export class Run {
  readonly hook: Hook;
  readonly sessionId: string;
  /** Undefined for what happens between turns. */
  readonly turnId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Never rejects. */
  readonly ended: Promise<RunEnding>;
  /** Resolves when what the hook started is over too, as far as it tells. */
  readonly through: Promise<void>;
  readonly #controller = new AbortController();
  readonly #stopTimer: () => void;
  #end: (ending: RunEnding) => void = () => {};
  #isOver = false;

  /** Starts it in the same tick. */
  constructor(hook: Hook, payload: HookPayload, { clock, grace }: { readonly clock: Clock; readonly grace: number }) {
    this.hook = hook;
    this.sessionId = payload.session_id;
    this.turnId = payload.turn_id;
    this.startedAt = clock.now();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const limit = outerLimit(hook, grace);
    this.#stopTimer = clock.after(limit, () => {
      const error = new HookFailure('timeout', `It took longer than ${limitWords(limit)}.`);
      this.#over({ is: 'timeout', error });
      this.#controller.abort(error);
    });
    this.through = this.#attempt(payload);
  }

  /** True when it has ended, or nobody waits for it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  cancel(why: CancelReason): void {
    this.#over({ is: 'cancelled', why });
    this.#controller.abort(new HookFailure('aborted', why === 'stopped' ? 'It was stopped.' : 'It was unloaded.'));
  }

  async #attempt(payload: HookPayload): Promise<void> {
    this.#over(await endingOf(this.#reply(payload)));
  }

  /** A hook that throws before it has a promise fails like any other. */
  async #reply(payload: HookPayload): Promise<HookReply> {
    return this.hook.run(payload, this.#controller.signal);
  }

  /** Only the first ending counts: a promise is settled once. */
  #over(ending: RunEnding): void {
    // Nobody hears any more what becomes of it later.
    if (this.#isOver && ending.is === 'ok') ending.reply.later?.catch(() => undefined);
    this.#isOver = true;
    this.#stopTimer();
    this.#end(ending);
  }
}

/** Never rejects. */
export async function endingOf(reply: Promise<HookReply>): Promise<RunEnding> {
  try {
    return { is: 'ok', reply: await reply };
  } catch (error) {
    const kind = error instanceof HookFailure ? error.kind : 'threw';
    // Its owner ended it, and nobody asked for that here: a guard has not agreed.
    if (kind === 'aborted') return { is: 'cancelled', why: 'unloaded' };
    return { is: kind === 'timeout' ? 'timeout' : 'failed', error };
  }
}
