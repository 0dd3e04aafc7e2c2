import { join } from 'node:path';
import type { CustomisationFolder, CustomisationProvider } from '../customisations/types.ts';
import { prepareConditions } from '../hooks/dialects/conditions.ts';
import { rootVariables } from '../hooks/handlers/index.ts';
import { type Hook, HookFailure } from '../hooks/index.ts';
import { Gate } from '../kernel/slices.ts';
import { type Consentable, type RunState, runStateOf } from '../trust/index.ts';
import { configValues } from './config-schema.ts';
import { consentableOf, runsSomething } from './consentable.ts';
import { discoverPlugins } from './discovery.ts';
import type { RuntimeState } from './host/plugin-runtime.ts';
import type { Registration } from './host/protocol.ts';
import { orderPlugins } from './order.ts';
import type { PluginParts } from './parts.ts';
import { pluginFiles, shortHash } from './plugin-files.ts';
import { type PluginHook, pluginHooks } from './plugin-hooks.ts';
import { registeredHooks } from './registered.ts';
import { RegistrationMemory } from './registration-memory.ts';
import { RunningPlugin } from './running-plugin.ts';
import { isBroken, type Plugin, type ReadPlugin } from './types.ts';

/** A plugin as it is shown, whether it runs or not. */
export interface ListedPlugin {
  readonly plugin: ReadPlugin;
  readonly state: RunState;
  /** What the user is asked to allow; absent where nothing would run, or it is broken. */
  readonly consentable?: Consentable;
  readonly process?: RuntimeState;
  readonly registrations: ReadonlyMap<string, Registration>;
  readonly fileHooks: readonly PluginHook[];
  readonly warnings: readonly string[];
}

/** Plugins whose files are looked at together: a repository may bring hundreds. */
const AT_A_TIME = 8;

/** Of all sections of all plugins together. */
const SECTIONS = { characters: 8000, most: 32 };

/** All plugins of a window: found, put in order, loaded as far as the user allows it, and taken back without leftovers. */
export class PluginSet implements CustomisationProvider {
  readonly #parts: PluginParts;
  readonly #memory: RegistrationMemory;
  readonly #running = new Map<string, RunningPlugin>();
  readonly #loading = new Set<RunningPlugin>();
  readonly #listeners = new Set<() => void>();
  #listed: readonly Entry[] = [];
  #refreshing: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  /** Loaded anew although they are the same. */
  readonly #stale = new Set<string>();
  readonly #logged = new Set<string>();
  #closed = false;

  constructor(parts: PluginParts) {
    this.#parts = parts;
    this.#memory = new RegistrationMemory(join(parts.dataFolder, 'registrations'), parts.log, () => parts.folders());
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  list(): readonly ListedPlugin[] {
    return this.#listed.map((entry) => this.#list(entry));
  }

  /** Looks at everything anew: folders, consents, settings. What is the same goes on running. Never rejects. */
  refresh(): Promise<void> {
    if (!this.#refreshing) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
      return this.#refreshing;
    }
    // One more look after this one, for all who ask meanwhile.
    this.#again ??= this.#refreshing.then(() => {
      this.#again = undefined;
      return this.refresh();
    });
    return this.#again;
  }

  /** Loads a plugin as it is on disk now; the one before goes when the new one is there. */
  async reload(id: string): Promise<void> {
    this.#stale.add(id);
    await this.refresh();
  }

  /** Starts a plugin again that was given up. Rejects when it cannot start. */
  async restart(id: string): Promise<void> {
    await this.#running.get(id)?.restart();
    this.#changed();
  }

  /** Folders of skills, commands and agents: they are read, not run, so they count before the plugin is allowed. */
  folders(): readonly CustomisationFolder[] {
    return this.#listed.flatMap(({ plugin, state }) => {
      if (isBroken(plugin) || state.is === 'disabled' || state.is === 'untrusted' || state.is === 'broken') return [];
      const source = { is: 'plugin' as const, plugin: plugin.id };
      const all = (['skills', 'commands', 'agents'] as const).flatMap((holds) =>
        plugin[holds].map((path) => ({ path, holds, source })),
      );
      return [...all, ...(this.#running.get(plugin.id)?.folders() ?? [])];
    });
  }

  sections(): ReturnType<CustomisationProvider['sections']> {
    let characters = 0;
    const all = [...this.#running.values()].flatMap((running) => running.sections());
    return all.filter(({ source, title, text }, index) => {
      const fits = index < SECTIONS.most && characters + text.length <= SECTIONS.characters;
      if (fits) characters += text.length;
      else this.#logOnce(`The section "${title}" of the plugin ${source.plugin} is left out: plugins have too many.`);
      return fits;
    });
  }

  commands(): ReturnType<CustomisationProvider['commands']> {
    return [...this.#running.values()].flatMap((running) =>
      running.process?.is === 'broken' ? [] : running.commands(),
    );
  }

  /** The plugins that are on and allowed, with the variables that their servers get. */
  active(): readonly { readonly plugin: Plugin; readonly variables: Readonly<Record<string, string>> }[] {
    return this.#listed.flatMap(({ plugin, state }) =>
      !isBroken(plugin) && state.is === 'active' ? [{ plugin, variables: this.#variables(plugin) }] : [],
    );
  }

  /** Whether something of the plugin may start, as it is on disk now. */
  async mayRun(id: string): Promise<RunState> {
    const entry = this.#listed.find(({ plugin }) => plugin.id === id);
    if (!entry) return { is: 'disabled' };
    if (isBroken(entry.plugin) || entry.state.is !== 'active') return entry.state;
    return (await this.#mayRun(entry.plugin)) ? entry.state : { is: 'changed', changed: [] };
  }

  /** Takes everything back and ends all processes. */
  async close(): Promise<void> {
    this.#closed = true;
    // Nobody waits for what one of them still does before it is ready.
    await Promise.all([...this.#loading].map((running) => running.retire()));
    await this.#refreshing;
    for (const { plugin } of this.#listed) this.#unguard(plugin.id);
    await Promise.all([...this.#running.keys()].map((id) => this.#unload(id)));
    this.#listeners.clear();
  }

  #variables(plugin: Plugin): Readonly<Record<string, string>> {
    const { hookParts, dataFolder } = this.#parts;
    const folders = { root: plugin.root, data: join(dataFolder, 'data', plugin.id) };
    return rootVariables({ surroundings: hookParts.surroundings, plugin: () => folders });
  }

  async #refresh(): Promise<void> {
    try {
      const homes = this.#parts.homes().filter(({ scope }) => scope === 'user' || this.#parts.settings().ofWorkspaces);
      const { plugins, skipped } = await discoverPlugins(homes);
      for (const { path, why } of skipped) this.#parts.log.debug(`${path} was passed over: ${why}.`);
      const gate = new Gate(AT_A_TIME);
      const entries = await Promise.all(plugins.map((plugin) => gate.run(() => this.#entry(plugin))));
      await this.#loadAll(entries);
    } catch (error) {
      this.#parts.log.error(`The plugins could not be read: ${error instanceof Error ? error.stack : error}`);
    }
    this.#changed();
  }

  async #entry(plugin: ReadPlugin): Promise<Entry> {
    if (isBroken(plugin)) return { plugin, state: { is: 'broken', why: plugin.broken } };
    const files = await pluginFiles(plugin.root);
    if (!files.ok) return { plugin, state: { is: 'broken', why: files.why } };
    const consentable = consentableOf(plugin, files.files);
    if (!this.#parts.isTrusted()) return { plugin, consentable, state: { is: 'untrusted' } };
    if (!this.#parts.isEnabled(plugin.id)) return { plugin, consentable, state: { is: 'disabled' } };
    if (!runsSomething(plugin)) return { plugin, state: { is: 'active' }, hash: '' };
    const consent = await this.#parts.consents.check(consentable);
    return { plugin, consentable, state: runStateOf(consent), hash: consent.hash };
  }

  async #loadAll(entries: readonly Entry[]): Promise<void> {
    const readable = entries.flatMap(({ plugin }) => (isBroken(plugin) ? [] : [plugin]));
    const active = new Set(entries.filter(({ state }) => state.is === 'active').map(({ plugin }) => plugin.id));
    const { plugins: ordered, unmet } = orderPlugins(readable, (id) => active.has(id));
    const why = new Map([...unmet].filter(([id]) => active.has(id)));
    this.#listed = entries.map((entry) => withWhy(entry, why));
    for (const entry of entries) if (entry.state.is === 'changed') await this.#guard(entry.plugin);
    for (const id of [...this.#running.keys()]) await this.#unloadUnless(id, why);
    await this.#loadOrdered(ordered, entries, why);
    for (const { plugin, state } of entries) if (state.is !== 'changed') this.#unguard(plugin.id);
  }

  /** Each as soon as what it requires is there; the order in which their hooks are heard is theirs all the same. */
  async #loadOrdered(ordered: readonly Plugin[], entries: readonly Entry[], why: Map<string, string>): Promise<void> {
    const loading = new Map<string, Promise<void>>();
    for (const plugin of ordered) {
      const entry = entries.find((one) => one.plugin === plugin);
      if (entry?.state.is !== 'active' || this.#closed) continue;
      if (!this.#running.has(plugin.id)) this.#parts.hooks.replace(`plugin:${plugin.id}`, []);
      loading.set(plugin.id, this.#loadAfter(plugin, entry, loading, why));
    }
    await Promise.all(loading.values());
    this.#listed = entries.map((entry) => withWhy(entry, why));
  }

  async #loadAfter(
    plugin: Plugin,
    { hash = '' }: Entry,
    loading: ReadonlyMap<string, Promise<void>>,
    why: Map<string, string>,
  ): Promise<void> {
    await Promise.all(plugin.requires.map(({ id }) => loading.get(id)));
    const broken = plugin.requires.find(({ id }) => why.has(id) || this.#running.get(id)?.process?.is === 'broken');
    try {
      if (!broken) return await this.#load(plugin, hash);
      why.set(plugin.id, `It requires the plugin ${broken.id}, which does not work.`);
    } catch (error) {
      // The disk is full, its folder may not be written: the others go on.
      why.set(plugin.id, `It could not be loaded: ${error instanceof Error ? error.message : error}.`);
    }
    await this.#unload(plugin.id);
  }

  async #load(plugin: Plugin, hash: string): Promise<void> {
    if (this.#closed) return;
    const settings = this.#parts.settings();
    const { values } = configValues(plugin.config, settings.config[plugin.id]);
    const replaces = settings.mayReplaceTools[plugin.id] ?? [];
    const identity = shortHash(
      JSON.stringify([hash, plugin.root, values, replaces, settings.memory, this.#parts.folders()]),
    );
    const before = this.#running.get(plugin.id);
    const fresh = this.#stale.delete(plugin.id);
    if (before?.identity === identity && !fresh) return;
    const running = new RunningPlugin(plugin, {
      of: this.#parts,
      memory: this.#memory,
      identity,
      fresh,
      mayRun: () => this.#mayRun(plugin),
      takenCommands: () => this.#takenCommands(plugin.id),
      changed: () => this.#changed(),
    });
    // Its hooks take the place of those before at once: no call finds neither.
    this.#loading.add(running);
    await running.load().finally(() => this.#loading.delete(running));
    this.#running.set(plugin.id, running);
    await before?.retire();
  }

  #takenCommands(id: string): ReadonlySet<string> {
    const others = [...this.#running.values()].filter(({ plugin }) => plugin.id !== id);
    const names = others.flatMap((running) => running.commands().map(({ name }) => name));
    return new Set([...this.#parts.takenCommands(), ...names]);
  }

  /** As it is on disk now: a file that came since then counts too. */
  async #mayRun(plugin: Plugin): Promise<boolean> {
    if (!this.#parts.isTrusted() || !this.#parts.isEnabled(plugin.id)) return false;
    if (!runsSomething(plugin)) return true;
    const files = await pluginFiles(plugin.root);
    if (files.ok && (await this.#parts.consents.isAllowed(consentableOf(plugin, files.files)))) return true;
    // It is listed as something else than it is.
    void this.refresh();
    return false;
  }

  async #unloadUnless(id: string, unmet: ReadonlyMap<string, string>): Promise<void> {
    const entry = this.#listed.find(({ plugin }) => plugin.id === id);
    if (entry?.state.is === 'active' && !unmet.has(id)) return;
    await this.#unload(id);
  }

  async #unload(id: string): Promise<void> {
    const running = this.#running.get(id);
    this.#running.delete(id);
    await running?.close();
  }

  /**
   * A plugin that was allowed and is not the same any more does not run, but what it guarded is not open because of that:
   * its hooks that fail closed refuse until the user has looked at the change.
   */
  async #guard(plugin: ReadPlugin): Promise<void> {
    if (isBroken(plugin)) return;
    const why = `The plugin ${plugin.id} was changed since you allowed it. Review it, or switch it off, in the view Plugins.`;
    const run = () => Promise.reject(new HookFailure('spawn', why));
    const code = registeredHooks(plugin, await this.#memory.last(plugin.id), run);
    const { hooks: declared } = pluginHooks(plugin, {
      hooks: this.#parts.hookParts,
      rulesOf: this.#parts.rulesOf,
      data: '',
      options: {},
      mayRun: async () => false,
    });
    await prepareConditions(declared.map((hook) => hook.declared));
    const hooks: readonly Hook[] = [...code, ...declared.flatMap(({ hook }) => hook ?? [])];
    const guards = hooks.filter(({ failClosed }) => failClosed);
    this.#parts.hooks.replace(
      changedOwner(plugin.id),
      guards.map((hook) => ({ ...hook, run })),
    );
  }

  #unguard(id: string): void {
    this.#parts.hooks.replace(changedOwner(id), []);
  }

  #list({ plugin, state, consentable }: Entry): ListedPlugin {
    const running = this.#running.get(plugin.id);
    const { process } = running ?? {};
    return {
      plugin,
      state: state.is === 'active' && process?.is === 'broken' ? { is: 'broken', why: process.why } : state,
      ...(consentable === undefined ? {} : { consentable }),
      ...(process === undefined ? {} : { process }),
      registrations: running?.registrations ?? new Map(),
      fileHooks: running?.fileHooks ?? [],
      warnings: running?.warnings ?? (isBroken(plugin) ? [] : plugin.warnings),
    };
  }

  #logOnce(words: string): void {
    if (this.#logged.has(words)) return;
    this.#logged.add(words);
    this.#parts.log.warn(words);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

interface Entry {
  readonly plugin: ReadPlugin;
  readonly state: RunState;
  readonly consentable?: Consentable;
  readonly hash?: string;
}

function changedOwner(id: string): string {
  return `plugin:${id} (changed)`;
}

function withWhy(entry: Entry, why: ReadonlyMap<string, string>): Entry {
  const because = why.get(entry.plugin.id);
  return because === undefined ? entry : { ...entry, state: { is: 'broken', why: because } };
}
