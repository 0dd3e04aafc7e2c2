/**
 * Servers as files and settings declare them: `.mcp.json` and plugins (`mcpServers`), `.vscode/mcp.json` (`servers` and
 * `inputs`), and the setting `midcourse.mcp.servers`.
 */

import * as z from 'zod';
import { anyObject, issuesOf, readJsonText } from '../../declarations/json-text.ts';
import type { DeclaredServer, McpInput, McpServerDefinition, McpServerSource } from '../types.ts';

/** Milliseconds for one call where nothing else is said. */
const CALL_TIMEOUT = 120_000;

export interface ReadServers {
  readonly servers: readonly DeclaredServer[];
  /** Of the file as a whole. */
  readonly warnings: readonly string[];
  /** The file cannot be used; `servers` is empty. */
  readonly broken?: string;
}

export interface ReadingServers {
  /** `claude`: `mcpServers`, or the names at the root; `vscode`: `servers` and `inputs`. */
  readonly form: 'claude' | 'vscode';
  sourceAt(line: number | undefined): McpServerSource;
  /** The server's name in this window; the one of the file by default. */
  nameOf?(name: string): string;
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Reads the text of a file, comments allowed. Never throws; what cannot be used is listed with the reason. */
export function readServersFile(text: string, reading: ReadingServers): ReadServers {
  const file = readJsonText(text);
  if (typeof file === 'string') return { servers: [], warnings: [], broken: file };
  const parsed = anyObject.safeParse(file.value);
  if (!parsed.success) return { servers: [], warnings: [], broken: 'The file holds no JSON object.' };
  const root = parsed.data;
  const key = reading.form === 'vscode' ? 'servers' : 'mcpServers';
  // Plugins may name their servers at the root.
  const bare = reading.form === 'claude' && root[key] === undefined;
  const entries = bare ? root : root[key];
  if (entries === undefined) return { servers: [], warnings: [`There is no "${key}" in it.`] };
  const { inputs, warnings } = readInputs(root.inputs);
  const line = (name: string) => file.line(bare ? [name] : [key, name]);
  const servers = readServers(entries, { ...reading, inputs, lineOf: line });
  if (servers && servers.length > MOST_SERVERS) {
    const broken = `It declares ${servers.length} servers, and at most ${MOST_SERVERS} are read from one file.`;
    return { servers: [], warnings, broken };
  }
  return servers === undefined ? { servers: [], warnings, broken: `"${key}" is no object.` } : { servers, warnings };
}

/** More than people write, or a list of tools could take. */
const MOST_SERVERS = 200;

/** Reads the value of the setting `midcourse.mcp.servers`. */
export function readServersSetting(value: unknown): readonly DeclaredServer[] {
  const reading: ReadingServers = { form: 'claude', sourceAt: () => ({ is: 'settings' }) };
  return readServers(value, { ...reading, inputs: [], lineOf: () => undefined }) ?? [];
}

interface ReadingEntries extends ReadingServers {
  readonly inputs: readonly McpInput[];
  lineOf(name: string): number | undefined;
}

function readServers(entries: unknown, reading: ReadingEntries): readonly DeclaredServer[] | undefined {
  const all = anyObject.safeParse(entries);
  if (!all.success) return undefined;
  return Object.entries(all.data)
    .filter(([name]) => name !== '$schema')
    .map(([name, entry]) => declared(name, entry, reading));
}

function declared(name: string, entry: unknown, reading: ReadingEntries): DeclaredServer {
  const { inputs, folder, variables } = reading;
  const of = {
    name: reading.nameOf?.(name) ?? name,
    source: reading.sourceAt(reading.lineOf(name)),
    ...(folder === undefined ? {} : { folder }),
    ...(variables === undefined ? {} : { variables }),
  };
  const used = inputs.filter(({ id }) => JSON.stringify(entry ?? null).includes(`\${input:${id}}`));
  const base = { ...of, inputs: used, warnings: [] };
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success)
    return { ...base, broken: `The server is not declared as it should be: ${issuesOf(parsed.error)}` };
  const { data } = parsed;
  const warnings = Object.keys(entry as object).flatMap((field) =>
    known.has(field) ? [] : [`"${field}" is not known here and has no effect.`],
  );
  const definition = definitionOf(data, of);
  if (typeof definition === 'string') return { ...base, warnings, broken: definition };
  return { ...base, warnings, definition, ...(data.disabled || data.enabled === false ? { disabled: true } : {}) };
}

/** Numbers and switches are written without quotes as well; `null` takes a variable away. */
const variableValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const entrySchema = z.looseObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse', 'local', 'remote', 'ws']).exactOptional(),
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: variableValues.exactOptional(),
  envFile: z.string().min(1).exactOptional(),
  cwd: z.string().min(1).exactOptional(),
  url: z.string().min(1).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  /** Milliseconds. */
  timeout: z.number().positive().max(86_400_000).exactOptional(),
  parallel: z.boolean().exactOptional(),
  disabled: z.boolean().exactOptional(),
  enabled: z.boolean().exactOptional(),
});

/** The last ones mean something to the programs that they were written for, and nothing that matters here. */
const known = new Set([...Object.keys(entrySchema.shape), 'description', 'gallery', 'version', 'dev', 'tools']);

function definitionOf(
  entry: z.infer<typeof entrySchema>,
  of: { readonly name: string; readonly source: McpServerSource },
): McpServerDefinition | string {
  const { type, command, url } = entry;
  const common = {
    name: of.name,
    source: of.source,
    parallel: entry.parallel ?? false,
    timeout: entry.timeout ?? CALL_TIMEOUT,
  };
  if (type === 'ws') return 'Servers over WebSocket are not supported. Use "http" if the server offers it.';
  if (url !== undefined && type !== 'stdio' && type !== 'local') {
    const problem = addressProblem(url, of.source);
    if (problem) return problem;
    return { ...common, transport: type === 'sse' ? 'sse' : 'http', url, headers: entry.headers ?? {} };
  }
  if (command === undefined) return 'It needs a "command" to start, or a "url" to connect to.';
  return {
    ...common,
    transport: 'stdio',
    command,
    args: entry.args ?? [],
    env: Object.fromEntries(
      Object.entries(entry.env ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
    ),
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
    ...(entry.envFile === undefined ? {} : { envFile: entry.envFile }),
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|[\w-]+\.localhost)$/;

/** In words, why no server can be reached there; an address with variables is judged when they are filled in. */
export function addressProblem(url: string, source: McpServerSource): string | undefined {
  if (url.includes('${')) return undefined;
  if (!URL.canParse(url)) return `"${url}" is no address.`;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:')
    return `"${url}" is no address that starts with https:// or http://.`;
  if (source.is === 'plugin' && protocol === 'http:' && !LOOPBACK.test(hostname)) {
    return `A plugin's server has to be reached by https:// (${url}), unless it runs on this machine.`;
  }
  return undefined;
}

const inputSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('promptString'),
    id: z.string().min(1),
    description: z.string().default(''),
    default: z.string().exactOptional(),
    password: z.boolean().default(false),
  }),
  z.looseObject({
    type: z.literal('pickString'),
    id: z.string().min(1),
    description: z.string().default(''),
    options: z
      .array(z.union([z.string(), z.looseObject({ value: z.string() })]))
      .transform((options) => options.map((option) => (typeof option === 'string' ? option : option.value))),
    default: z.string().exactOptional(),
  }),
]);

function readInputs(value: unknown): { readonly inputs: readonly McpInput[]; readonly warnings: readonly string[] } {
  if (value === undefined) return { inputs: [], warnings: [] };
  if (!Array.isArray(value)) return { inputs: [], warnings: ['"inputs" is no list.'] };
  const inputs: McpInput[] = [];
  const warnings: string[] = [];
  for (const [index, one] of value.entries()) {
    const parsed = inputSchema.safeParse(one);
    if (parsed.success) inputs.push(parsed.data);
    else warnings.push(`inputs[${index}] cannot be used: ${issuesOf(parsed.error)}`);
  }
  return { inputs, warnings };
}
