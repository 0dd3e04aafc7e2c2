import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readDeclaration } from '../../agent/declarations/read-declaration.ts';
import { type DeclaredServer, type ReadServers, readWorkspaceServers } from '../../agent/mcp/index.ts';
import type { ServersPlace } from '../../agent/reading/index.ts';
import type { WatchedFiles } from '../file-watch.ts';

const files = [
  { name: '.mcp.json', form: 'claude' },
  { name: '.vscode/mcp.json', form: 'vscode' },
] as const;

/** Of the user, in `~/.copilot`: VS Code and Copilot CLI write it. */
const userFile = 'mcp-config.json';
const userFolder = () => join(homedir(), '.copilot');

export interface DeclaredFile extends ReadServers {
  readonly scope: 'workspace' | 'user';
  /** Absolute. */
  readonly path: string;
}

/** The files of the user and of the workspace folders that declare servers; one that is not there is not among them. */
export async function readDeclaredFiles(folders: readonly string[]): Promise<readonly DeclaredFile[]> {
  const read = await Promise.all([
    ...folders.flatMap((folder) =>
      files.map(({ name, form }) => readOne({ path: join(folder, name), form, folder, scope: 'workspace' })),
    ),
    readOne({ path: join(userFolder(), userFile), form: 'claude', scope: 'user' }),
  ]);
  return read.filter((file) => file !== undefined);
}

/** A file that cannot be used is listed like a server, with the reason. */
export function serversOf({ path, scope, servers, broken, warnings }: DeclaredFile): readonly DeclaredServer[] {
  if (broken === undefined) return servers;
  const source = { is: 'file', path, scope, line: 1 } as const;
  return [{ name: vscode.workspace.asRelativePath(path), source, broken, inputs: [], warnings }];
}

/** Where they are. */
export function declaredFilesOf(folders: readonly string[]): readonly WatchedFiles[] {
  const glob = `{${files.map(({ name }) => name).join(',')}}`;
  // A folder that is not there yet is looked for every few seconds only, and its first file would be missed.
  const ofUser = [
    { folder: homedir(), glob: '.copilot' },
    { folder: userFolder(), glob: userFile },
  ];
  return [...folders.map((folder) => ({ folder, glob })), ...ofUser];
}

async function readOne(place: ServersPlace): Promise<DeclaredFile | undefined> {
  const { path, scope } = place;
  try {
    const text = await readDeclaration(path);
    return { path, scope, ...(await readWorkspaceServers(text, place)) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { path, scope, servers: [], warnings: [], broken: vscode.l10n.t('The file cannot be read: {0}', why) };
  }
}
