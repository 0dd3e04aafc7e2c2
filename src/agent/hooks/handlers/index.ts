export { rootVariables } from './environment.ts';
export { hookId, hookOf, nameOf } from './hook-of.ts';
export { HookProcesses } from './processes.ts';
export { splitWords } from './split-words.ts';
export type { HookParts, PluginFolders } from './types.ts';
