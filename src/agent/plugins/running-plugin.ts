import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { CustomisationFolder, ProvidedCommand } from '../customisations/types.ts';
import { prepareConditions } from '../hooks/dialects/conditions.ts';
import { rootVariables } from '../hooks/handlers/index.ts';
import { type Hook, HookFailure } from '../hooks/index.ts';
import { configValues } from './config-schema.ts';
import { PluginRuntime, type RuntimeState } from './host/plugin-runtime.ts';
import type { PluginRequest, Registration } from './host/protocol.ts';
import { insidePlugin } from './inside.ts';
import type { PluginParts } from './parts.ts';
import { type PluginHook, pluginHooks } from './plugin-hooks.ts';
import { of, RegisteredTools, registeredHooks, unknownEvents } from './registered.ts';
import type { RegistrationMemory } from './registration-memory.ts';
import { StateStore } from './state-store.ts';
import type { Plugin } from './types.ts';

/** Milliseconds of a command, and of a question to a model. */
const COMMAND = 30_000;
const QUESTION = 600_000;

const commandAnswer = z
  .looseObject({ prompt: z.string().max(100_000).exactOptional(), message: z.string().max(10_000).exactOptional() })
  .nullable();

export interface RunningParts {
  readonly of: PluginParts;
  readonly memory: RegistrationMemory;
  /** Stands for the plugin's bytes and its configuration. */
  readonly identity: string;
  /** It is started to tell what it registers, whatever is remembered of it. */
  readonly fresh: boolean;
  /** Asked before its process starts and before each of its commands runs: allowed exactly as it is on disk now. */
  mayRun(): Promise<boolean>;
  /** Names of slash commands that are somebody else's. */
  takenCommands(): ReadonlySet<string>;
  /** What it gives or how it does has changed. */
  changed(): void;
}

/** A plugin that the user has allowed, while it is loaded: its hooks, its tools, its process. */
export class RunningPlugin {
  readonly plugin: Plugin;
  readonly identity: string;
  readonly #parts: RunningParts;
  readonly #state: StateStore;
  readonly #tools: RegisteredTools;
  readonly #told = new Set<string>();
  readonly #data: string;
  #runtime: PluginRuntime | undefined;
  #fileHooks: readonly PluginHook[] = [];
  #codeHooks: readonly Hook[] = [];
  #skills: readonly string[] = [];
  /** Keys of commands whose name was somebody else's when they were registered. */
  #refused: ReadonlySet<string> = new Set();
  #warnings: readonly string[] = [];
  #closed = false;

  constructor(plugin: Plugin, parts: RunningParts) {
    this.plugin = plugin;
    this.identity = parts.identity;
    this.#parts = parts;
    this.#data = join(parts.of.dataFolder, 'data', plugin.id);
    this.#state = new StateStore(join(parts.of.dataFolder, 'state'), plugin.id, parts.of.folders());
    this.#tools = new RegisteredTools(plugin, (key, payload, call) => this.#call(key, payload, call));
  }

  /** Registers what it has. Never rejects: what is wrong is in `state` and `warnings`. */
  async load(): Promise<void> {
    const { of: parts, memory, identity, fresh } = this.#parts;
    const { plugin } = this;
    await mkdir(this.#data, { recursive: true });
    const { values, problems } = configValues(plugin.config, parts.settings().config[plugin.id]);
    const declared = pluginHooks(plugin, {
      hooks: parts.hookParts,
      rulesOf: parts.rulesOf,
      data: this.#data,
      options: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
      mayRun: () => this.#parts.mayRun(),
    });
    await prepareConditions(declared.hooks.map((hook) => hook.declared));
    this.#fileHooks = declared.hooks;
    this.#warnings = [...problems.map((problem) => `Its configuration: ${problem}.`), ...declared.warnings];
    if (plugin.main !== undefined) {
      this.#runtime = this.#newRuntime(fresh ? undefined : await memory.recall(plugin.id, identity), values);
      if (this.#closed) return;
      await this.#runtime.load().catch((error: unknown) => {
        parts.log.warn(
          `The plugin ${plugin.id} could not be loaded: ${error instanceof Error ? error.message : error}`,
        );
      });
    }
    await this.#apply();
  }

  get process(): RuntimeState | undefined {
    return this.#runtime?.state;
  }

  get warnings(): readonly string[] {
    return [...this.plugin.warnings, ...this.#warnings, ...this.#told];
  }

  get registrations(): ReadonlyMap<string, Registration> {
    return this.#runtime?.registrations ?? new Map();
  }

  get fileHooks(): readonly PluginHook[] {
    return this.#fileHooks;
  }

  /** Starts it anew after it was given up. */
  async restart(): Promise<void> {
    this.#told.clear();
    await this.#runtime?.restart();
    await this.#apply();
  }

  folders(): readonly CustomisationFolder[] {
    return this.#skills.map((path) => ({ path, holds: 'skills' as const, source: this.#source }));
  }

  sections(): readonly {
    readonly source: { is: 'plugin'; plugin: string };
    readonly title: string;
    readonly text: string;
  }[] {
    return of(this.registrations, 'section').map(([, { title, text }]) => ({ source: this.#source, title, text }));
  }

  commands(): readonly ProvidedCommand[] {
    const used = of(this.registrations, 'command').filter(([key]) => !this.#refused.has(key));
    return used.map(([key, { name, description, argumentHint }]) => ({
      name,
      description,
      plugin: this.plugin.id,
      ...(argumentHint === undefined ? {} : { argumentHint }),
      run: async (args, signal) =>
        commandAnswer.parse(await this.#call(key, args, { limit: COMMAND, signal, sessionId: '' })) ?? {},
    }));
  }

  /** Takes everything back and ends its process. Resolves when it is gone. */
  async close(): Promise<void> {
    const { hooks, tools } = this.#parts.of;
    hooks.replace(this.#owner, []);
    tools.provide(this.#owner, []);
    await this.retire();
  }

  /** Only ends its process: another version of it has taken the place of its hooks and tools. */
  async retire(): Promise<void> {
    this.#closed = true;
    await this.#runtime?.close();
  }

  get #owner(): string {
    return `plugin:${this.plugin.id}`;
  }

  get #source() {
    return { is: 'plugin' as const, plugin: this.plugin.id };
  }

  #hooks(): readonly Hook[] {
    return [...this.#codeHooks, ...this.#fileHooks.flatMap(({ hook }) => hook ?? [])];
  }

  /** Gives what is registered to the window. One that is given up keeps its guards: they refuse. */
  async #apply(): Promise<void> {
    const { hooks, tools, settings } = this.#parts.of;
    const { plugin, registrations } = this;
    const isOver = this.#runtime?.state.is === 'broken';
    const code = registeredHooks(plugin, registrations, (key, payload, call) => this.#call(key, payload, call));
    const offered = this.#tools.of(registrations, (why) => this.#tell(why));
    this.#skills = await this.#skillFolders(registrations);
    if (this.#closed) return;
    this.#codeHooks = isOver ? code.filter(({ failClosed }) => failClosed) : code;
    hooks.replace(this.#owner, this.#hooks());
    const replaces = new Set(settings().mayReplaceTools[plugin.id] ?? []);
    for (const { name } of tools.provide(this.#owner, isOver ? [] : offered, replaces)) {
      this.#tell(`The tool name "${name}" is taken, so the plugin's tool is not used. Choose another name for it.`);
    }
    this.#refused = this.#takenCommands(registrations);
    for (const event of unknownEvents(registrations)) this.#tell(`There is no hook "${event}" here: it never fires.`);
    for (const name of unpromised(plugin, registrations)) {
      this.#warn(`It registers ${name}, which "provides" in its manifest does not name.`);
    }
    this.#parts.changed();
  }

  #takenCommands(registrations: ReadonlyMap<string, Registration>): ReadonlySet<string> {
    const taken = this.#parts.takenCommands();
    const refused = of(registrations, 'command').filter(([, { name }]) => taken.has(name));
    for (const [, { name }] of refused) {
      this.#tell(`The command /${name} is taken, so the plugin's command is not used. Choose another name for it.`);
    }
    return new Set(refused.map(([key]) => key));
  }

  async #skillFolders(registrations: ReadonlyMap<string, Registration>): Promise<readonly string[]> {
    const folders: string[] = [];
    for (const [, { folder }] of of(registrations, 'skill')) {
      const at = await insidePlugin(this.plugin.root, folder);
      if (at.ok) folders.push(at.path);
      else this.#tell(`Its skill is not used: ${at.why}.`);
    }
    return folders;
  }

  #call(
    key: string,
    payload: unknown,
    call: { limit: number; signal: AbortSignal; sessionId: string },
  ): Promise<unknown> {
    if (!this.#runtime || this.#closed) return Promise.reject(new HookFailure('aborted', 'The plugin was unloaded.'));
    return this.#runtime.call(key, payload, call);
  }

  #newRuntime(
    remembered: ReadonlyMap<string, Registration> | undefined,
    config: Readonly<Record<string, unknown>>,
  ): PluginRuntime {
    const { of: parts, memory, identity } = this.#parts;
    const { plugin } = this;
    const { id, version, root, main = '' } = plugin;
    return new PluginRuntime({
      clock: parts.clock,
      remembered,
      process: async () => {
        if (!(await this.#parts.mayRun())) {
          throw new HookFailure(
            'spawn',
            `The plugin ${id} was changed since you allowed it, or is not allowed any more.`,
          );
        }
        const { memory: megabytes, secretEnv } = parts.settings();
        return {
          entry: parts.entry,
          memory: megabytes,
          environment: parts.environment,
          ...(parts.record ? { record: parts.record } : {}),
          secretEnv,
          variables: rootVariables({
            surroundings: parts.hookParts.surroundings,
            plugin: () => ({ root, data: this.#data }),
          }),
          start: {
            plugin: { id, version, root },
            main,
            folders: parts.folders(),
            config,
            state: await this.#state.read(),
          },
        };
      },
      log: (level, message) => parts.pluginLog(id)[level](message),
      request: (request, signal) => this.#answer(request, signal),
      changed: () => void this.#apply(),
      remember: (registrations) => void memory.remember(id, identity, registrations),
      problem: (words) => this.#tell(words),
      stateChanged: () => {
        if (this.#runtime?.state.is === 'broken') void this.#apply();
        else this.#parts.changed();
      },
    });
  }

  async #answer(request: PluginRequest, signal: AbortSignal): Promise<unknown> {
    switch (request.is) {
      case 'complete': {
        const { is: _, model, ...question } = request;
        this.#mayAsk(model);
        const asked = { ...question, ...(model === undefined ? {} : { model }) };
        const { text, model: by } = await this.#parts.of.completion.complete(
          asked,
          AbortSignal.any([signal, AbortSignal.timeout(QUESTION)]),
        );
        return { text, model: by };
      }
      case 'state.set':
        return await this.#state.set(request.key, request.value);
      case 'state.delete':
        return await this.#state.set(request.key, undefined);
      default:
        return request satisfies never;
    }
  }

  #mayAsk(model: string | undefined): void {
    if (model === undefined) return;
    const { id } = this.plugin;
    const allowed = this.#parts.of.settings().models[id] ?? [];
    if (allowed.includes('*') || allowed.includes(model)) return;
    throw new Error(
      `The plugin ${id} may ask the active model only. To allow ${model}, add it under "${id}" in the setting midcourse.plugins.models.`,
    );
  }

  /** Told to the user once, and kept for the list. */
  #tell(words: string): void {
    if (this.#told.has(words)) return this.#parts.of.log.debug(`The plugin ${this.plugin.id} again: ${words}`);
    this.#parts.of.pluginLog(this.plugin.id).error(words);
    this.#parts.of.problem({ plugin: this.plugin.id, words, isOver: this.#runtime?.state.is === 'broken' });
    this.#warn(words);
  }

  #warn(words: string): void {
    this.#told.add(words);
    this.#parts.changed();
  }
}

/** What a plugin registers beside what it says that it does, when it says anything of that kind. */
function unpromised({ provides }: Plugin, registrations: ReadonlyMap<string, Registration>): readonly string[] {
  const beside = (said: readonly string[], names: readonly string[], what: string) =>
    said.length === 0 ? [] : names.filter((name) => !said.includes(name)).map((name) => `the ${what} ${name}`);
  return [
    ...beside(
      provides.hooks,
      of(registrations, 'hook').map(([, { event }]) => event),
      'hook',
    ),
    ...beside(
      provides.tools,
      of(registrations, 'tool').map(([, { name }]) => name),
      'tool',
    ),
    ...beside(
      provides.commands,
      of(registrations, 'command').map(([, { name }]) => name),
      'command',
    ),
  ];
}
