import type { HookManager, isHookEvent, nativeHook } from '../agent/hooks/index.ts';
import type { Log } from '../agent/turn/types.ts';
import type { Disposable, HookEvent } from '../api.ts';

/** Whatever the event: its payload is checked by no one. */
type Handle = (payload: never) => unknown;

interface Registration {
  readonly id: string;
  readonly event: HookEvent;
  readonly handle: Handle;
  /** Who registered it, for people. */
  readonly by: string;
  registered: Disposable | undefined;
}

/** What the dispatcher brings along; none of it is loaded before the core is. */
export interface HookDoor {
  readonly manager: Pick<HookManager, 'register'>;
  readonly nativeHook: typeof nativeHook;
  readonly isHookEvent: typeof isHookEvent;
}

/** Hooks that other extensions register through the API. They may come before the agent is loaded, and wait here then. */
export class HookRegistrations {
  readonly #waiting = new Set<Registration>();
  #door: HookDoor | undefined;
  readonly #log: Log;
  readonly #caller: () => string;
  #count = 0;

  /** @param caller the extension that calls right now, for people */
  constructor(log: Log, caller: () => string) {
    this.#log = log;
    this.#caller = caller;
  }

  /** @throws TypeError when `handle` cannot be called */
  on(event: HookEvent, handle: Handle): Disposable {
    if (typeof handle !== 'function') throw new TypeError(`hooks.on: the handler of ${event} is not a function.`);
    const id = `extension:${++this.#count}`;
    const registration: Registration = { id, event, handle, by: this.#caller(), registered: undefined };
    if (this.#door) this.#register(registration, this.#door);
    else this.#waiting.add(registration);
    return {
      dispose: () => {
        this.#waiting.delete(registration);
        registration.registered?.dispose();
      },
    };
  }

  connect(door: HookDoor): void {
    this.#door = door;
    for (const registration of this.#waiting) this.#register(registration, door);
    this.#waiting.clear();
  }

  #register(registration: Registration, { manager, nativeHook, isHookEvent }: HookDoor): void {
    const { id, event, handle, by: name } = registration;
    // Not an error: an extension may know the hooks of a newer version.
    if (!isHookEvent(event)) this.#log.warn(`${name}: no hook is called ${event}; it never fires here.`);
    const source = { is: 'extension' } as const;
    const hook = nativeHook({ id, event, name, source, handle: (payload) => handle(payload as never) });
    registration.registered = manager.register(hook);
  }
}
