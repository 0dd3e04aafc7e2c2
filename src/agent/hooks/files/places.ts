import { join } from 'node:path';
import { BY_HAND, folderEntries } from '../../kernel/folder-entries.ts';
import type { Dialect } from '../types.ts';
import { rootCheckoutOf } from './worktree.ts';

/** A place where hook files are looked for: one file, or all of a folder that fit. */
export interface HookFilePlace {
  readonly scope: 'workspace' | 'user';
  /** The workspace folder, or the home folder. Absolute. */
  readonly base: string;
  /** From the base, with slashes. */
  readonly path: string;
  /** Of a folder: the files in it that count. Absent: `path` is the file itself. */
  readonly files?: RegExp;
  readonly dialect: FileDialect;
}

/** `shared`: VS Code's and Copilot's, told apart by what the file says. */
type FileDialect = Exclude<Dialect, 'midcourse' | 'vscode' | 'copilot'> | 'shared';

/** A file that may hold hooks. It need not exist. */
export interface HookFile {
  /** Absolute. */
  readonly path: string;
  readonly scope: 'workspace' | 'user';
  /** The workspace folder that it belongs to; the home folder for one of the user. */
  readonly base: string;
  /** What names it in consents: the same for all worktrees of a repository. */
  readonly consentPath: string;
  /** It is run itself, for the event that it is named after. */
  readonly isScript: boolean;
  readonly dialect: FileDialect;
}

interface Kind {
  readonly user?: string;
  readonly workspace?: string;
  readonly files?: RegExp;
  readonly dialect: FileDialect;
  /** Only where the user asked for it. */
  readonly onlyWith?: 'cline';
}

/** In the order in which they are heard. */
const kinds: readonly Kind[] = [
  { user: '.claude/settings.json', workspace: '.claude/settings.json', dialect: 'claude' },
  { workspace: '.claude/settings.local.json', dialect: 'claude' },
  { user: '.codex/hooks.json', workspace: '.codex/hooks.json', dialect: 'codex' },
  {
    user: '.copilot/hooks',
    workspace: '.github/hooks',
    files: /\.json$/i,
    dialect: 'shared',
  },
  { user: '.hermes/config.yaml', workspace: '.hermes/config.yaml', dialect: 'hermes' },
  {
    user: 'Documents/Cline/Hooks',
    workspace: '.clinerules/hooks',
    files: /^[A-Za-z]+(?:\.\w+)?$/,
    dialect: 'cline',
    onlyWith: 'cline',
  },
];

/** The user's places, then those of each folder. */
export function placesOf(
  home: string,
  folders: readonly string[],
  wants: { readonly cline: boolean },
): readonly HookFilePlace[] {
  const wanted = kinds.filter(({ onlyWith }) => onlyWith === undefined || wants[onlyWith]);
  const at = (scope: 'workspace' | 'user', base: string): readonly HookFilePlace[] =>
    wanted.flatMap(({ [scope]: path, files, dialect }) =>
      path === undefined ? [] : [{ scope, base, path, dialect, ...(files && { files }) }],
    );
  // A home folder that is opened as a workspace brings nothing twice.
  const others = folders.filter((folder) => folder !== home);
  return [...at('user', home), ...others.flatMap((folder) => at('workspace', folder))];
}

/**
 * The files of a place, present or not. A linked worktree takes the hooks of its repository's root checkout: Codex'
 * always, the others where the worktree has none of its own.
 */
export async function filesOf(place: HookFilePlace): Promise<readonly HookFile[]> {
  const { base, scope, dialect } = place;
  const root = scope === 'workspace' ? await rootCheckoutOf(base) : undefined;
  const names = root === undefined ? await namesIn(base, place) : await namesIn(root, place);
  const own = root === undefined ? names : await namesIn(base, place);
  const all = [...new Set([...names, ...own])].sort();
  return all.map((name) => {
    const takesRoot = names.includes(name) && (dialect === 'codex' || !own.includes(name));
    return {
      path: join(takesRoot ? (root ?? base) : base, name),
      consentPath: join(root ?? base, name),
      scope,
      base,
      dialect,
      isScript: dialect === 'cline',
    };
  });
}

/** From the base; a single file is named only where it exists, unless nothing else could be meant. */
async function namesIn(base: string, { path, files }: HookFilePlace): Promise<readonly string[]> {
  const folder = files ? path : path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(path.lastIndexOf('/') + 1);
  const entries = await folderEntries(join(base, folder), BY_HAND).catch(noEntries);
  return entries
    .filter((entry) => !entry.isDirectory() && (files ? files.test(entry.name) : entry.name === name))
    .map((entry) => `${folder}/${entry.name}`);
}

/** A place that is not there, or may not be read, has no hooks. */
function noEntries(error: NodeJS.ErrnoException): [] {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(error.code ?? '')) return [];
  throw error;
}
