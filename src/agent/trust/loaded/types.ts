/** What a script or a command loads, as far as it can be found by reading it. */

import type { CommandPlace, NamingCommand } from '../scripts-of-command.ts';
import type { Probe } from './probe.ts';

/** How a file is read: by its ending, its first line, or by what runs it. */
export type Language =
  | 'javascript'
  | 'python'
  | 'shell'
  | 'ruby'
  | 'perl'
  | 'php'
  | 'lua'
  | 'powershell'
  | 'package'
  | 'makefile'
  | 'justfile'
  | 'taskfile'
  | 'denofile';

/** A file that is loaded. */
export interface Use {
  /** Absolute; it need not be there yet. */
  readonly path: string;
  /** Undefined: its ending and its first line tell. */
  readonly as?: Language;
  /** The folder that it runs in, absolute. */
  readonly cwd: string;
  /** Of a file that holds many commands, the names of those that run; undefined for all. */
  readonly only?: readonly string[];
}

/** Something that is loaded and cannot be found by reading. */
export interface Unchecked {
  readonly code: /** A name that only exists when it runs: a variable, a search for files, code in text. */
    | 'computed'
    /** A package, from `node_modules`, another place of packages, or the network. */
    | 'package'
    /** A program that works with whatever is in the workspace: a build, a test runner. */
    | 'tool'
    /** A script that starts other programs by itself. */
    | 'programs'
    /** A program, or a language, that is not read here. */
    | 'unread'
    /** More than is looked through. */
    | 'too_much';
  /** What it is, as it is written: a name, a line, a path. */
  readonly of: string;
  /** Folders whose files it may be, absolute. */
  readonly folders?: readonly string[];
}

export interface Loads {
  readonly uses: readonly Use[];
  readonly unchecked: readonly Unchecked[];
}

/** What a thing that needs consent starts with. */
export interface Starts {
  readonly command?: NamingCommand;
  readonly place: CommandPlace;
  /** Files that it runs whatever its command says, absolute. */
  readonly scripts?: readonly string[];
  /** A folder all of whose files belong to the thing anyway, absolute: packages in it are known. */
  readonly within?: string;
}

/** A file that is looked through. */
export interface Source extends Use {
  readonly text: string;
}

/** What finders look with. */
export interface Looking {
  readonly probe: Probe;
  readonly within: string | undefined;
  /** What a text in that language loads, as if it were in a file there. */
  ofText(source: Source & { readonly as: Language }): Promise<Loads>;
  /** What a command line loads. @param more variables whose values are known in it */
  ofCommand(command: NamingCommand, cwd: string, more?: Readonly<Record<string, string>>): Promise<Loads>;
}

/** Never rejects for what a file holds. */
export type Finder = (source: Source, looking: Looking) => Promise<Loads>;

export const nothing: Loads = { uses: [], unchecked: [] };

export function together(all: readonly Loads[]): Loads {
  return { uses: all.flatMap(({ uses }) => uses), unchecked: all.flatMap(({ unchecked }) => unchecked) };
}
