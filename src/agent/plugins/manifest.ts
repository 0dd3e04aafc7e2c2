import { basename } from 'node:path';
import { readDeclaration } from '../declarations/read-declaration.ts';
import { CLAUDE_PLACES, claudeFormat } from './formats/claude.ts';
import { codexFormat } from './formats/codex.ts';
import { copilotFormat } from './formats/copilot.ts';
import type { Declared, Files, Folders, Format } from './formats/format.ts';
import { looseName, manifestProblem } from './formats/manifest-parts.ts';
import { agentPluginsFormat, isAgentPlugins, isOurs, midcourseFormat } from './formats/midcourse.ts';
import { insidePlugin } from './inside.ts';
import type { BrokenPlugin, Plugin, PluginDeclaration, PluginHooks, PluginPlace, ReadPlugin } from './types.ts';

/** What a folder without a manifest is known by as a Claude plugin. */
const USUAL = ['skills', 'commands', 'agents', 'hooks/hooks.json', '.mcp.json', '.lsp.json'];

/**
 * Reads a plugin's folder; nothing of it runs. A root `plugin.json` for Agent Plugins or Midcourse goes before
 * `.codex-plugin`, `.claude-plugin` and Copilot's own.
 *
 * @returns undefined when the folder is no plugin. Never rejects.
 */
export async function readPlugin(place: PluginPlace): Promise<ReadPlugin | undefined> {
  const found = await findManifest(place.root);
  if (found === undefined) return undefined;
  if ('broken' in found) return broken(place, found);
  const { format, path, text } = found;
  if (text === undefined) return await completed(place, claudeFormat, CLAUDE_PLACES, undefined, []);
  const parsed = format.read(text);
  if (!parsed.success) {
    return broken(place, { path, broken: `Its manifest cannot be used. ${manifestProblem(parsed.error)}.` });
  }
  const unknown = Object.keys(text).filter((field) => !format.fields.includes(field));
  const warnings = unknown.map((field) => `The manifest's field "${field}" is not known here and has no effect.`);
  return await completed(place, format, parsed.data, path, warnings);
}

type Found =
  | { readonly format: Format; readonly path: string; readonly text: Readonly<Record<string, unknown>> | undefined }
  | { readonly broken: string; readonly path: string };

async function findManifest(root: string): Promise<Found | undefined> {
  const top = await readManifest(root, 'plugin.json');
  if (top && 'broken' in top) return top;
  if (top && (isAgentPlugins(top.text.$schema) || isOurs(top.text))) {
    return { ...top, format: isOurs(top.text) ? midcourseFormat : agentPluginsFormat };
  }
  const places = [
    ['.codex-plugin/plugin.json', codexFormat],
    ['.claude-plugin/plugin.json', claudeFormat],
  ] as const;
  for (const [file, format] of places) {
    const read = await readManifest(root, file);
    if (read) return 'broken' in read ? read : { ...read, format };
  }
  if (top) return { ...top, format: copilotFormat };
  const older = await readManifest(root, '.plugin/plugin.json');
  if (older) return 'broken' in older ? older : { ...older, format: copilotFormat };
  const usual = await Promise.all(USUAL.map((path) => insidePlugin(root, path)));
  return usual.some(({ ok }) => ok) ? { format: claudeFormat, path: root, text: undefined } : undefined;
}

async function readManifest(
  root: string,
  file: string,
): Promise<
  | { readonly path: string; readonly text: Readonly<Record<string, unknown>> }
  | { readonly broken: string; readonly path: string }
  | undefined
> {
  const at = await insidePlugin(root, file);
  if (!at.ok) return at.missing ? undefined : { path: root, broken: `Its manifest cannot be used: ${at.why}.` };
  try {
    const value: unknown = JSON.parse(await readDeclaration(at.path));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { path: at.path, broken: `Its manifest ${file} has to be a JSON object.` };
    }
    return { path: at.path, text: value as Record<string, unknown> };
  } catch (error) {
    return { path: at.path, broken: `Its manifest ${file} cannot be read: ${words(error)}.` };
  }
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
  const hookFiles: readonly PluginHooks[] = hooks.map((part) => {
    const { path, inline } = part;
    const text = inline ? inlineHooks(part.text) : part.text;
    return { dialect: format.dialect(path, text), path, text, inline };
  });
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

/** In a manifest the events may stand without the `hooks` around them. */
function inlineHooks(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'hooks' in value ? text : JSON.stringify({ hooks: value });
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
    const inside = inline.map((part) => ({ path: this.#manifest, text: JSON.stringify(part), inline: true }));
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
