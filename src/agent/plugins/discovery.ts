import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderEntries } from '../kernel/folder-entries.ts';
import { isInside } from './inside.ts';
import { readPlugin } from './manifest.ts';
import { type ListedPlugin, type Marketplace, readMarketplace } from './marketplace.ts';
import { isBroken, type PluginPlace, type ReadPlugin } from './types.ts';

export interface PluginHome {
  /** Absolute: `<workspace>/.midcourse/plugins` or `~/.midcourse/plugins`. */
  readonly path: string;
  readonly scope: 'workspace' | 'user';
  /** The workspace folder, for `scope: 'workspace'`. */
  readonly folder?: string;
}

export interface Discovered {
  /** Alphabetical by folder in each home; the user's before those of the workspace. Ids are unique. */
  readonly plugins: readonly ReadPlugin[];
  /** Folders that hold no plugin, for the log. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** Entries of one home, or of one category, that are looked at. */
const MOST_FOLDERS = 2000;

/**
 * Reads `<home>/<name>` and `<home>/<category>/<name>`; what lies deeper is not looked at. Nothing runs. Never rejects:
 * a folder that cannot be read is listed as broken or skipped with the reason.
 */
export async function discoverPlugins(homes: readonly PluginHome[]): Promise<Discovered> {
  const users = homes.filter(({ scope }) => scope === 'user');
  const skipped: { path: string; why: string }[] = [];
  const found: ReadPlugin[] = [];
  for (const home of [...users, ...homes.filter(({ scope }) => scope === 'workspace')]) {
    for (const name of await folderNames(home.path, skipped)) {
      found.push(...(await readEntry(home, name, skipped)));
    }
  }
  return { plugins: unique(found), skipped };
}

async function readEntry(home: PluginHome, name: string, skipped: Skipped): Promise<readonly ReadPlugin[]> {
  const path = join(home.path, name);
  const market = await readMarketplace(path);
  const listed = market ? await readListed(home, path, market, skipped) : [];
  const here = market?.listed.some(({ source }) => source === '.') ? undefined : await readAt(home, path);
  if (here || listed.length > 0) return [...(here ? [here] : []), ...listed];
  const below: ReadPlugin[] = [];
  for (const inner of await folderNames(path, skipped)) {
    const plugin = await readAt(home, join(path, inner));
    if (plugin) below.push(plugin);
    else skipped.push({ path: join(path, inner), why: 'it holds no plugin; folders below it are not looked at' });
  }
  if (below.length === 0) skipped.push({ path, why: 'it holds no plugin' });
  return below;
}

/** A marketplace that lies in the home as a whole: its plugins are those that it lists and brings. */
async function readListed(
  home: PluginHome,
  path: string,
  { listed, skipped: left }: Marketplace,
  skipped: Skipped,
): Promise<readonly ReadPlugin[]> {
  skipped.push(...left.map((why) => ({ path, why })));
  const plugins: ReadPlugin[] = [];
  for (const entry of listed) {
    const plugin = await readAt(home, join(path, entry.source), entry);
    if (plugin) plugins.push(plugin);
  }
  return plugins;
}

async function readAt(home: PluginHome, path: string, listed?: ListedPlugin): Promise<ReadPlugin | undefined> {
  const { scope, folder } = home;
  const common = { scope, ...(folder === undefined ? {} : { folder }) };
  try {
    const root = await realpath(path);
    const place: PluginPlace = { root, ...common };
    // The user may link a plugin that they work on; a repository that brings a link to elsewhere may not.
    if (scope === 'workspace' && folder !== undefined && !isInside(await realpath(folder), root)) {
      const id = path.slice(home.path.length + 1);
      return { ...place, root: path, id, broken: 'Its folder is a link that leads out of the workspace.' };
    }
    return await readPlugin(place, listed);
  } catch (error) {
    return {
      root: path,
      ...common,
      id: path.slice(home.path.length + 1),
      broken: `Its folder cannot be read: ${words(error)}.`,
    };
  }
}

type Skipped = { path: string; why: string }[];

async function folderNames(path: string, skipped: Skipped): Promise<readonly string[]> {
  try {
    const entries = await folderEntries(path, MOST_FOLDERS);
    const folders = await Promise.all(
      entries.map(async (entry) => {
        if (/^(\.|__)|^node_modules$/.test(entry.name)) return false;
        if (!entry.isSymbolicLink()) return entry.isDirectory();
        return await stat(join(path, entry.name)).then(
          (at) => at.isDirectory(),
          () => false,
        );
      }),
    );
    return entries.filter((_, index) => folders[index]).map(({ name }) => name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT') skipped.push({ path, why: `it cannot be read (${words(error)})` });
    return [];
  }
}

/**
 * The first one keeps the name, and the user's come first: nothing of a workspace may take the place of what the user
 * has chosen to run.
 */
function unique(plugins: readonly ReadPlugin[]): readonly ReadPlugin[] {
  const first = new Map<string, ReadPlugin>();
  return plugins.map((plugin) => {
    const other = first.get(plugin.id);
    if (!other) {
      if (!isBroken(plugin)) first.set(plugin.id, plugin);
      return plugin;
    }
    if (isBroken(plugin)) return plugin;
    const { root, scope, folder, id, manifest } = plugin;
    return {
      root,
      scope,
      ...(folder === undefined ? {} : { folder }),
      ...(manifest === undefined ? {} : { manifest }),
      id: `${id} (${scope})`,
      broken: `Another plugin is called ${id}: ${other.root}. Only that one is used; change the name in one of the manifests.`,
    };
  });
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
