import { claudeFormat } from './formats/claude.ts';
import { codexFormat } from './formats/codex.ts';
import { copilotFormat } from './formats/copilot.ts';
import type { Declared, Format } from './formats/format.ts';
import { manifestProblem } from './formats/manifest-parts.ts';
import { agentPluginsFormat, isAgentPlugins, isOurs, midcourseFormat } from './formats/midcourse.ts';
import type { PluginFormat } from './types.ts';

/** Where a manifest may stand, below the plugin's folder. */
export const MANIFESTS = [
  'plugin.json',
  '.codex-plugin/plugin.json',
  '.claude-plugin/plugin.json',
  '.plugin/plugin.json',
] as const;

export interface ManifestText {
  readonly file: (typeof MANIFESTS)[number];
  readonly text: string;
}

/** What the manifest of a folder says. Plain data: it may come from another thread. */
export type JudgedManifest =
  | {
      readonly file: ManifestText['file'];
      readonly format: PluginFormat;
      readonly declared: Declared;
      readonly warnings: readonly string[];
      /** A second manifest, for another system: it counts where its hooks say more. */
      readonly other?: JudgedManifest;
    }
  | { readonly file: ManifestText['file']; readonly broken: string };

/** Characters of what a manifest says beside its hooks and servers. */
const MOST_SAID = 64_000;
const MOST_WARNINGS = 20;

/**
 * Which manifest of a folder counts, and what it says: a root `plugin.json` for Agent Plugins or Midcourse goes before
 * `.claude-plugin`, `.codex-plugin` and Copilot's own. Where the second and the third are there, whoever reads the files
 * decides by their hooks.
 *
 * @param texts in any order
 * @returns undefined when there is none
 */
export function judgeManifests(texts: readonly ManifestText[]): JudgedManifest | undefined {
  const textOf = (file: ManifestText['file']) => texts.find((one) => one.file === file)?.text;
  const top = parsed('plugin.json', textOf('plugin.json'));
  if (top && 'broken' in top) return top;
  if (top && isOurs(top.value)) return judged(top, midcourseFormat);
  if (top && isAgentPlugins(top.value.$schema)) return judged(top, agentPluginsFormat);
  const claude = parsed('.claude-plugin/plugin.json', textOf('.claude-plugin/plugin.json'));
  const codex = parsed('.codex-plugin/plugin.json', textOf('.codex-plugin/plugin.json'));
  const ofClaude = claude && judged(claude, claudeFormat);
  const ofCodex = codex && judged(codex, codexFormat);
  if (ofClaude && ofCodex && !('broken' in ofClaude)) return { ...ofClaude, other: ofCodex };
  const one = ofClaude && 'broken' in ofClaude ? (ofCodex ?? ofClaude) : (ofClaude ?? ofCodex);
  if (one) return one;
  const copilot = top ?? parsed('.plugin/plugin.json', textOf('.plugin/plugin.json'));
  return copilot && judged(copilot, copilotFormat);
}

type Parsed =
  | { readonly file: ManifestText['file']; readonly value: Readonly<Record<string, unknown>> }
  | { readonly file: ManifestText['file']; readonly broken: string };

function parsed(file: ManifestText['file'], text: string | undefined): Parsed | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { file, broken: `Its manifest ${file} has to be a JSON object.` };
    }
    return { file, value: value as Record<string, unknown> };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { file, broken: `Its manifest ${file} cannot be read: ${why}.` };
  }
}

function judged(manifest: Parsed, format: Format): JudgedManifest {
  if ('broken' in manifest) return manifest;
  const { file, value } = manifest;
  const read = format.read(value);
  if (!read.success) return { file, broken: `Its manifest cannot be used. ${manifestProblem(read.error)}.` };
  const { hooks, mcp, languageServers, ...rest } = read.data;
  if (JSON.stringify([rest, hooks.named, mcp.named, languageServers.named]).length > MOST_SAID) {
    return { file, broken: `Its manifest says more than ${MOST_SAID / 1000} KB beside hooks and servers.` };
  }
  const declared = { ...read.data, hooks: { ...hooks, inline: hooks.inline.map(withHooksAround) } };
  return { file, format: format.format, declared, warnings: unknownFields(value, format) };
}

/** In a manifest the events may stand without the `hooks` around them. */
function withHooksAround(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'hooks' in value ? text : JSON.stringify({ hooks: value });
}

function unknownFields(value: Readonly<Record<string, unknown>>, format: Format): readonly string[] {
  const unknown = Object.keys(value).filter((field) => !format.fields.includes(field));
  const said = unknown.slice(0, MOST_WARNINGS).map((field) => {
    return `The manifest's field "${field.slice(0, 100)}" is not known here and has no effect.`;
  });
  const more = unknown.length - said.length;
  return more > 0 ? [...said, `${more} more fields of the manifest are not known here and have no effect.`] : said;
}
