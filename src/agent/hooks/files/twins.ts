import type { Hook } from '../types.ts';
import type { ListedHook } from './types.ts';

/**
 * The same handler in several settings files of Claude Code runs once for an event: the one that is heard first runs, the
 * later ones only where its matcher did not fit.
 */
export class Twins {
  /** In the order in which they are heard. */
  #alike: ReadonlyMap<string, readonly ListedHook[]> = new Map();
  #keys: ReadonlyMap<string, string> = new Map();
  #sameAs: ReadonlyMap<string, string> = new Map();

  /** @param project of a hook: the same words run something else in another folder */
  set(listed: readonly ListedHook[], project: (of: ListedHook) => string): void {
    const claude = listed.filter(({ dialect, source }) => dialect === 'claude' && source.is === 'file');
    this.#keys = new Map(claude.map((of) => [of.id, keyOf(of, project(of))]));
    const alike = new Map<string, ListedHook[]>();
    for (const of of claude) {
      const key = this.#keys.get(of.id) ?? of.id;
      const others = alike.get(key);
      if (others) others.push(of);
      else alike.set(key, [of]);
    }
    this.#alike = alike;
    this.#sameAs = new Map([...alike.values()].flatMap(firstOfOtherFiles));
  }

  /** Those that run instead of it where they want the payload too. */
  before(id: string): readonly Hook[] {
    return this.#earlier(id).flatMap(({ hook }) => hook ?? []);
  }

  /** The file that declares the same handler for the same event and matcher, and is heard before. */
  sameAs({ id }: ListedHook): string | undefined {
    return this.#sameAs.get(id);
  }

  #earlier(id: string): readonly ListedHook[] {
    const twins = this.#alike.get(this.#keys.get(id) ?? '') ?? [];
    const at = twins.findIndex((twin) => twin.id === id);
    const of = twins[at];
    // Within one file each entry stands for itself.
    return of === undefined ? [] : twins.slice(0, at).filter((twin) => pathOf(twin) !== pathOf(of));
  }
}

/**
 * Of each hook the file of the first one before it that runs for the same matcher and stands in another file. One pass: a
 * repository may bring thousands that are alike.
 */
function firstOfOtherFiles(twins: readonly ListedHook[]): readonly (readonly [id: string, path: string])[] {
  const runs = new Map<string | undefined, { readonly first: string; other?: string }>();
  return twins.flatMap(({ id, hook, declared, ...of }) => {
    const path = pathOf(of) ?? '';
    const known = runs.get(declared.matcher);
    const before = known?.first === path ? known.other : known?.first;
    if (hook && !known) runs.set(declared.matcher, { first: path });
    else if (hook && known && known.first !== path) known.other ??= path;
    return before === undefined ? [] : [[id, before] as const];
  });
}

function keyOf({ declared }: ListedHook, project: string): string {
  return JSON.stringify([declared.declaredAs, declared.handler, project]);
}

function pathOf(of: Pick<ListedHook, 'source'>): string | undefined {
  return of.source.is === 'file' ? of.source.path : undefined;
}
