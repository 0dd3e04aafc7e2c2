import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Figures, Level } from './pool.ts';

/** What a mutant needs of the repository. */
const COPIED = ['package.json', 'src', 'test/model-server', 'test/sim'];
const SEED = 1;
const LENGTH = 40;

export interface Mutant {
  /** The file name of the patch without its ending. */
  readonly name: string;
  readonly file: string;
  /** Number of the control rule that it breaks. */
  readonly invariant: number;
  readonly level: Level;
}

export type Outcome =
  | { readonly mutant: Mutant; readonly caught: true; readonly rule: string; readonly schedules: number }
  | { readonly mutant: Mutant; readonly caught: false; readonly why: string };

/** Patches in `folder`; each says above its first line which rule it breaks (`Invariant: 4`) and where that shows. */
export function mutantsIn(folder: string): readonly Mutant[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .toSorted()
    .map((name) => {
      const file = path.join(folder, name);
      const text = readFileSync(file, 'utf8');
      const invariant = Number(/^Invariant: (\d+)$/m.exec(text)?.[1]);
      if (!(invariant >= 1 && invariant <= 10)) throw new Error(`${name} names no invariant`);
      const level = /^Level: machine$/m.test(text) ? 'machine' : 'loop';
      return { name: name.replace(/\.patch$/, ''), file, invariant, level };
    });
}

/**
 * Breaks a copy of the code and plays schedules until one of them shows it. The repository itself is not touched.
 *
 * @param most schedules after which the mutant counts as not caught
 */
export async function hunt(repository: string, mutant: Mutant, most: number): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'midcourse-mutant-'));
  try {
    for (const name of COPIED) cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
    symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    try {
      await promisify(execFile)('git', ['apply', mutant.file], { cwd: folder });
    } catch (error) {
      return { mutant, caught: false, why: `the patch does not apply any more: ${error}` };
    }
    return judge(mutant, await play(folder, mutant, most));
  } catch (error) {
    return { mutant, caught: false, why: `it does not run: ${error instanceof Error ? error.message : error}` };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function play(folder: string, { level }: Mutant, schedules: number): Promise<Figures> {
  const pool: typeof import('./pool.ts') = await import(pathToFileURL(path.join(folder, 'test/sim/pool.ts')).href);
  return pool.simulate({ level, schedules, seed: SEED, length: LENGTH });
}

function judge(mutant: Mutant, { broken, schedules }: Figures): Outcome {
  if (!broken) return { mutant, caught: false, why: `${schedules} schedules broke nothing` };
  const [rule = ''] = broken.problem.split(':');
  // A crash shows that the mutant is no program, not that a rule watches over it.
  if (!/^\d+ /.test(rule) || rule.startsWith('0 ')) return { mutant, caught: false, why: broken.problem };
  return { mutant, caught: true, rule, schedules: broken.seed - SEED + 1 };
}
