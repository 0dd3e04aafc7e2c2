import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { shellArguments, shellFor } from '../../tools/index.ts';
import type { DeclaredHandler, RunEnd } from '../dialects/types.ts';
import { HookFailure } from '../types.ts';
import { expanded, hookEnvironment } from './environment.ts';
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
      ...programOf(handler, env),
      cwd: handler.cwd === undefined ? cwd : resolve(cwd, expanded(handler.cwd, env)),
      env,
      stdin: `${JSON.stringify(run.stdin)}\n`,
      timeout: run.declared.timeout,
    },
    run.signal,
  );
}

function programOf(handler: CommandHandler, env: NodeJS.ProcessEnv): Pick<HookProgram, 'file' | 'args'> {
  const { command, args, noShell } = handler;
  if (args !== undefined) return { file: expanded(command, env), args: args.map((arg) => expanded(arg, env)) };
  if (noShell) return wordsOf(command);
  const shell = shellOf(handler);
  // In bash `${NAME}` is the environment's; PowerShell would look for a variable of its own.
  const line = handler.shell === 'powershell' || shell === 'powershell.exe' ? expanded(command, env) : command;
  return { file: shell, args: shellArguments(shell, line, false) };
}

function shellOf({ shell }: CommandHandler): string {
  const windows = process.platform === 'win32';
  switch (shell) {
    case 'powershell':
      return windows ? 'powershell.exe' : 'pwsh';
    case 'bash':
      return windows ? 'bash.exe' : shellFor(undefined);
    case undefined:
      return shellFor(undefined);
    default:
      return shell satisfies never;
  }
}

function wordsOf(command: string): Pick<HookProgram, 'file' | 'args'> {
  const [file, ...args] = splitWords(command) ?? [];
  if (file === undefined) throw new HookFailure('spawn', `It could not be started: ${command} has an open quote.`);
  return { file: file.replace(/^~(?=\/)/, homedir()), args };
}
