import type { HookAnswer, HookPort } from '../../../src/agent/turn/index.ts';
import type { HookEvent } from '../../../src/api.ts';

/** A hook that runs until the schedule makes it answer. */
export interface RunningHook {
  readonly event: HookEvent;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  answer(answer: HookAnswer): void;
}

/** Hooks that the loop waits for; the others answer at once. */
const AWAITED: readonly HookEvent[] = [
  'pre_llm_call',
  'pre_tool_call',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
];

export class ScriptedHooks implements HookPort {
  readonly running: RunningHook[] = [];
  readonly #set: ReadonlySet<HookEvent>;
  readonly #fired: (event: HookEvent, payload: Readonly<Record<string, unknown>>) => void;

  /** @param set the events that have a hook; it may change */
  constructor(
    set: ReadonlySet<HookEvent>,
    fired: (event: HookEvent, payload: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#set = set;
    this.#fired = fired;
  }

  has(event: HookEvent): boolean {
    return this.#set.has(event);
  }

  fire(event: HookEvent, payload: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<HookAnswer> {
    this.#fired(event, payload);
    if (!AWAITED.includes(event)) return Promise.resolve({});
    const { promise, resolve } = Promise.withResolvers<HookAnswer>();
    const hook: RunningHook = {
      event,
      payload,
      signal,
      answer: (answer) => {
        this.running.splice(this.running.indexOf(hook), 1);
        resolve(answer);
      },
    };
    this.running.push(hook);
    return promise;
  }
}
