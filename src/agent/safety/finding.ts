import type { Danger } from '../../api.ts';

/** Something that speaks against a command. Its parts are places in the text that was looked at. */
export interface Finding extends Danger {
  /** `blocked`: never runs. `always`: asks every time. */
  readonly level: 'blocked' | 'always';
}
