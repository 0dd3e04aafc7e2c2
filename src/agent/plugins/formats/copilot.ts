import * as z from 'zod';
import { type Declared, type Format, filesOf } from './format.ts';
import { authorName, commonFields, listOf, looseName, paths, pathsOrInline } from './manifest-parts.ts';

const manifest = z.looseObject({
  ...commonFields,
  name: looseName,
  displayName: z.string().exactOptional(),
  skills: paths.exactOptional(),
  commands: paths.exactOptional(),
  agents: paths.exactOptional(),
  hooks: pathsOrInline.exactOptional(),
  mcpServers: pathsOrInline.exactOptional(),
  lspServers: pathsOrInline.exactOptional(),
  category: z.string().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  strict: z.boolean().exactOptional(),
});

/** A root `plugin.json` of Copilot, or the older `.plugin/plugin.json`; its hooks are in `hooks.json`. */
export const copilotFormat: Format = {
  format: 'copilot',
  dialect: 'shared',
  fields: Object.keys(manifest.shape),
  read: (text) => manifest.transform(declared).safeParse(text),
};

function declared(read: z.infer<typeof manifest>): Declared {
  const { name, version, description, homepage, displayName } = read;
  const author = authorName(read.author);
  return {
    name,
    ...(displayName === undefined ? {} : { label: displayName }),
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(homepage === undefined ? {} : { homepage }),
    skills: { usual: read.skills === undefined ? ['skills'] : [], named: listOf<string>(read.skills) },
    commands: { usual: read.commands === undefined ? ['commands'] : [], named: listOf<string>(read.commands) },
    agents: { usual: read.agents === undefined ? ['agents'] : [], named: listOf<string>(read.agents) },
    hooks: filesOf(read.hooks, ['hooks.json', 'hooks/hooks.json']),
    mcp: filesOf(read.mcpServers, ['.mcp.json']),
    languageServers: filesOf(read.lspServers, ['.lsp.json']),
  };
}
