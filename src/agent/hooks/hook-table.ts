import type { HookEvent } from '../../hooks-api.ts';
import type { Hook } from './types.ts';

/** The hooks by owner (a file, a plugin, an extension), and those of each event in the order in which they are heard. */
export class HookTable {
  /** An owner keeps its place when its hooks are replaced. */
  readonly #owners = new Map<string, readonly Hook[]>();
  #byEvent: ReadonlyMap<HookEvent, readonly Hook[]> = new Map();
  #byId: ReadonlyMap<string, Hook> = new Map();

  /** Swaps all hooks of an owner. @returns those whose id is not there any more */
  replace(owner: string, hooks: readonly Hook[]): readonly Hook[] {
    const before = this.#owners.get(owner) ?? [];
    this.#owners.set(owner, hooks);
    return this.#sorted(before);
  }

  /** Takes an owner out that does not come back. */
  remove(owner: string): readonly Hook[] {
    const before = this.#owners.get(owner) ?? [];
    this.#owners.delete(owner);
    return this.#sorted(before);
  }

  of(event: HookEvent): readonly Hook[] {
    return this.#byEvent.get(event) ?? none;
  }

  get(id: string): Hook | undefined {
    return this.#byId.get(id);
  }

  list(): readonly Hook[] {
    return [...this.#byEvent.values()].flat();
  }

  #sorted(before: readonly Hook[]): readonly Hook[] {
    const all = [...this.#owners.values()].flat().sort((one, other) => rank(one) - rank(other));
    const byEvent = new Map<HookEvent, Hook[]>();
    for (const hook of all) {
      const same = byEvent.get(hook.event);
      if (same) same.push(hook);
      else byEvent.set(hook.event, [hook]);
    }
    this.#byEvent = byEvent;
    this.#byId = new Map(all.map((hook) => [hook.id, hook]));
    return before.filter(({ id }) => !this.#byId.has(id));
  }
}

const none: readonly Hook[] = Object.freeze([]);

/** Code first, then files (the user's, the workspace's, those of plugins), webhooks last. */
function rank({ kind, source }: Hook): number {
  if (kind === 'code') return 0;
  if (kind === 'webhook') return 4;
  if (source.is === 'plugin') return 3;
  return source.is === 'file' && source.scope === 'workspace' ? 2 : 1;
}
