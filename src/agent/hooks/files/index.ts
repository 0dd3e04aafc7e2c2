/** The door to hook files: those of the user and the workspace, listed with their states, run once they are allowed. */

export { HookFiles, type HookFilesParts } from './hook-files.ts';
export type { ListedFile, ListedHook } from './types.ts';
