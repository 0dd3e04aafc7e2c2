import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as z from 'zod';
import {
  commandNeed,
  gitGuard,
  inspectCommand,
  maskKeys,
  maskRanges,
  repositoryPrograms,
  resolveInside,
  shellKind,
  shortCommand,
  shownPath,
} from '../safety/index.ts';
import { ApprovedCalls } from './approved-calls.ts';
import type { OtherNames } from './argument-names.ts';
import { exitNote, isFailure } from './exit-code.ts';
import { type Finished, runForeground, type Yielded } from './foreground.ts';
import { commandEnvironment, shellFor } from './shell.ts';
import { failure } from './text-file.ts';
import type { PermissionNeed, Tool, ToolContext, ToolResult, ToolSettings } from './types.ts';

/** Seconds. */
const LONGEST = 600;

const input = z.strictObject({
  command: z.string().min(1).describe('Shell command. It gets no input and no terminal.'),
  cwd: z.string().optional().describe('Folder in the workspace; otherwise where the last command ended.'),
  timeout: z.number().positive().optional().describe(`Seconds, at most ${LONGEST}.`),
  background: z.boolean().default(false).describe('Starts it and returns at once; use the process tool afterwards.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  cmd: 'command',
  script: 'command',
  working_directory: 'cwd',
  workdir: 'cwd',
  directory: 'cwd',
  timeout_seconds: 'timeout',
  timeout_ms: { to: 'timeout', as: (value) => (typeof value === 'number' ? value / 1000 : undefined) },
  run_in_background: 'background',
  is_background: 'background',
  // A sentence about the command, for people.
  description: null,
  explanation: null,
};
type Input = z.infer<typeof input>;

export function terminalTool(): Tool<Input> {
  const folders = new WorkingFolders();
  const approved = new ApprovedCalls();
  return {
    name: 'terminal',
    description:
      'Runs a shell command in the workspace and returns its output and exit code. The next command starts in the folder where it ended; variables, aliases and functions that it sets do not last. For servers and watchers set background. To read, search or edit files use the tools made for it.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    longRunning: true,
    subject: ({ command, background }) => ({
      verb: background ? 'start' : 'run',
      object: shortCommand(maskKeys(command)),
    }),
    async permission(run, context) {
      const cwd = await workingFolder(run, context, folders);
      if (!cwd.ok || (await refusal(run, context, folders))) return undefined;
      approved.remember(context, whatRuns(run, cwd.path));
      return await permissionFor(run, cwd.path, context);
    },
    async run(run, context) {
      const refused = await refusal(run, context, folders);
      if (refused) return refused;
      const cwd = await workingFolder(run, context, folders);
      if (!cwd.ok) return { status: 'error', text: cwd.why };
      if (!approved.take(context, whatRuns(run, cwd.path))) {
        const text =
          'Not run: the command or its folder changed since it was allowed. Look at the folder and try again.';
        return { status: 'error', text };
      }
      if (context.signal.aborted) return { status: 'not_run', text: 'Stopped before the command was started.' };
      return run.background
        ? await startInBackground(run.command, cwd.path, context)
        : await runInForeground(run, cwd.path, context, folders);
    },
  };
}

/** What consent is given for: this text, to the byte, in this real folder. */
function whatRuns({ command, background }: Input, cwd: string): unknown {
  return { command, background, cwd };
}

/** What is refused without asking anybody: the user would only be shown a question that has one answer. */
async function refusal(run: Input, context: ToolContext, folders: WorkingFolders): Promise<ToolResult | undefined> {
  const { verdict } = await inspectCommand(run.command, shellKind(shellFor(context.settings.shell)));
  if (verdict.level === 'blocked') {
    return {
      status: 'blocked',
      text: `This command is never run: ${verdict.why} Do not try it in another form.`,
      detail: 'blocked',
    };
  }
  if (!run.background && run.timeout !== undefined && run.timeout > LONGEST) {
    return {
      status: 'error',
      text: `A command may run for ${LONGEST} seconds at most in the foreground; nothing was run. For longer ones set background and look at them with the process tool.`,
    };
  }
  const cwd = await workingFolder(run, context, folders);
  return cwd.ok ? undefined : { status: 'error', text: cwd.why };
}

async function permissionFor(
  { command, background }: Input,
  cwd: string,
  { folders, settings }: ToolContext,
): Promise<PermissionNeed | undefined> {
  const need = await commandNeed(command, shellKind(shellFor(settings.shell)), { cwd, folders });
  if (need.blocked !== undefined) return undefined;
  const programs = need.rule?.readsGit ? await repositoryPrograms(cwd, hostEnvironment(settings)) : [];
  const named = folderName(cwd, folders);
  return {
    kind: 'run',
    summary: `${background ? 'Start in the background' : 'Run'}${named === undefined ? '' : ` in ${named}`}: ${shortCommand(maskRanges(command, need.masked))}`,
    why:
      programs.length === 0
        ? need.why
        : `${need.why} The repository's own settings have git start programs or read other files: ${programs.slice(0, 5).join(', ')}.`,
    command,
    masked: need.masked,
    ...(named === undefined ? {} : { cwd: named }),
    ...(need.rule && programs.length === 0 ? { rule: need.rule } : {}),
    ...(need.dangers.length > 0 ? { always: true, dangers: need.dangers } : {}),
  };
}

/** As the user names it: from its workspace folder, with that one's name where there are several. */
function folderName(cwd: string, folders: readonly string[]): string | undefined {
  if (cwd === folders[0]) return undefined;
  return shownPath(cwd, folders);
}

type Folder = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string };

async function workingFolder({ cwd }: Input, context: ToolContext, folders: WorkingFolders): Promise<Folder> {
  const found = await resolveInside(cwd ?? folders.of(context.sessionId) ?? context.folders[0] ?? '.', context.folders);
  if (!found.ok) return found;
  const stats = await stat(found.path).catch(() => undefined);
  if (stats?.isDirectory()) return { ok: true, path: found.path };
  if (cwd === undefined && context.folders[0] !== undefined) return { ok: true, path: context.folders[0] };
  return { ok: false, why: `${cwd ?? found.path} is not a folder; nothing was run.` };
}

async function startInBackground(command: string, cwd: string, context: ToolContext): Promise<ToolResult> {
  const env = environmentFor(command, context);
  try {
    const { id, pid } = await context.processes.start({ command, cwd, env, turnId: context.turnId });
    return {
      status: 'success',
      text: `Started in the background as ${id} (pid ${pid}). Look at it with the process tool: poll ${id}.`,
      detail: id,
    };
  } catch (error) {
    return { status: 'error', text: `The command could not be started: ${failure(error)}` };
  }
}

function hostEnvironment({ secretEnv, env = {}, letThrough = [] }: ToolSettings): NodeJS.ProcessEnv {
  return commandEnvironment(process.env, secretEnv, { set: env, letThrough });
}

/** git that a rule allowed, without anybody seeing the call, starts none of the programs that a repository names. */
function environmentFor(command: string, { settings, seen }: ToolContext): NodeJS.ProcessEnv {
  const env = hostEnvironment(settings);
  return seen ? env : { ...env, ...gitGuard(command, env) };
}

async function runInForeground(
  run: Input,
  cwd: string,
  context: ToolContext,
  folders: WorkingFolders,
): Promise<ToolResult> {
  const seconds = run.timeout ?? context.settings.terminalTimeout;
  const mark = `${context.callId.slice(0, 40).replace(/[^\w-]/g, '_')}-${randomUUID()}`;
  try {
    const finished = await runForeground({
      command: run.command,
      cwd,
      shell: shellFor(context.settings.shell),
      env: environmentFor(run.command, context),
      mark,
      recorded: context.processes.record(mark, run.command),
      timeoutMs: seconds * 1000,
      signal: context.signal,
      killSignal: context.killSignal,
      yieldSignal: context.yieldSignal,
      onText: (text, replaced) => context.output(text, replaced),
      handOver: (running) => context.processes.adopt({ ...running, command: run.command, cwd, turnId: context.turnId }),
    });
    if (finished.how === 'yielded') return yieldedResult(finished, context.yieldSignal.reason === 'user');
    const next = finished.endedIn === undefined ? undefined : await resolveInside(finished.endedIn, context.folders);
    if (next?.ok) folders.set(context.sessionId, next.path);
    const outside =
      next?.ok === false ? [`[It ended outside of the workspace; the next command starts in ${cwd} again.]`] : [];
    return { ...resultOf(run.command, finished, seconds, outside), facts: factsOf(run.command, cwd, finished) };
  } catch (error) {
    return { status: 'error', text: `The command could not be started: ${failure(error)}` };
  }
}

function factsOf(command: string, cwd: string, { output, exitCode }: Finished): NonNullable<ToolResult['facts']> {
  return { command, cwd, output, exit_code: exitCode };
}

function resultOf(command: string, finished: Finished, limit: number, notes: readonly string[]): ToolResult {
  const { how, output, exitCode, exitSignal, survivors, left } = finished;
  const text = (line: string) => {
    const remaining = named(survivors, '[These processes could not be ended: ');
    const running = named(left, '[The command left these running: ');
    return [output.trimEnd(), ...remaining, ...running, ...notes, line].filter((part) => part !== '').join('\n');
  };
  const dead = survivors.length > 0 ? { survivors } : {};
  switch (how) {
    case 'stopped':
      return {
        status: 'stopped',
        text: text(`[stopped after ${seconds(finished.durationMs)}, may have run in part]`),
        detail: 'stopped',
        ...dead,
      };
    case 'timeout':
      return {
        status: 'timeout',
        text: text(
          `[timed out after ${limit} s and was ended with all that it had started, exit 124; may have run in part. Give a longer timeout, or set background.]`,
        ),
        detail: 'timed out',
        ...dead,
      };
    case 'exited': {
      const note = exitNote(command, exitCode, exitSignal);
      const status = isFailure(command, exitCode, exitSignal) ? 'error' : 'success';
      const detail = exitSignal === null ? `exit ${exitCode}` : exitSignal;
      return { status, text: text(`[${detail}${note ? `: ${note}` : ''}]`), detail };
    }
    default:
      return how satisfies never;
  }
}

function yieldedResult({ output, process, durationMs }: Yielded, byUser: boolean): ToolResult {
  const why = byUser ? 'the user moved it there' : 'the user sent new guidance, which follows';
  const note = `[still running after ${seconds(durationMs)}: it goes on in the background as ${process.id} (pid ${process.pid}), because ${why}. Its time limit no longer applies; its end will be told. Do not start it again.]`;
  return {
    status: 'yielded',
    text: [output.trimEnd(), note].filter((part) => part !== '').join('\n'),
    detail: `in the background as ${process.id}`,
  };
}

function named(processes: readonly { pid: number; command: string }[], words: string): readonly string[] {
  if (processes.length === 0) return [];
  return [`${words}${processes.map(({ pid, command }) => `${pid} (${command})`).join(', ')}]`];
}

function seconds(ms: number): string {
  return `${ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000)} s`;
}

/** Where the last command of each session ended; the oldest sessions are forgotten. */
class WorkingFolders {
  readonly #folders = new Map<string, string>();

  of(sessionId: string): string | undefined {
    return this.#folders.get(sessionId);
  }

  set(sessionId: string, folder: string): void {
    this.#folders.delete(sessionId);
    this.#folders.set(sessionId, folder);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > 200 && oldest !== undefined) this.#folders.delete(oldest);
  }
}
