import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repository } from '../editor/places.ts';
import type { SuiteResult } from './suites.ts';

/** Scripts with their arguments, each for Node, relative to the repository. */
export type Commands = readonly (readonly [script: string, ...args: string[]])[];

/** Runs all of them, also after one that failed. A command is no test: only its failure is counted. */
export async function runCommands(commands: Commands): Promise<SuiteResult> {
  const failures: string[] = [];
  for (const command of commands) {
    const code = await runNode(command);
    if (code !== 0) failures.push(`${command.join(' ')} ended with exit code ${code}.`);
  }
  return { passed: 0, failed: failures.length, skipped: 0, failures };
}

/** Runs a script of this repository under this Node, with our standard streams. Returns its exit code, 1 for a signal. */
export async function runNode(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(process.execPath, command, {
    cwd: repository,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
