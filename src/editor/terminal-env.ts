/** What `terminal.integrated.env.*` sets for the editor's own terminals: commands of the agent get the same. */

import { homedir } from 'node:os';
import * as vscode from 'vscode';
import * as z from 'zod';
import { startsPrograms } from '../agent/safety/index.ts';

export interface TerminalEnv {
  /** `null` takes a variable away. */
  readonly set: Readonly<Record<string, string | null>>;
  /** Of a workspace's settings: they would have every command load or start what the repository names. */
  readonly leftOut: readonly string[];
}

const values = z.record(z.string(), z.union([z.string(), z.null()]).catch(null)).catch({});
const OS = process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'osx' : 'linux';

export function terminalEnv(): TerminalEnv {
  const inspected = vscode.workspace.getConfiguration('terminal.integrated.env').inspect(OS);
  const own = values.parse(inspected?.globalValue ?? {});
  const ofWorkspace = vscode.workspace.isTrusted
    ? { ...values.parse(inspected?.workspaceValue ?? {}), ...values.parse(inspected?.workspaceFolderValue ?? {}) }
    : {};
  const leftOut = Object.entries(ofWorkspace).flatMap(([name, value]) => (startsPrograms(name, value) ? [name] : []));
  const set: Record<string, string | null> = {};
  for (const [name, value] of Object.entries({ ...own, ...ofWorkspace })) {
    if (leftOut.includes(name) && !(name in own)) continue;
    const chosen = leftOut.includes(name) ? (own[name] ?? null) : value;
    const filled = chosen === null ? null : filledIn(chosen);
    if (filled !== undefined) set[name] = filled;
  }
  return { set, leftOut };
}

/** Undefined where it names a variable that only the editor's terminal knows. */
function filledIn(value: string): string | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const filled = value.replace(/\$\{(?:env:(\w+)|(workspaceFolder|userHome|pathSeparator|\/))\}/g, (_, env, place) => {
    if (env !== undefined) return process.env[env] ?? '';
    return { workspaceFolder: folder ?? '', userHome: homedir() }[String(place)] ?? (OS === 'windows' ? '\\' : '/');
  });
  return filled.includes('${') ? undefined : filled;
}
