import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { shellArguments } from '../../tools/index.ts';
import type { DeclaredHandler, RunEnd } from '../dialects/types.ts';
import { type Dialect, HookFailure } from '../types.ts';
import { expanded, hookEnvironment } from './environment.ts';
import { hookShell } from './hook-shell.ts';
import type { HookProgram } from './processes.ts';
import { splitWords } from './split-words.ts';
import type { HandlerRun } from './types.ts';

type CommandHandler = DeclaredHandler & { type: 'command' };

/** Rejects as `HookProcesses.run` does. */
export async function runCommand(run: HandlerRun, handler: CommandHandler): Promise<RunEnd> {
  const env = hookEnvironment(run, handler);
  const { cwd } = run.payload;
  return await run.parts.processes.run(
    {
      ...programOf(handler, run.rules.dialect, env),
      cwd: handler.cwd === undefined ? cwd : resolve(cwd, expanded(handler.cwd, env)),
      env,
      stdin: `${JSON.stringify(run.stdin)}\n`,
      timeout: run.declared.timeout,
      mayGoOn: run.rules.dialect === 'claude',
    },
    run.signal,
  );
}

function programOf(
  handler: CommandHandler,
  dialect: Dialect,
  env: NodeJS.ProcessEnv,
): Pick<HookProgram, 'file' | 'args'> {
  const { command, args, noShell } = handler;
  if (args !== undefined) return { file: expanded(command, env), args: args.map((arg) => expanded(arg, env)) };
  if (noShell) return wordsOf(command);
  const shell = hookShell(handler.shell, dialect);
  // In bash `${NAME}` is the environment's; PowerShell would look for a variable of its own.
  const line = /(powershell\.exe|pwsh)$/.test(shell) ? expanded(command, env) : command;
  return { file: shell, args: shellArguments(shell, line, false) };
}

function wordsOf(command: string): Pick<HookProgram, 'file' | 'args'> {
  const [file, ...args] = splitWords(command) ?? [];
  if (file === undefined) throw new HookFailure('spawn', `It could not be started: ${command} has an open quote.`);
  return { file: file.replace(/^~(?=\/)/, homedir()), args };
}
