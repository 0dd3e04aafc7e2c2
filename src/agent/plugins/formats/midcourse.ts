import * as z from 'zod';
import { configSchema } from '../config-schema.ts';
import type { Requirement } from '../types.ts';
import { type Declared, type Format, filesOf, NOTHING } from './format.ts';
import { authorName, commonFields, listOf, pathsOrInline, pluginName } from './manifest-parts.ts';

const version = z.string().regex(/^(\^|~|>=|=)?\s*\d+(\.\d+){0,2}$/, 'write 1.2.0, ^1.2, ~1.2 or >=1.2');

/** `other`, `other@^1.2`, or an object. */
const requirement = z.union([
  z
    .string()
    .transform((written): { id: string; version?: string } => {
      const at = written.lastIndexOf('@');
      return at < 1 ? { id: written } : { id: written.slice(0, at), version: written.slice(at + 1) };
    })
    .pipe(z.strictObject({ id: pluginName, version: version.exactOptional() })),
  z.strictObject({ id: pluginName, version: version.exactOptional() }),
]);

const names = z.array(z.string()).exactOptional();

const manifest = z.looseObject({
  ...commonFields,
  $schema: z
    .string()
    .refine(
      (schema) => !isAgentPlugins(schema) || /\/1\.\d+\.\d+\//.test(schema),
      'is of a version that is not known here',
    )
    .exactOptional(),
  name: pluginName,
  label: z.string().exactOptional(),
  displayName: z.string().exactOptional(),
  extensions: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  main: z
    .string()
    .regex(/\.(js|mjs|ts|mts)$/, 'name a module: .js, .mjs, .ts or .mts')
    .exactOptional(),
  hooks: pathsOrInline.exactOptional(),
  provides: z.looseObject({ hooks: names, tools: names, commands: names }).exactOptional(),
  requires: z.array(requirement).exactOptional(),
  configSchema: configSchema.exactOptional(),
});

/** `plugin.json` of Agent Plugins 1.0 with Midcourse's own fields `main`, `hooks`, `provides`, `requires`, `configSchema`. */
export const midcourseFormat: Format = {
  format: 'midcourse',
  dialect: 'claude',
  fields: Object.keys(manifest.shape),
  read: (text) => manifest.transform(declared).safeParse(text),
};

/** The same without any of our fields: a portable plugin. */
export const agentPluginsFormat: Format = { ...midcourseFormat, format: 'agent-plugins' };

const OWN = ['main', 'hooks', 'provides', 'requires', 'configSchema'];

export function isAgentPlugins(schema: unknown): boolean {
  return typeof schema === 'string' && /^https?:\/\/(www\.)?agent-plugins\.org\//.test(schema);
}

/** True for a root `plugin.json` that is written for Midcourse. */
export function isOurs(manifest: Readonly<Record<string, unknown>>): boolean {
  // `hooks` alone is also in the manifests of Copilot.
  return (
    OWN.some((field) => field !== 'hooks' && field in manifest) ||
    ('hooks' in manifest && isAgentPlugins(manifest.$schema))
  );
}

function declared(read: z.infer<typeof manifest>): Declared {
  const { name, version: of, description, homepage, main, provides } = read;
  const label = read.label ?? read.displayName;
  const author = authorName(read.author);
  return {
    name,
    ...(label === undefined ? {} : { label }),
    ...(of === undefined ? {} : { version: of }),
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(main === undefined ? {} : { main }),
    requires: listOf<Requirement>(read.requires),
    provides: { hooks: provides?.hooks ?? [], tools: provides?.tools ?? [], commands: provides?.commands ?? [] },
    ...(read.configSchema === undefined ? {} : { config: read.configSchema }),
    skills: { usual: ['skills'], named: [] },
    commands: { usual: ['commands'], named: [] },
    agents: { usual: ['agents'], named: [] },
    // Hooks are not portable in Agent Plugins: only a file that is named counts.
    hooks: read.hooks === undefined ? NOTHING : filesOf(read.hooks, []),
    mcp: { ...NOTHING, usual: ['mcp.json', '.mcp.json'] },
    languageServers: { ...NOTHING, usual: ['.lsp.json'] },
  };
}
