/** Language servers as `.lsp.json`, and the `lspServers` of a plugin, declare them. */

import * as z from 'zod';
import { anyObject, issuesOf, readJsonText } from '../declarations/json-text.ts';
import type { DeclaredLanguageServer, LanguageServerDefinition, LanguageServerSource } from './types.ts';

export interface ReadLanguageServers {
  readonly servers: readonly DeclaredLanguageServer[];
  /** The file cannot be used; `servers` is empty. */
  readonly broken?: string;
}

export interface ReadingLanguageServers {
  sourceAt(line: number | undefined): LanguageServerSource;
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Milliseconds. */
const STARTUP = 30_000;
const SHUTDOWN = 5_000;
const RESTARTS = 3;

const schema = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  transport: z.enum(['stdio', 'socket']).default('stdio'),
  extensionToLanguage: z
    .record(z.string(), z.string().min(1))
    .refine((languages) => Object.keys(languages).length > 0, 'name at least one file ending'),
  initializationOptions: z.unknown().optional(),
  settings: z.unknown().optional(),
  workspaceFolder: z.string().min(1).exactOptional(),
  startupTimeout: z.number().positive().max(600_000).default(STARTUP),
  shutdownTimeout: z.number().positive().max(60_000).default(SHUTDOWN),
  restartOnCrash: z.boolean().default(true),
  maxRestarts: z.int().min(0).max(100).default(RESTARTS),
});

/** Reads the text of a file, comments allowed. Never throws; what cannot be used is listed with the reason. */
export function readLanguageServers(text: string, reading: ReadingLanguageServers): ReadLanguageServers {
  const file = readJsonText(text);
  if (typeof file === 'string') return { servers: [], broken: file };
  const root = anyObject.safeParse(file.value);
  if (!root.success) return { servers: [], broken: 'The file holds no JSON object.' };
  const inner = anyObject.safeParse(root.data.lspServers);
  const entries = inner.success ? inner.data : root.data;
  const servers = Object.entries(entries)
    .filter(([name]) => name !== '$schema')
    .map(([name, entry]) => declared(name, entry, reading, file.line(inner.success ? ['lspServers', name] : [name])));
  return { servers };
}

function declared(
  name: string,
  entry: unknown,
  { sourceAt, folder, variables }: ReadingLanguageServers,
  line: number | undefined,
): DeclaredLanguageServer {
  const base = {
    name,
    source: sourceAt(line),
    folder,
    warnings: [] as string[],
    ...(variables === undefined ? {} : { variables }),
  };
  const parsed = schema.safeParse(entry);
  if (!parsed.success) {
    return { ...base, broken: `The server is not declared as it should be: ${issuesOf(parsed.error)}` };
  }
  const unknown = Object.keys(parsed.data).filter((field) => !Object.hasOwn(schema.shape, field));
  const warnings = unknown.map((field) => `"${field}" is not known here and has no effect.`);
  return { ...base, warnings, definition: definitionOf(name, parsed.data) };
}

function definitionOf(name: string, data: z.infer<typeof schema>): LanguageServerDefinition {
  const { extensionToLanguage, initializationOptions, settings, workspaceFolder } = data;
  return {
    name,
    command: data.command,
    args: data.args,
    env: data.env,
    transport: data.transport,
    languages: Object.fromEntries(
      Object.entries(extensionToLanguage).map(([ending, language]) => [
        (ending.startsWith('.') ? ending : `.${ending}`).toLowerCase(),
        language,
      ]),
    ),
    startupTimeout: data.startupTimeout,
    shutdownTimeout: data.shutdownTimeout,
    restartOnCrash: data.restartOnCrash,
    maxRestarts: data.maxRestarts,
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
    ...(settings === undefined ? {} : { settings }),
    ...(workspaceFolder === undefined ? {} : { workspaceFolder }),
  };
}
