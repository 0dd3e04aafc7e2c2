import type { Starts, Unchecked } from './loaded/types.ts';

/**
 * Consent for what others wrote and this window would run: hooks, plugins, MCP servers, language servers
 * (hooks.md section 7).
 */

/** Something that would run. */
export interface Consentable {
  /** The same over reloads and changes of the definition: kind, file and place in it. */
  readonly id: string;
  readonly kind: 'hook' | 'plugin' | 'mcp_server' | 'language_server';
  /** For people. */
  readonly title: string;
  readonly scope: 'workspace' | 'user';
  /** The file that declares it, absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  /** What would run, in words and lines: the command with its arguments, the address. */
  readonly wouldRun: string;
  /** JSON: everything of the definition that changes what runs. */
  readonly definition: unknown;
  /** Absolute paths of the files whose bytes count: scripts that the command names, the files of a plugin. */
  readonly files: readonly string[];
  /** What it starts with: what that loads is looked for, and counts as well. Absent where `files` are all. */
  readonly starts?: Starts;
  /**
   * Absolute; files below it count by their place in it, so that the same bytes in another checkout need no second
   * question. The folder of `path` by default.
   */
  readonly root?: string;
}

/** What consent would be given to, as it is now. */
interface Shown {
  readonly hash: string;
  /** All files whose bytes count, absolute: those of the thing, and what they load as far as it is found. */
  readonly files: readonly string[];
  /** What it loads and is not found by reading: it may change unseen. */
  readonly unchecked: readonly Unchecked[];
}

export type Consent = Shown &
  (
    | {
        readonly is: 'allowed';
        /** Files beside its own that changed since; looked at where not all of what it loads is checked. */
        readonly beside: readonly BesideChange[];
      }
    | { readonly is: 'waiting' }
    /** It was allowed once and is not the same any more. */
    | { readonly is: 'changed'; readonly changed: readonly ConsentChange[] }
  );

/** A file in the folder of a script that is none of those that count. */
export interface BesideChange {
  /** Absolute. */
  readonly path: string;
  readonly how: 'changed' | 'added' | 'removed';
}

export interface ConsentChange {
  /** `definition`, or the path of a file: absolute, or below the root when it does not belong to it any more. */
  readonly what: string;
  /** As it was when it was allowed; undefined when it was not kept (over 256 KiB, or not text) or was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What is listed of anything that may run, with its state and, when it does not run, why. */
export type RunState =
  | {
      readonly is: 'active';
      /** Absent where all that it loads is checked, or nothing is known of it. */
      readonly unchecked?: readonly Unchecked[];
      /** Absent where nothing beside it changed. */
      readonly beside?: readonly BesideChange[];
    }
  | { readonly is: 'waiting' }
  | { readonly is: 'changed'; readonly changed: readonly ConsentChange[] }
  | { readonly is: 'untrusted' }
  | { readonly is: 'disabled' }
  | { readonly is: 'broken'; readonly why: string }
  | { readonly is: 'unsupported'; readonly why: string };

export interface ConsentPort {
  /** Reads the files; the hash is SHA-256 of the definition and of their bytes. */
  check(of: Consentable): Promise<Consent>;
  /** @param hash the one that was shown: refused (false) when the thing has changed since */
  allow(of: Consentable, hash: string): Promise<boolean>;
  revoke(of: Pick<Consentable, 'id'>): Promise<void>;
}
