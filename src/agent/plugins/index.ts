/** The door to plugins: folders that bring hooks, tools, commands, skills and servers, and code that runs beside the window. */

export { type ConfigProperty, type ConfigSchema, configProblem, configValues } from './config-schema.ts';
export { type Discovered, discoverPlugins, type PluginHome } from './discovery.ts';
export type { RuntimeState } from './host/plugin-runtime.ts';
export type { Registration } from './host/protocol.ts';
export type { PluginParts, PluginProblem } from './parts.ts';
export type { PluginHook } from './plugin-hooks.ts';
export { type ListedPlugin, PluginSet } from './plugin-set.ts';
export type { PluginSettings } from './plugin-settings.ts';
export { type BrokenPlugin, isBroken, type Plugin, type ReadPlugin } from './types.ts';
