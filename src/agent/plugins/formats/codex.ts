import * as z from 'zod';
import { type Declared, type Format, filesOf, NOTHING } from './format.ts';
import { authorName, commonFields, listOf, looseName, paths, pathsOrInline } from './manifest-parts.ts';

const manifest = z.looseObject({
  ...commonFields,
  name: looseName,
  skills: paths.exactOptional(),
  hooks: pathsOrInline.exactOptional(),
  mcpServers: pathsOrInline.exactOptional(),
  apps: z.unknown().exactOptional(),
  interface: z
    .looseObject({ displayName: z.string().exactOptional(), shortDescription: z.string().exactOptional() })
    .exactOptional(),
});

/** `.codex-plugin/plugin.json`. */
export const codexFormat: Format = {
  format: 'codex',
  dialect: 'codex',
  fields: Object.keys(manifest.shape),
  read: (text) => manifest.transform(declared).safeParse(text),
};

function declared(read: z.infer<typeof manifest>): Declared {
  const { name, version, homepage } = read;
  const label = read.interface?.displayName;
  const description = read.description ?? read.interface?.shortDescription;
  const author = authorName(read.author);
  return {
    name,
    ...(label === undefined ? {} : { label }),
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(homepage === undefined ? {} : { homepage }),
    skills: { usual: read.skills === undefined ? ['skills'] : [], named: listOf<string>(read.skills) },
    commands: { usual: ['commands'], named: [] },
    agents: { usual: ['agents'], named: [] },
    hooks: filesOf(read.hooks, ['hooks/hooks.json']),
    mcp: filesOf(read.mcpServers, ['.mcp.json']),
    languageServers: { ...NOTHING, usual: ['.lsp.json'] },
  };
}
