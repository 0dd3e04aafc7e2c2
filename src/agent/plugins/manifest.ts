import { basename } from 'node:path';
import { anyObject } from '../declarations/json-text.ts';
import { readDeclaration } from '../declarations/read-declaration.ts';
import { dialectOfHooksFile } from '../hooks/dialects/index.ts';
import type { Dialect } from '../hooks/types.ts';
import { breathe } from '../kernel/slices.ts';
import { AT_ONCE, readOffThread } from '../reading/index.ts';
import { CLAUDE_PLACES, claudeFormat } from './formats/claude.ts';
import { codexFormat } from './formats/codex.ts';
import { copilotFormat } from './formats/copilot.ts';
import type { Declared, Files, Folders, Format } from './formats/format.ts';
import { looseName } from './formats/manifest-parts.ts';
import { agentPluginsFormat, midcourseFormat } from './formats/midcourse.ts';
import { insidePlugin } from './inside.ts';
import { type JudgedManifest, judgeManifests, MANIFESTS, type ManifestText } from './manifest-text.ts';
import type { ListedPlugin } from './marketplace.ts';
import {
  type BrokenPlugin,
  isBroken,
  type Plugin,
  type PluginDeclaration,
  type PluginFormat,
  type PluginPlace,
  type ReadPlugin,
} from './types.ts';

/** What a folder without a manifest is known by as a Claude plugin. */
const USUAL = ['skills', 'commands', 'agents', 'hooks/hooks.json', '.mcp.json', '.lsp.json'];

const FORMATS: Readonly<Record<PluginFormat, Format>> = {
  midcourse: midcourseFormat,
  'agent-plugins': agentPluginsFormat,
  codex: codexFormat,
  claude: claudeFormat,
  copilot: copilotFormat,
};

/**
 * Reads a plugin's folder; nothing of it runs. Long manifests are judged in the thread for reading.
 *
 * @param listed what a marketplace says of it
 * @returns undefined when the folder is no plugin. Never rejects.
 */
export async function readPlugin(place: PluginPlace, listed?: ListedPlugin): Promise<ReadPlugin | undefined> {
  const plugin = await readWith(place, listed);
  if (!plugin || !listed || isBroken(plugin)) return plugin;
  return { ...plugin, listed: JSON.stringify(listed.manifest) };
}

async function readWith(place: PluginPlace, listed: ListedPlugin | undefined): Promise<ReadPlugin | undefined> {
  const alone = await findManifests(place.root);
  if ('broken' in alone) return broken(place, { broken: alone.broken });
  const found = listed ? withListed(alone, listed) : alone;
  const judged = found.texts.length > 0 ? await judge(found.texts) : undefined;
  if (judged === undefined) {
    const usual = await Promise.all(USUAL.map((path) => insidePlugin(place.root, path)));
    return usual.some(({ ok }) => ok) ? await completed(place, claudeFormat, CLAUDE_PLACES, undefined, []) : undefined;
  }
  const path = found.paths.get(judged.file);
  if ('broken' in judged) return broken(place, { ...(path ? { path } : {}), broken: judged.broken });
  const plugin = await completed(place, FORMATS[judged.format], judged.declared, path, judged.warnings);
  const { other } = judged;
  if (!other || 'broken' in other) return plugin;
  const second = FORMATS[other.format];
  const ofOther = await completed(place, second, other.declared, found.paths.get(other.file), other.warnings);
  const counts = hooksOf(ofOther) > hooksOf(plugin) ? ofOther : plugin;
  return isBroken(counts) ? counts : { ...counts, warnings: [...counts.warnings, chosenOf(judged, other, counts)] };
}

/** How much the hooks of a plugin say: commands, addresses and prompts that its files name. */
function hooksOf(plugin: ReadPlugin): number {
  if (isBroken(plugin)) return 0;
  return plugin.hookFiles.reduce(
    (sum, { text }) => sum + (text.match(/"(?:command|url|prompt)"\s*:/g)?.length ?? 0),
    0,
  );
}

function chosenOf(one: JudgedManifest, other: JudgedManifest, { format }: Plugin): string {
  const named = format === 'codex' ? other.file : one.file;
  const [left, why] =
    format === 'codex' ? [one.file, 'as its hooks say more'] : [other.file, 'as its hooks say no less'];
  return `It has two manifests. ${named} is used, ${why}; ${left} is not.`;
}

/** An entry of a marketplace stands for a manifest, or beside one: what the plugin says itself counts more. */
function withListed({ texts, paths }: FoundManifests, { path, manifest }: ListedPlugin): FoundManifests {
  const file = '.claude-plugin/plugin.json';
  const own = texts.find((one) => one.file === file);
  if (!own && texts.length > 0) return { texts, paths };
  const said = own ? anyObject.safeParse(parsedOr(own.text)) : undefined;
  if (said && !said.success) return { texts, paths };
  const text = JSON.stringify({ ...manifest, ...said?.data });
  return {
    texts: [...texts.filter((one) => one !== own), { file, text }],
    paths: own ? paths : new Map([...paths, [file, path]]),
  };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface FoundManifests {
  readonly texts: readonly ManifestText[];
  /** Absolute, with all links resolved. */
  readonly paths: ReadonlyMap<ManifestText['file'], string>;
}

async function findManifests(root: string): Promise<FoundManifests | { readonly broken: string }> {
  const texts: ManifestText[] = [];
  const paths = new Map<ManifestText['file'], string>();
  for (const file of MANIFESTS) {
    const at = await insidePlugin(root, file);
    if (!at.ok && at.missing) continue;
    if (!at.ok) return { broken: `Its manifest cannot be used: ${at.why}.` };
    paths.set(file, at.path);
    try {
      texts.push({ file, text: await readDeclaration(at.path) });
    } catch (error) {
      return { broken: `Its manifest ${file} cannot be read: ${words(error)}.` };
    }
  }
  return { texts, paths };
}

async function judge(texts: readonly ManifestText[]): Promise<JudgedManifest | undefined> {
  if (texts.reduce((sum, { text }) => sum + text.length, 0) <= AT_ONCE) {
    await breathe();
    return judgeManifests(texts);
  }
  const read = await readOffThread({ is: 'manifests', texts });
  const [{ file } = { file: MANIFESTS[0] }] = texts;
  if ('why' in read) return { file, broken: `Its manifest ${file} cannot be read: ${read.words}.` };
  return read.manifest;
}

async function completed(
  place: PluginPlace,
  format: Format,
  declared: Declared,
  manifest: string | undefined,
  unknown: readonly string[],
): Promise<ReadPlugin> {
  const { root } = place;
  const warnings = [...unknown];
  const id = manifest === undefined ? basename(root) : (declared.name ?? basename(root));
  if (!looseName.safeParse(id).success) {
    return broken(place, { broken: `"${id}" is no name for a plugin: use 1 to 64 letters, digits, "-", "_" and ".".` });
  }
  const reader = new PartReader(root, manifest ?? root);
  const main = declared.main === undefined ? undefined : await reader.needed(declared.main);
  const skills = await reader.folders(declared.skills);
  const commands = await reader.folders(declared.commands);
  const agents = await reader.folders(declared.agents);
  const hooks = await reader.files(declared.hooks);
  const mcp = await reader.files(declared.mcp);
  const languageServers = await reader.files(declared.languageServers);
  const [problem] = reader.problems;
  if (problem !== undefined) return broken(place, { ...(manifest ? { path: manifest } : {}), broken: `${problem}.` });
  const { label = id, version = '', description = '', author, homepage, config } = declared;
  const hookFiles = await Promise.all(
    hooks.map(async (part) => ({ ...part, dialect: await dialectOf(part.text, format) })),
  );
  return {
    ...place,
    id,
    label,
    format: format.format,
    version,
    description,
    ...(author === undefined ? {} : { author }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(manifest === undefined ? {} : { manifest }),
    ...(main === undefined ? {} : { main }),
    requires: declared.requires ?? [],
    provides: declared.provides ?? { hooks: [], tools: [], commands: [] },
    ...(config === undefined ? {} : { config }),
    hookFiles,
    mcp,
    languageServers,
    skills,
    commands,
    agents,
    warnings,
  } satisfies Plugin;
}

/** Copilot's hooks are told by their text: long ones in the thread for reading, which says why where it cannot. */
async function dialectOf(text: string, { dialect }: Format): Promise<Dialect> {
  if (dialect !== 'shared') return dialect;
  if (text.length <= AT_ONCE) return dialectOfHooksFile(text);
  const read = await readOffThread({ is: 'hooks', dialect, text, most: 0 });
  return ('hooks' in read ? read.hooks?.dialect : undefined) ?? 'copilot';
}

interface ReadPart extends PluginDeclaration {
  readonly inline: boolean;
}

/** Reads what a manifest names. What is named and cannot be used makes the plugin broken. */
class PartReader {
  readonly problems: string[] = [];
  readonly #root: string;
  readonly #manifest: string;

  constructor(root: string, manifest: string) {
    this.#root = root;
    this.#manifest = manifest;
  }

  async needed(path: string): Promise<string | undefined> {
    const at = await insidePlugin(this.#root, path);
    if (at.ok) return at.path;
    this.problems.push(`It cannot be used: ${at.why}`);
    return undefined;
  }

  async folders({ usual, named }: Folders): Promise<readonly string[]> {
    const found = [
      ...(await Promise.all(usual.map((path) => this.#usual(path)))),
      ...(await Promise.all(named.map((path) => this.needed(path)))),
    ];
    return [...new Set(found.filter((path) => path !== undefined))];
  }

  async files({ usual, named, inline }: Files): Promise<readonly ReadPart[]> {
    const paths = await this.folders({ usual, named });
    const read = await Promise.all(paths.map((path) => this.#text(path)));
    const inside = inline.map((text) => ({ path: this.#manifest, text, inline: true }));
    return [...read.filter((part) => part !== undefined), ...inside];
  }

  /** A usual place may be missing, but it may not lead out either. */
  async #usual(path: string): Promise<string | undefined> {
    const at = await insidePlugin(this.#root, path);
    if (at.ok) return at.path;
    if (!at.missing) this.problems.push(`It cannot be used: ${at.why}`);
    return undefined;
  }

  async #text(path: string): Promise<ReadPart | undefined> {
    try {
      return { path, text: await readDeclaration(path), inline: false };
    } catch (error) {
      this.problems.push(`${basename(path)} cannot be read: ${words(error)}`);
      return undefined;
    }
  }
}

function broken(
  place: PluginPlace,
  { path, broken: why }: { readonly path?: string; readonly broken: string },
): BrokenPlugin {
  const name = basename(place.root);
  return { ...place, id: name, ...(path === undefined ? {} : { manifest: path }), broken: why };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
