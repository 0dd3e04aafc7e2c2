/** Variables in a server's definition, filled in at the moment it starts. */

import { basename, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { readDeclaration } from '../../declarations/read-declaration.ts';
import { isSecretName, secretsInUse } from '../../safety/index.ts';
import type { McpServerDefinition } from '../types.ts';
import { addressProblem } from './read-servers.ts';

export interface Variables {
  readonly env: NodeJS.ProcessEnv;
  /** Those that its declaration brings, such as `CLAUDE_PLUGIN_ROOT`; the process gets them as well. */
  readonly own: Readonly<Record<string, string>>;
  readonly home: string;
  /** Absolute; undefined without one. */
  readonly folder: string | undefined;
  /** What the user entered; undefined when they did not. */
  input(id: string): Promise<string | undefined>;
}

/** It cannot start: a variable has no value, a file is missing. The message says what to do. */
export class NotFilledIn extends Error {}

const VARIABLE = /\$\{([^${}]+)\}/g;

/**
 * Fills in `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${workspaceFolder}`, `${userHome}` and the like.
 * Paths become absolute.
 *
 * @throws NotFilledIn
 */
export async function fillIn(definition: McpServerDefinition, variables: Variables): Promise<McpServerDefinition> {
  const fill = (text: string) => filled(text, variables);
  if (definition.transport !== 'stdio') {
    const url = await fill(definition.url);
    const problem = addressProblem(url, definition.source);
    if (problem) throw new NotFilledIn(problem);
    return { ...definition, url, headers: await allOf(definition.headers, fill) };
  }
  const { cwd: declaredCwd, envFile, ...rest } = definition;
  const [command, args, env] = await Promise.all([
    fill(definition.command),
    Promise.all(definition.args.map(fill)),
    allOf(definition.env, fill),
  ]);
  const cwd = resolve(variables.folder ?? variables.home, declaredCwd === undefined ? '' : await fill(declaredCwd));
  const fromFile = envFile === undefined ? {} : await readEnvFile(resolve(cwd, await fill(envFile)));
  return { ...rest, command, args, env: { ...variables.own, ...fromFile, ...env }, cwd };
}

async function allOf(values: Readonly<Record<string, string>>, fill: (text: string) => Promise<string>) {
  const entries = Object.entries(values).map(async ([name, value]) => [name, await fill(value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function filled(text: string, variables: Variables): Promise<string> {
  const values = new Map<string, string>();
  // One after the other: each may ask the user something.
  for (const [whole, inner] of text.matchAll(VARIABLE)) {
    if (inner !== undefined && !values.has(whole)) values.set(whole, await valueOfVariable(inner, variables));
  }
  return text.replace(VARIABLE, (whole) => values.get(whole) ?? whole);
}

async function valueOfVariable(inner: string, variables: Variables): Promise<string> {
  const value = await lookedUp(inner, variables);
  // What is handed to a server as a key is written nowhere.
  if (isSecretName(inner.replace(/^(?:env|input):|:-.*$/g, ''))) secretsInUse.add(value);
  return value;
}

async function lookedUp(inner: string, variables: Variables): Promise<string> {
  const colon = inner.indexOf(':');
  const kind = colon < 0 ? inner : inner.slice(0, colon);
  const rest = colon < 0 ? '' : inner.slice(colon + 1);
  if (kind === 'input') return await entered(rest, variables);
  if (kind === 'env') return variables.env[rest] ?? '';
  const own = variables.own[inner];
  if (own !== undefined) return own;
  const place = colon < 0 ? placeOf(inner, variables) : undefined;
  if (place !== undefined) return place;
  const fallback = inner.indexOf(':-');
  const name = fallback < 0 ? inner : inner.slice(0, fallback);
  const value = variables.own[name] ?? variables.env[name];
  if (value !== undefined && (value !== '' || fallback < 0)) return value;
  if (fallback >= 0) return inner.slice(fallback + 2);
  throw new NotFilledIn(
    `It needs the variable ${name}, which is not set in the editor's environment. Set it and start the editor again, or write \${${name}:-default}.`,
  );
}

async function entered(id: string, variables: Variables): Promise<string> {
  const value = await variables.input(id);
  if (value === undefined) throw new NotFilledIn(`It needs the value "${id}". Start it again to be asked for it.`);
  return value;
}

function placeOf(name: string, { folder, home }: Variables): string | undefined {
  switch (name) {
    case 'workspaceFolder':
    case 'cwd':
    case 'CLAUDE_PROJECT_DIR':
      if (folder === undefined) throw new NotFilledIn(`It needs \${${name}}, but no folder is open.`);
      return folder;
    case 'workspaceFolderBasename':
      return basename(folder ?? '');
    case 'userHome':
      return home;
    case 'pathSeparator':
    case '/':
      return sep;
    default:
      return undefined;
  }
}

async function readEnvFile(path: string): Promise<Record<string, string>> {
  try {
    const read = parseEnv(await readDeclaration(path));
    return Object.fromEntries(
      Object.entries(read).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch (error) {
    throw new NotFilledIn(`Its envFile cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
