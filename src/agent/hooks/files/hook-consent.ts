import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { breathe } from '../../kernel/slices.ts';
import { type Consentable, type NamedScripts, type Starts, scriptsOfCommand } from '../../trust/index.ts';
import type { DeclaredHandler, DeclaredHook } from '../dialects/types.ts';
import { nameOf } from '../handlers/index.ts';
import type { Dialect } from '../types.ts';
import type { HookFile } from './places.ts';

export interface HookInFile {
  readonly file: HookFile;
  readonly dialect: Dialect;
  readonly declared: DeclaredHook;
  /** 1-based. */
  readonly line?: number;
  /** The folder that it runs in and calls its project. Absolute. */
  readonly project: string;
  readonly home: string;
}

export interface HookConsent {
  readonly of: Consentable;
  /** A script that it runs is missing or may not be executed: in words. */
  readonly problem?: string;
  readonly warnings: readonly string[];
}

/** What the user is asked to allow: the hook as it is written, with the scripts that it names. */
export async function hookConsent(hook: HookInFile): Promise<HookConsent> {
  const { file, declared, line, project } = hook;
  const { declaredAs, matcher, timeout, failClosed, handler, place } = declared;
  await breathe();
  const scripts = await scriptsOf(hook);
  await breathe();
  const problem = await problemOf(scripts);
  return {
    of: {
      id: `hook:${file.consentPath}#${place}`,
      kind: 'hook',
      title: `${declaredAs}: ${nameOf(handler)}`,
      scope: file.scope,
      path: file.path,
      ...(line === undefined ? {} : { line }),
      wouldRun: `${wouldRun(handler)}\n${when(declared)}`,
      definition: {
        dialect: hook.dialect,
        event: declaredAs,
        matcher,
        when: declared.when,
        timeout,
        failClosed,
        handler,
      },
      files: scripts.files,
      ...(scripts.starts === undefined ? {} : { starts: scripts.starts }),
      root: project,
    },
    ...(problem === undefined ? {} : { problem }),
    warnings: scripts.unknown.map(
      (text) =>
        `Which file ${text} is, only the shell knows: you are not asked again when it changes. Write its path with $CLAUDE_PROJECT_DIR or from the project's folder.`,
    ),
  };
}

interface HookScripts extends Pick<NamedScripts, 'files' | 'programs' | 'unknown'> {
  readonly starts?: Starts;
}

async function scriptsOf({ file, declared, project, home }: HookInFile): Promise<HookScripts> {
  const { handler } = declared;
  if (handler.type !== 'command') return { files: [], programs: [], unknown: [] };
  const variables = { CLAUDE_PROJECT_DIR: project, HOME: home, PWD: project, ...handler.env };
  const cwd = resolve(project, handler.cwd?.replace(/\$\{CLAUDE_PROJECT_DIR\}/g, project) ?? '.');
  const { command, args, shell } = handler;
  const env = handler.env ?? {};
  const of = args ? { command, args, env } : shell === 'powershell' ? { command, shell, env } : { command, env };
  const place = { cwd, home, variables };
  const { files, programs, unknown } = await scriptsOfCommand(of, place);
  // A file that is itself the hook is run by its own path.
  const scripts = file.isScript ? [file.path] : [];
  return { files: [...new Set([...files, ...scripts])], programs, unknown, starts: { command: of, place, scripts } };
}

/** Of what is run by its path. What is found by PATH, the shell will know. */
async function problemOf({ programs }: HookScripts): Promise<string | undefined> {
  for (const { text, paths } of programs) {
    const present = (await Promise.all(paths.map(async (path) => ((await exists(path)) ? [path] : [])))).flat();
    if (present.length === 0) return `The script ${text} does not exist (looked for as ${paths.join(', ')}).`;
    const runnable = await Promise.all(present.map(mayBeExecuted));
    if (!runnable.includes(true)) return `The script ${text} may not be executed: run chmod +x on it.`;
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

async function mayBeExecuted(path: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function wouldRun(handler: DeclaredHandler): string {
  switch (handler.type) {
    case 'command': {
      const { command, args, shell, noShell, cwd, env = {} } = handler;
      const line = args ? [command, ...args].map(quoted).join(' ') : command;
      const how = args || noShell ? 'without a shell' : shell === undefined ? 'by the shell' : `by ${shell}`;
      const where = cwd === undefined ? '' : `, in ${cwd}`;
      const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
      return [line, `(${how}${where})`, ...(variables.length ? [`with ${variables.join(' ')}`] : [])].join('\n');
    }
    case 'http': {
      const { url, headers, allowedEnvVars } = handler;
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const variables = allowedEnvVars.length ? [`may send the variables ${allowedEnvVars.join(', ')}`] : [];
      return [`POST ${url}`, ...lines, ...variables].join('\n');
    }
    case 'prompt':
      return `asks ${handler.model ?? 'the active model'}:\n${handler.prompt}`;
    case 'mcp_tool':
      return `calls the tool ${handler.tool} of the MCP server ${handler.server}\n${JSON.stringify(handler.input)}`;
    default:
      return handler satisfies never;
  }
}

function when({ declaredAs, matcher, timeout, failClosed }: DeclaredHook): string {
  const of = matcher === undefined || matcher === '' ? declaredAs : `${declaredAs} of ${matcher}`;
  const limit = `for at most ${timeout / 1000} s`;
  return `at ${of}, ${limit}${failClosed ? '; when it fails, the call is blocked' : ''}`;
}

function quoted(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
