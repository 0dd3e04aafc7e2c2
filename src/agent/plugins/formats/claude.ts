import * as z from 'zod';
import { type Declared, type Format, filesOf } from './format.ts';
import { authorName, commonFields, listOf, looseName, paths, pathsOrInline } from './manifest-parts.ts';

const manifest = z.looseObject({
  ...commonFields,
  name: looseName,
  displayName: z.string().exactOptional(),
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
  defaultEnabled: z.boolean().exactOptional(),
  skills: paths.exactOptional(),
  commands: paths.exactOptional(),
  agents: paths.exactOptional(),
  workflows: paths.exactOptional(),
  outputStyles: paths.exactOptional(),
  hooks: pathsOrInline.exactOptional(),
  mcpServers: pathsOrInline.exactOptional(),
  lspServers: pathsOrInline.exactOptional(),
  experimental: z.record(z.string(), z.unknown()).exactOptional(),
  userConfig: z.record(z.string(), z.unknown()).exactOptional(),
  channels: z.unknown().exactOptional(),
  dependencies: z.unknown().exactOptional(),
});

/** `.claude-plugin/plugin.json`; a plugin without it has its folder's name and the usual places. */
export const claudeFormat: Format = {
  format: 'claude',
  dialect: 'claude',
  fields: Object.keys(manifest.shape),
  read: (text) => manifest.transform(claudePlaces).safeParse(text),
};

/** What a Claude plugin has when it says nothing. */
export const CLAUDE_PLACES: Declared = claudePlaces({ name: 'unnamed' });

function claudePlaces(read: z.infer<typeof manifest>): Declared {
  const { name, version, description, homepage, displayName } = read;
  const author = authorName(read.author);
  return {
    name,
    ...(displayName === undefined ? {} : { label: displayName }),
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(homepage === undefined ? {} : { homepage }),
    // Skills that are named come beside the usual folder; commands and agents stand instead of it.
    skills: { usual: ['skills'], named: listOf<string>(read.skills) },
    commands: { usual: read.commands === undefined ? ['commands'] : [], named: listOf<string>(read.commands) },
    agents: { usual: read.agents === undefined ? ['agents'] : [], named: listOf<string>(read.agents) },
    // Files that are named come beside the usual one.
    hooks: { ...filesOf(read.hooks, []), usual: ['hooks/hooks.json'] },
    mcp: { ...filesOf(read.mcpServers, []), usual: ['.mcp.json'] },
    languageServers: { ...filesOf(read.lspServers, []), usual: ['.lsp.json'] },
  };
}
