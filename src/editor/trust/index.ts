/** The door to trust: whether hooks, plugins and servers of files may run in this window, and how the user is asked. */

export { type Look, look, lookOf } from './state-words.ts';
export { Trust, type TrustOwner, type TrustParts } from './trust.ts';
