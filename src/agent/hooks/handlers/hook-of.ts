/**
 * What a file declares, made into a hook that the dispatcher can run: stdin and answer by the rules of its dialect, the
 * run by the kind of its handler.
 */

import { createHash } from 'node:crypto';
import type { HookPayload } from '../../../hooks-api.ts';
import { saidOn } from '../dialects/stdout.ts';
import type { DeclaredHandler, DeclaredHook, DialectRules, Reading, ReadOutput, RunEnd } from '../dialects/types.ts';
import { longestTimer } from '../limits.ts';
import { type Hook, HookFailure, type HookReply, type HookSource } from '../types.ts';
import { runCommand } from './command.ts';
import { runHttp } from './http.ts';
import { withinReach } from './long-text.ts';
import { runMcpTool } from './mcp-tool.ts';
import { OUTPUT_CHARACTERS } from './processes.ts';
import { runPrompt } from './prompt.ts';
import type { HandlerRun, HookParts } from './types.ts';
import { keptText, shortName } from './words.ts';

/**
 * @throws TypeError for one that is not supported or broken: it is listed with the reason, and there is nothing to run
 */
export function hookOf(written: DeclaredHook, rules: DialectRules, source: HookSource, parts: HookParts): Hook {
  // Some write milliseconds where seconds are meant.
  const declared = { ...written, timeout: Math.min(written.timeout, longestTimer) };
  const { event, handler } = declared;
  const why = declared.broken ?? declared.unsupported;
  if (event === undefined || why !== undefined) throw new TypeError(`${declared.place} cannot run: ${why ?? ''}`);
  const of = { declared, rules, parts, by: nameOf(handler) };
  return {
    id: hookId(source, declared),
    event,
    declaredAs: declared.declaredAs,
    dialect: rules.dialect,
    source,
    kind: declared.kind,
    name: of.by,
    timeout: declared.timeout,
    failClosed: declared.failClosed,
    answers: declared.answers && !isAsync(handler),
    matches: (payload) => rules.matches(declared, payload),
    run: (payload, signal) => runOnce(of, payload, signal),
  };
}

/** Where it is written and what it is: a definition that moves within its file keeps nothing of its past. */
export function hookId(source: HookSource, { place, handler }: Pick<DeclaredHook, 'place' | 'handler'>): string {
  const what = createHash('sha256').update(JSON.stringify(handler)).digest('hex').slice(0, 12);
  const where = source.is === 'file' ? source.path : source.is === 'plugin' ? source.plugin : source.is;
  const file = source.is === 'plugin' && source.path !== undefined ? `:${source.path}` : '';
  return `${source.is}:${where}${file}#${place}:${what}`;
}

/** For people: the command, the address, the question or the tool. */
export function nameOf(handler: DeclaredHandler): string {
  switch (handler.type) {
    case 'command':
      return shortName([handler.command, ...(handler.args ?? [])].join(' '));
    case 'http':
      return shortName(handler.url);
    case 'prompt':
      return shortName(`"${handler.prompt.trim()}"`);
    case 'mcp_tool':
      return `${handler.server}/${handler.tool}`;
    default:
      return handler satisfies never;
  }
}

interface HookOf {
  readonly declared: DeclaredHook;
  readonly rules: DialectRules;
  readonly parts: HookParts;
  readonly by: string;
}

async function runOnce({ declared, rules, parts, by }: HookOf, payload: HookPayload, signal: AbortSignal) {
  const reading: Reading = { payload, hook: declared, by };
  const stdin = await rules.stdin(declared, payload, parts.surroundings);
  const run: HandlerRun = { declared, rules, parts, payload, stdin, signal };
  const given = keptText(JSON.stringify(stdin, undefined, 2));
  try {
    const { exitCode, stdout = '', stderr = '', read } = await runHandler(run, reading);
    const shown = {
      ...(exitCode === undefined ? {} : { exitCode }),
      stdin: given,
      stdout: keptText(stdout),
      stderr: keptText(stderr),
    };
    return await replyOf(read, shown, parts.textFolder);
  } catch (error) {
    throw error instanceof HookFailure ? error.given(given) : error;
  }
}

type Ran = Pick<HookReply, 'exitCode' | 'stdout' | 'stderr'> & { readonly read: ReadOutput };

async function runHandler(run: HandlerRun, reading: Reading): Promise<Ran> {
  const { rules, declared } = run;
  const { handler } = declared;
  switch (handler.type) {
    case 'command': {
      const end = await runCommand(run, handler);
      return { ...end, read: rules.readOutput(heard(end), reading) };
    }
    case 'http': {
      const stdout = await runHttp(run, handler);
      return { stdout, read: rules.readOutput({ exitCode: 0, stdout, stderr: '' }, reading) };
    }
    case 'mcp_tool': {
      const stdout = await runMcpTool(run, handler);
      return { stdout, read: rules.readOutput({ exitCode: 0, stdout, stderr: '' }, reading) };
    }
    case 'prompt': {
      if (!rules.readVerdict) throw new HookFailure('output', `Hooks of ${rules.dialect} cannot ask a model.`);
      const { verdict, text } = await runPrompt(run, handler);
      return { stdout: text, read: rules.readVerdict(verdict, reading) };
    }
    default:
      return handler satisfies never;
  }
}

/** What is left of a cut answer is no JSON any more, and must not be taken for a hook that says nothing. */
function heard(end: RunEnd): RunEnd {
  const { exitCode, stdout } = end;
  const isCut = stdout.length === OUTPUT_CHARACTERS && /^\s*\{/.test(stdout) && saidOn(stdout).is === 'text';
  if (!isCut || exitCode === 2) return end;
  return { ...end, exitCode: exitCode || 1, stdout: '', unread: 'Its answer is longer than 1 MB, and was not read.' };
}

async function replyOf(
  { answer, message, warnings, failed }: ReadOutput,
  shown: Pick<HookReply, 'exitCode' | 'stdin' | 'stdout' | 'stderr'>,
  textFolder: string,
): Promise<HookReply> {
  if (failed !== undefined && Object.keys(answer).length === 0) {
    const { exitCode = 0, stdout = '', stderr = '' } = shown;
    throw new HookFailure(exitCode === 0 ? 'output' : 'exit', failed, { exitCode, stdout, stderr });
  }
  const all = failed === undefined ? warnings : [failed, ...warnings];
  return {
    answer: await withinReach(answer, textFolder),
    ...shown,
    ...(message === undefined ? {} : { message }),
    ...(all.length === 0 ? {} : { warnings: all }),
  };
}

function isAsync(handler: DeclaredHandler): boolean {
  return handler.type === 'command' && handler.async === true;
}
