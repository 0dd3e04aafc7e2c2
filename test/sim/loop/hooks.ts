import type { HookAnswer, HookPort } from '../../../src/agent/turn/index.ts';
import type { HookEvent, HookPayload } from '../../../src/api.ts';

/** A hook that runs until the schedule makes it answer. */
export interface RunningHook {
  readonly event: HookEvent;
  readonly payload: HookPayload;
  readonly signal: AbortSignal;
  answer(answer: HookAnswer): void;
}

/** Hooks that the loop waits for; the others answer at once. */
const AWAITED: readonly HookEvent[] = [
  'pre_llm_call',
  'pre_tool_call',
  'pre_verify',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
];

export class ScriptedHooks implements HookPort {
  readonly running: RunningHook[] = [];
  readonly #set: ReadonlySet<HookEvent>;
  readonly #fired: (event: HookEvent, payload: HookPayload) => void;

  /** @param set the events that have a hook; it may change */
  constructor(set: ReadonlySet<HookEvent>, fired: (event: HookEvent, payload: HookPayload) => void) {
    this.#set = set;
    this.#fired = fired;
  }

  has(event: HookEvent): boolean {
    return this.#set.has(event);
  }

  answers(event: HookEvent): boolean {
    return this.#set.has(event) && AWAITED.includes(event);
  }

  /** One hook stands for all of an event: asked by kinds, it is asked more than once. */
  fire: HookPort['fire'] = (event, payload, signal) => {
    this.#fired(event, payload);
    if (!AWAITED.includes(event)) return Promise.resolve({});
    const { promise, resolve } = Promise.withResolvers<HookAnswer>();
    const over = (answer: HookAnswer) => {
      if (this.running.includes(hook)) this.running.splice(this.running.indexOf(hook), 1);
      resolve(answer);
    };
    const hook: RunningHook = { event, payload, signal, answer: over };
    this.running.push(hook);
    return promise;
  };

  ask: HookPort['ask'] = (event, payload, signal, which) => this.fire(event, payload, signal, which);

  stream(): void {}

  waitingFor(sessionId: string): readonly string[] {
    return this.running.some(({ payload }) => payload.session_id === sessionId) ? ['a hook'] : [];
  }
}
