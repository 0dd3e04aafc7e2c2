/** The door to trust: whether hooks, plugins and servers of files may run in this window, and how the user is asked. */

export { caveatOf } from './loaded-words.ts';
export { type Look, look, lookOf, withCaveat } from './state-words.ts';
export { Trust, type TrustOwner, type TrustParts } from './trust.ts';
