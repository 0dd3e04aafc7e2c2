import { dirname, join } from 'node:path';
import type { Disposable } from '../../../api.ts';
import { Debounce } from '../../../debounce.ts';
import { fewAtOnce } from '../../kernel/few-at-once.ts';
import type { Consentable, ConsentPort } from '../../trust/index.ts';
import type { Log } from '../../turn/types.ts';
import { Emitter } from '../emitter.ts';
import type { HookParts } from '../handlers/index.ts';
import type { Hook } from '../types.ts';
import { Listing, projectOf } from './listing.ts';
import { PathWatch, type WatchedPath } from './path-watch.ts';
import { filesOf, placesOf } from './places.ts';
import { type ReadHookFile, readHookFile } from './read-file.ts';
import { Twins } from './twins.ts';
import type { ListedFile, ListedHook } from './types.ts';
import { rootCheckoutOf } from './worktree.ts';

export interface HookFilesParts {
  /** Absolute. */
  readonly home: string;
  readonly parts: HookParts;
  readonly registry: { replace(owner: string, hooks: readonly Hook[]): void };
  readonly consents: ConsentPort & { isAllowed(of: Consentable): Promise<boolean> };
  readonly log: Log;
  /** Absolute. */
  folders(): readonly string[];
  /** False: everything is listed, and nothing is registered. */
  isTrusted(): boolean;
  settings(): { readonly enabled: boolean; readonly cline: boolean };
}

/** An editor writes a file in several steps. */
const TIMES = { pause: 50, longest: 2_000 };

/**
 * The hook files of the user and of the workspace: found, read, listed with their state, and those that may run
 * registered. Changes on disk, of trust and of consents are followed.
 */
export class HookFiles implements Disposable {
  readonly #of: HookFilesParts;
  readonly #watch: PathWatch;
  readonly #twins = new Twins();
  readonly #changed: Emitter<void>;
  readonly #listing: Listing;
  #registered: readonly Hook[] = [];
  #read: readonly ReadHookFile[] = [];
  #listed: readonly ListedHook[] = [];
  #watched: readonly WatchedPath[] = [];
  #wanted: 'files' | 'states' | undefined;
  #working: Promise<void> | undefined;
  readonly #quiet = new Debounce(TIMES, () => void this.reload());
  #disposed = false;

  constructor(of: HookFilesParts) {
    this.#of = of;
    this.#changed = new Emitter((error) => of.log.error(`A listener of the hook files failed: ${error}`));
    this.#watch = new PathWatch(() => this.#touched(), of.log);
    this.#listing = new Listing({ of, twins: this.#twins, stale: () => void this.refresh() });
  }

  /** The list has changed. */
  get onDidChange(): (listen: () => void) => Disposable {
    return this.#changed.event;
  }

  /** In the order in which they are heard: the user's, then those of each workspace folder. */
  list(): readonly ListedHook[] {
    return this.#listed;
  }

  files(): readonly ListedFile[] {
    return this.#read.map(({ file, dialect, config }) => {
      const line = /\bline (\d+)/.exec(config.broken ?? '')?.[1];
      return {
        path: file.path,
        scope: file.scope,
        dialect,
        ...(config.broken === undefined ? {} : { broken: config.broken }),
        ...(line === undefined ? {} : { line: Number(line) }),
        warnings: config.warnings,
      };
    });
  }

  /** Reads all files anew. Resolves when the list is that of the files as they were when this was called, or newer. */
  reload(): Promise<void> {
    return this.#want('files');
  }

  /** Looks at trust, settings and consents anew. */
  refresh(): Promise<void> {
    return this.#want('states');
  }

  dispose(): void {
    this.#disposed = true;
    this.#quiet.cancel();
    this.#watch.dispose();
    this.#changed.dispose();
    this.#register([]);
  }

  #touched(): void {
    this.#quiet.touch();
  }

  async #want(what: 'files' | 'states'): Promise<void> {
    if (this.#disposed) return;
    if (what === 'files' || this.#wanted === undefined) this.#wanted = what;
    this.#working ??= this.#work();
    await this.#working;
  }

  /** One pass at a time; what is wanted meanwhile is done by another pass before this resolves. Never rejects. */
  async #work(): Promise<void> {
    try {
      while (this.#wanted !== undefined && !this.#disposed) {
        const what = this.#wanted;
        this.#wanted = undefined;
        if (what === 'files') await this.#readFiles();
        await this.#list();
      }
    } catch (error) {
      this.#of.log.error(`Hook files could not be read: ${error instanceof Error ? error.stack : error}`);
    } finally {
      this.#working = undefined;
    }
    if (!this.#disposed) this.#changed.fire();
  }

  async #readFiles(): Promise<void> {
    const { home, settings } = this.#of;
    const places = placesOf(home, this.#of.folders(), settings());
    const roots = await Promise.all(places.map(async ({ base }) => (await rootCheckoutOf(base)) ?? base));
    this.#watched = places.flatMap(({ base, path }, index) =>
      [...new Set([base, roots[index] ?? base])].map((at) => ({ base: at, path: join(at, path) })),
    );
    // Before they are read: what changes in between is read again.
    await this.#watchAll();
    const files = (await Promise.all(places.map(filesOf))).flat();
    const once = [...new Map(files.toReversed().map((file) => [file.path, file])).values()].toReversed();
    const read = await fewAtOnce(once, (file) => readHookFile(file));
    this.#read = read.filter((file) => file !== undefined);
  }

  async #list(): Promise<void> {
    const disabled = this.#read.some(({ config }) => config.disablesAll);
    // One file after the other: in each several hooks are looked at together.
    const listed: ListedHook[] = [];
    for (const read of this.#read) listed.push(...(await this.#listing.of(read, disabled)));
    if (this.#disposed) return;
    this.#listing.keepOnly(listed);
    const bases = new Map(this.#read.map(({ file }) => [file.path, file.base]));
    this.#twins.set(listed, ({ source }) =>
      source.is === 'file' ? projectOf(source.scope, bases.get(source.path) ?? '', this.#of) : '',
    );
    this.#listed = listed.map((hook) => withTwin(hook, this.#twins.sameAs(hook)));
    this.#register(listed.flatMap(({ hook }) => hook ?? []));
    await this.#watchAll();
  }

  /** All at once, so that their order is that of the list whichever file came last. */
  #register(hooks: readonly Hook[]): void {
    const before = this.#registered;
    if (before.length === hooks.length && before.every((hook, index) => hook === hooks[index])) return;
    this.#registered = hooks;
    this.#of.registry.replace('hook files', hooks);
  }

  /** The places, and the scripts of what is listed. */
  async #watchAll(): Promise<void> {
    const scripts = new Set(this.#listed.flatMap(({ watched }) => watched));
    await this.#watch.set([...this.#watched, ...[...scripts].map((path) => ({ path, base: dirname(path) }))]);
  }
}

function withTwin(hook: ListedHook, sameAs: string | undefined): ListedHook {
  if (sameAs === undefined) return hook;
  return { ...hook, warnings: [...hook.warnings, `It is the same as in ${sameAs}, and runs once.`] };
}
