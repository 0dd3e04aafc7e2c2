/** The door to consent: what was allowed to run, by its definition and the bytes of its scripts. */

export { ConsentStore, type ConsentStoreParts, runStateOf } from './consent-store.ts';
export type { Starts, Unchecked } from './loaded/index.ts';
export { type CommandPlace, type NamedScripts, scriptsOfCommand } from './scripts-of-command.ts';
export type { BesideChange, Consent, Consentable, ConsentChange, ConsentPort, RunState } from './types.ts';
