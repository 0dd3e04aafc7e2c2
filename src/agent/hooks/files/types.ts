import type { Consentable, RunState } from '../../trust/index.ts';
import type { DeclaredHook } from '../dialects/types.ts';
import type { Dialect, Hook, HookSource } from '../types.ts';

/** A hook of a file, whether it runs or not. */
export interface ListedHook {
  /** That of its `Hook`, which its runs are listed under. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly declared: DeclaredHook;
  readonly dialect: Dialect;
  readonly source: HookSource;
  readonly state: RunState;
  /** What consent is asked for; absent where nothing could run. */
  readonly consentable?: Consentable;
  /** Registered: it runs when its event fires. */
  readonly hook?: Hook;
  readonly warnings: readonly string[];
  /** Files and folders whose change may change its state, absolute. */
  readonly watched: readonly string[];
}

/** A hook file as a whole. */
export interface ListedFile {
  /** Absolute. */
  readonly path: string;
  readonly scope: 'workspace' | 'user';
  readonly dialect: Dialect;
  /** Why none of its hooks can be read. */
  readonly broken?: string;
  /** 1-based, of what broke it. */
  readonly line?: number;
  readonly warnings: readonly string[];
}
