import { maskSecrets } from '../safety/index.ts';
import { firstOf } from '../tools/index.ts';
import { decidedWords } from './decided-words.ts';
import { noAnswer } from './merge.ts';
import type { Run, RunEnding } from './run.ts';
import { HookFailure, type HookRun } from './types.ts';

const KEPT = 20;
/** Characters of each of stdin, stdout and stderr. */
const OUTPUT = 10_000;
/** Characters of them that are looked at for secrets: more than are kept, so that one at the cut is found. */
const LOOKED_AT = 2 * OUTPUT;
const PROBLEM = 2000;

/** The newest runs of each hook. */
export class RunLog {
  readonly #runs = new Map<string, readonly HookRun[]>();

  /** Newest first. */
  of(hookId: string): readonly HookRun[] {
    return this.#runs.get(hookId) ?? [];
  }

  add(run: HookRun): void {
    this.#runs.set(run.hookId, [run, ...this.of(run.hookId)].slice(0, KEPT));
  }

  forget(hookId: string): void {
    this.#runs.delete(hookId);
  }
}

/** @param now milliseconds since the epoch */
export function hookRun({ hook, startedAt }: Run, ending: RunEnding, now: number): HookRun {
  const said = outputs(ending);
  return {
    hookId: hook.id,
    event: hook.event,
    startedAt,
    durationMs: Math.max(0, now - startedAt),
    outcome: ending.is,
    ...('exitCode' in said && said.exitCode !== undefined && { exitCode: said.exitCode }),
    ...(said.stdin && { stdin: kept(said.stdin) }),
    ...(said.stdout && { stdout: kept(said.stdout) }),
    ...(said.stderr && { stderr: kept(said.stderr) }),
    decided: decidedWords(hook, ending.is === 'ok' ? ending.reply.answer : noAnswer),
    ...(ending.is === 'failed' || ending.is === 'timeout' ? { problem: problemOf(ending.error) } : {}),
    ...(ending.is === 'cancelled' && { problem: CANCELLED[ending.why] }),
    ...(ending.is === 'ok' && ending.reply.warnings?.length && { warnings: ending.reply.warnings }),
  };
}

/** Masked before it is cut: half of a secret is not known by its form. */
function kept(text: string): string {
  return maskSecrets(text.slice(0, LOOKED_AT)).slice(0, OUTPUT);
}

const CANCELLED = {
  stopped: 'The turn was stopped, so that nobody needed its answer.',
  unloaded: 'It was unloaded while it ran.',
};

interface Outputs {
  readonly exitCode?: number | null | undefined;
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
}

function outputs(ending: RunEnding): Outputs {
  if (ending.is === 'ok') return ending.reply;
  return 'error' in ending && ending.error instanceof HookFailure ? ending.error : {};
}

/** In words, without a stack; at most 2,000 characters. Never throws, whatever was thrown. */
export function problemOf(error: unknown): string {
  try {
    const words = String(error instanceof Error ? error.message || error.name : error);
    return words === '' ? 'It failed without a word.' : firstOf(maskSecrets(firstOf(words, 2 * PROBLEM)), PROBLEM);
  } catch {
    return 'It failed with something that has no words.';
  }
}
