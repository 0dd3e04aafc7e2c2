/** What the user's settings say of plugins. No workspace can change any of it. */
export interface PluginSettings {
  /** False: plugins that workspaces bring are not looked at. */
  readonly ofWorkspaces: boolean;
  /** Megabytes of a process's heap. */
  readonly memory: number;
  /** By plugin: names of built-in tools that its own may take the place of. */
  readonly mayReplaceTools: Readonly<Record<string, readonly string[]>>;
  /** By plugin: `provider/model` that it may ask beside the active one; `*` for any. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** By plugin: values for its config schema. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of environment variables that hold model keys. */
  readonly secretEnv: readonly string[];
}
