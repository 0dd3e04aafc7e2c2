/** The door to the plugins of the window. */

export { editConfig } from './config-form.ts';
export { nameProblem, writePlugin } from './create-plugin.ts';
export { pluginHomes } from './plugin-places.ts';
export { PluginRoom } from './plugin-room.ts';
export type { PluginNode } from './plugins-view.ts';
