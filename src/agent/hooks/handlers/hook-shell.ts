import { existsSync } from 'node:fs';
import { shellFor } from '../../tools/index.ts';
import type { Dialect } from '../types.ts';

export interface ShellPlace {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  exists(path: string): boolean;
}

/**
 * The shell of a command. On Windows hooks of Claude Code are written for the bash that comes with Git, which is rarely on
 * the PATH; without one they get PowerShell, like all others.
 */
export function hookShell(
  wanted: 'bash' | 'powershell' | undefined,
  dialect: Dialect,
  { platform, environment, exists }: ShellPlace = here(),
): string {
  if (platform !== 'win32') return wanted === 'powershell' ? 'pwsh' : shellFor(undefined);
  const bash = gitBash(environment).find(exists);
  switch (wanted) {
    case 'powershell':
      return 'powershell.exe';
    case 'bash':
      return bash ?? 'bash.exe';
    case undefined:
      return (dialect === 'claude' ? bash : undefined) ?? 'powershell.exe';
    default:
      return wanted satisfies never;
  }
}

function here(): ShellPlace {
  return { platform: process.platform, environment: process.env, exists: existsSync };
}

/** Where it may be; the first place is the one that Claude Code's users name. */
function gitBash({ CLAUDE_CODE_GIT_BASH_PATH, ProgramFiles, LOCALAPPDATA }: NodeJS.ProcessEnv): readonly string[] {
  const folders = [ProgramFiles ?? 'C:\\Program Files', ...(LOCALAPPDATA ? [`${LOCALAPPDATA}\\Programs`] : [])];
  return [
    ...(CLAUDE_CODE_GIT_BASH_PATH ? [CLAUDE_CODE_GIT_BASH_PATH] : []),
    ...folders.map((folder) => `${folder}\\Git\\bin\\bash.exe`),
  ];
}
