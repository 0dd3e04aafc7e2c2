/**
 * What a plugin's code is given. A plugin is a folder with a `plugin.json` whose `main` names a module with
 * `export function register(ctx: PluginContext)`. It runs in a process of its own.
 */

import type { HookEvent, HookHandler } from './hooks.js';

export type * from './hooks.js';

export interface Disposable {
  dispose(): unknown;
}

/** Called once when the plugin starts. Registrations made later count as well. */
export type Register = (ctx: PluginContext) => void | Promise<void>;

export interface PluginContext {
  readonly plugin: { readonly id: string; readonly version: string; readonly root: string };
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];

  registerHook<E extends HookEvent>(event: E, handler: HookHandler<E>, options?: HookOptions): Disposable;
  /** May not have a built-in tool's name, unless the user allows it (`midcourse.plugins.mayReplaceTools`). */
  registerTool<Input>(tool: PluginTool<Input>): Disposable;
  /** A slash command of the chat; a name that is taken is refused. */
  registerCommand(command: PluginCommand): Disposable;
  /** A folder with a `SKILL.md`, relative to the plugin's root. */
  registerSkill(folder: string): Disposable;
  /** At most 4,000 characters each, 8,000 together, 32 sections; it counts from the next session on. */
  registerSystemPromptSection(title: string, text: string): Disposable;

  readonly llm: PluginModel;
  readonly state: PluginState;
  /** The user's values for the plugin's config schema, defaults filled in. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly log: PluginLog;
  /** Called when the plugin is unloaded; has one second. */
  onUnload(callback: () => void | Promise<void>): void;
}

export interface HookOptions {
  /** A regular expression that has to match the whole name of the tool; tool events only. */
  readonly matcher?: string;
  /** Milliseconds; 30,000 by default, at most 600,000. `agent_loop_stopped`: 1,000, at most 3,000. */
  readonly timeout?: number;
  /** `pre_tool_call` only: a failure blocks the call. True by default. */
  readonly failClosed?: boolean;
}

export interface PluginTool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object, or a zod schema. */
  readonly input: Readonly<Record<string, unknown>> | { readonly _zod: { readonly output: Input } };
  /** True when it changes nothing: it runs without asking, and beside others. */
  readonly readOnly?: boolean;
  /** Milliseconds; 30,000 by default, at most 600,000. */
  readonly timeout?: number;
  run(input: Input, call: { readonly signal: AbortSignal; readonly sessionId: string }): string | Promise<string>;
}

export interface PluginCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** `prompt` is sent to the agent; `message` is shown to the user. */
  run(args: string): CommandAnswer | Promise<CommandAnswer>;
}

export interface CommandAnswer {
  readonly prompt?: string;
  readonly message?: string;
}

export interface PluginModel {
  /** The user's active model; another one only where `midcourse.plugins.models` allows it. */
  complete(request: {
    readonly prompt: string;
    readonly system?: string;
    readonly model?: string;
    readonly maxOutput?: number;
  }): Promise<{ readonly text: string; readonly model: string }>;
}

/** Kept over restarts, for each workspace; 1 MB at most. */
export interface PluginState {
  get<T = unknown>(key: string): T | undefined;
  /** The value has to be JSON. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface PluginLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
