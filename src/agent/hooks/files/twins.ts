import type { Hook } from '../types.ts';
import type { ListedHook } from './types.ts';

/**
 * The same handler in several settings files of Claude Code runs once for an event: the one that is heard first runs, the
 * later ones only where its matcher did not fit.
 */
export class Twins {
  /** In the order in which they are heard. */
  #all: readonly { readonly listed: ListedHook; readonly key: string }[] = [];

  /** @param project of a hook: the same words run something else in another folder */
  set(listed: readonly ListedHook[], project: (of: ListedHook) => string): void {
    const claude = listed.filter(({ dialect, source }) => dialect === 'claude' && source.is === 'file');
    this.#all = claude.map((of) => ({ listed: of, key: keyOf(of, project(of)) }));
  }

  /** Those that run instead of it where they want the payload too. */
  before(id: string): readonly Hook[] {
    return this.#earlier(id).flatMap(({ hook }) => hook ?? []);
  }

  /** The file that declares the same handler for the same event and matcher, and is heard before. */
  sameAs(of: ListedHook): string | undefined {
    const same = this.#earlier(of.id).find(({ hook, declared }) => hook && declared.matcher === of.declared.matcher);
    return same?.source.is === 'file' ? same.source.path : undefined;
  }

  #earlier(id: string): readonly ListedHook[] {
    const at = this.#all.findIndex(({ listed }) => listed.id === id);
    const of = this.#all[at];
    if (!of) return [];
    const twins = this.#all.slice(0, at).filter(({ key }) => key === of.key);
    // Within one file each entry stands for itself.
    return twins.map(({ listed }) => listed).filter((twin) => pathOf(twin) !== pathOf(of.listed));
  }
}

function keyOf({ declared }: ListedHook, project: string): string {
  return JSON.stringify([declared.declaredAs, declared.handler, project]);
}

function pathOf(of: ListedHook): string | undefined {
  return of.source.is === 'file' ? of.source.path : undefined;
}
