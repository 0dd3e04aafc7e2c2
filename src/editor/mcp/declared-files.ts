import { join } from 'node:path';
import * as vscode from 'vscode';
import { readDeclaration } from '../../agent/declarations/read-declaration.ts';
import { type DeclaredServer, type ReadServers, readWorkspaceServers } from '../../agent/mcp/index.ts';

const files = [
  { name: '.mcp.json', form: 'claude' },
  { name: '.vscode/mcp.json', form: 'vscode' },
] as const;

export interface DeclaredFile extends ReadServers {
  /** Absolute. */
  readonly path: string;
}

/** The files of the workspace folders that declare servers; one that is not there is not among them. */
export async function readDeclaredFiles(folders: readonly string[]): Promise<readonly DeclaredFile[]> {
  const read = await Promise.all(
    folders.flatMap((folder) => files.map(({ name, form }) => readOne(folder, name, form))),
  );
  return read.filter((file) => file !== undefined);
}

/** A file that cannot be used is listed like a server, with the reason. */
export function serversOf({ path, servers, broken, warnings }: DeclaredFile): readonly DeclaredServer[] {
  if (broken === undefined) return servers;
  const source = { is: 'file', path, scope: 'workspace', line: 1 } as const;
  return [{ name: vscode.workspace.asRelativePath(path), source, broken, inputs: [], warnings }];
}

/** Where in a folder they are. */
export const declaredFilesGlob = `{${files.map(({ name }) => name).join(',')}}`;

async function readOne(folder: string, name: string, form: 'claude' | 'vscode'): Promise<DeclaredFile | undefined> {
  const path = join(folder, name);
  try {
    const text = await readDeclaration(path);
    return { path, ...(await readWorkspaceServers(text, { form, folder, path })) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { path, servers: [], warnings: [], broken: vscode.l10n.t('The file cannot be read: {0}', why) };
  }
}
