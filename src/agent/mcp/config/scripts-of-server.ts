import { basename, resolve, sep } from 'node:path';
import { type Starts, scriptsOfCommand } from '../../trust/index.ts';
import type { McpServerDefinition } from '../types.ts';

export interface ServerPlace {
  /** Absolute; undefined without one. */
  readonly folder: string | undefined;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ScriptsOfServer {
  /** Absolute. */
  readonly files: readonly string[];
  readonly starts?: Starts;
}

/** The files that a server's definition runs or reads, and what it starts with: where its start (`fillIn`) finds it. */
export async function scriptsOfServer(
  definition: McpServerDefinition,
  { folder, home, env }: ServerPlace,
): Promise<ScriptsOfServer> {
  if (definition.transport !== 'stdio') return { files: [] };
  const base = folder ?? home;
  const values: NodeJS.ProcessEnv = {
    ...env,
    workspaceFolder: base,
    cwd: base,
    CLAUDE_PROJECT_DIR: base,
    workspaceFolderBasename: basename(base),
    userHome: home,
    pathSeparator: sep,
  };
  const variables = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const filled = (text: string) =>
    text
      .replaceAll(`\${/}`, sep)
      .replace(/\$\{env:/g, `\${`)
      .replace(/\$\{(\w+)(?::-([^{}]*))?\}/g, (whole, name: string, usual: string | undefined) =>
        Object.hasOwn(variables, name) ? (variables[name] ?? '') : (usual ?? whole),
      );
  const cwd = resolve(base, filled(definition.cwd ?? '.'));
  const { command, args, env: own, envFile } = definition;
  const ownVariables = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, filled(value)]));
  const starts = {
    command: { command: filled(command), args: args.map(filled), env: ownVariables },
    place: { cwd, home, variables },
  };
  const { files } = await scriptsOfCommand(starts.command, starts.place);
  return { files: envFile === undefined ? files : [...files, resolve(cwd, filled(envFile))], starts };
}
