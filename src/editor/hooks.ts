import type { HookAnswer, HookPort, Log } from '../agent/turn/types.ts';
import type { Disposable, HookEvent } from '../api.ts';

const events = [
  'on_session_start',
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
] as const satisfies readonly HookEvent[];

/** Whatever the event: its payload is checked by no one. */
type Handler = (payload: never) => unknown;

/** Fires the hooks that other extensions registered through the API. All of one event run in parallel. */
export class ApiHooks implements HookPort {
  readonly #handlers = new Map<HookEvent, Set<{ readonly handle: Handler }>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @throws TypeError when `handle` cannot be called */
  on(event: HookEvent, handle: Handler): Disposable {
    if (typeof handle !== 'function') throw new TypeError(`hooks.on: the handler of ${event} is not a function.`);
    // Not an error: an extension may know the hooks of a newer version.
    if (!(events as readonly string[]).includes(event))
      this.#log.warn(`No hook is called ${event}; it never fires here.`);
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers);
    const entry = { handle };
    handlers.add(entry);
    return { dispose: () => handlers.delete(entry) };
  }

  has(event: HookEvent): boolean {
    return (this.#handlers.get(event)?.size ?? 0) > 0;
  }

  /** The first block wins, in the order of registration; contexts are joined. An abort is answered at once. */
  async fire(event: HookEvent, payload: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<HookAnswer> {
    const handlers = [...(this.#handlers.get(event) ?? [])];
    const answers = await Promise.all(handlers.map(({ handle }) => this.#call(event, handle, payload, signal)));
    const block = answers.find((answer) => answer.block !== undefined)?.block;
    const context = answers.flatMap((answer) => answer.context ?? []).join('\n\n');
    return { ...(block === undefined ? {} : { block }), ...(context === '' ? {} : { context }) };
  }

  async #call(
    event: HookEvent,
    handle: Handler,
    payload: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<HookAnswer> {
    if (signal.aborted) return {};
    let onAbort = () => {};
    const aborted = new Promise<undefined>((resolve) => {
      onAbort = () => resolve(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return hookAnswer(await Promise.race([this.#answer(event, handle, payload), aborted]));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Never rejects, also when nobody waits for it any more. */
  async #answer(event: HookEvent, handle: Handler, payload: Readonly<Record<string, unknown>>): Promise<unknown> {
    try {
      // A copy for each: a handler that writes into its payload changes nothing for the others.
      return await handle(Object.freeze({ ...payload }) as never);
    } catch (error) {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#log.warn(`A hook for ${event} failed and was ignored: ${words}`);
      return undefined;
    }
  }
}

function hookAnswer(value: unknown): HookAnswer {
  if (typeof value !== 'object' || value === null) return {};
  const { block, context } = value as { block?: unknown; context?: unknown };
  return {
    ...(typeof block === 'string' ? { block } : {}),
    ...(typeof context === 'string' && context !== '' ? { context } : {}),
  };
}
