/** What the first use loads, as one chunk. */

export { followActivity } from './activity.ts';
export { ChatPages } from './chat-view.ts';
export { openCore } from './core.ts';
