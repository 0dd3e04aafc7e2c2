/** The door to the hooks of files and the view *Hooks*. */

export type { HookEntry } from './hook-entry.ts';
export { HookRoom, type HookRoomParts } from './hook-room.ts';
