/**
 * `.claude-plugin/marketplace.json`: a list of plugins, some of which are declared only there. Those that lie beside it are
 * read; what has to be fetched from elsewhere is left out and said.
 */

import { join } from 'node:path';
import * as z from 'zod';
import { issuesOf, readJsonText } from '../declarations/json-text.ts';
import { readDeclaration } from '../declarations/read-declaration.ts';
import { spellingProblem } from './inside.ts';

export interface ListedPlugin {
  /** Of its folder, below the marketplace; `.` where the marketplace is the plugin itself. */
  readonly source: string;
  /** Absolute path of the marketplace's file. */
  readonly path: string;
  /** The entry as a manifest of Claude Code would say it. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

export interface Marketplace {
  readonly listed: readonly ListedPlugin[];
  /** What is not used of it, and why. */
  readonly skipped: readonly string[];
}

/** Plugins of one marketplace that are read. */
const MOST = 500;

const marketplace = z.looseObject({
  metadata: z.looseObject({ pluginRoot: z.string().exactOptional() }).exactOptional(),
  plugins: z.array(z.unknown()).max(MOST),
});

const entry = z.looseObject({ name: z.string(), source: z.union([z.string(), z.looseObject({})]) });

/** What an entry says of itself as a part of the list, which no manifest has. */
const OF_THE_LIST = new Set(['source', 'category', 'tags', 'strict']);

/** Undefined where the folder is no marketplace. Never rejects. */
export async function readMarketplace(folder: string): Promise<Marketplace | undefined> {
  const path = join(folder, '.claude-plugin', 'marketplace.json');
  let text: string;
  try {
    text = await readDeclaration(path);
  } catch {
    return undefined;
  }
  const json = readJsonText(text);
  const parsed = marketplace.safeParse(typeof json === 'string' ? undefined : json.value);
  if (typeof json === 'string') return { listed: [], skipped: [`its marketplace.json is not JSON: ${json}`] };
  if (!parsed.success) {
    return { listed: [], skipped: [`its marketplace.json cannot be used: ${issuesOf(parsed.error)}`] };
  }
  const listed: ListedPlugin[] = [];
  const skipped: string[] = [];
  for (const [at, one] of parsed.data.plugins.entries()) {
    const read = entry.safeParse(one);
    if (!read.success) {
      skipped.push(`plugins[${at}] of its marketplace.json cannot be used: ${issuesOf(read.error)}`);
      continue;
    }
    const { name, source } = read.data;
    if (typeof source !== 'string') {
      skipped.push(`the plugin ${name} has to be fetched from elsewhere; put its folder here to use it`);
      continue;
    }
    const below = join(parsed.data.metadata?.pluginRoot ?? '.', source).replace(/[\\/]+$/, '');
    const problem = below === '.' ? undefined : spellingProblem(below);
    if (problem !== undefined) {
      skipped.push(`the source of the plugin ${name} ${problem}`);
      continue;
    }
    const manifest = Object.fromEntries(Object.entries(read.data).filter(([key]) => !OF_THE_LIST.has(key)));
    listed.push({ source: below, path, manifest });
  }
  return { listed, skipped };
}
