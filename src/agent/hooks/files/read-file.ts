import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { readJsonText } from '../dialects/json-text.ts';
import type { DialectRules, ReadConfig } from '../dialects/types.ts';
import type { Dialect } from '../types.ts';
import type { HookFile } from './places.ts';

export interface ReadHookFile {
  readonly file: HookFile;
  readonly dialect: Dialect;
  readonly config: ReadConfig;
  /** Claude Code's `disableAllHooks`: none of its hooks run, whichever file they are in. */
  readonly disablesAll: boolean;
  /** 1-based line of a 0-based offset in its text. */
  lineOf(offset: number): number;
}

/** Undefined for a file that went away in between. Never rejects: what cannot be read is broken. */
export async function readHookFile(
  file: HookFile,
  rulesOf: (dialect: Dialect) => DialectRules,
): Promise<ReadHookFile | undefined> {
  const [first] = file.dialects;
  if (first === undefined) return undefined;
  try {
    const text = await readFile(file.path, 'utf8');
    const read = file.dialects.map((dialect) => ({ dialect, config: rulesOf(dialect).readConfig(text) }));
    const best = read.reduce((one, other) => (unreadIn(other.config) < unreadIn(one.config) ? other : one));
    return {
      file,
      ...best,
      disablesAll: best.dialect === 'claude' && disablesAll(text),
      lineOf: (offset) => text.slice(0, offset).split('\n').length,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const broken = `It cannot be read: ${code ?? message}. Its hooks do not run.`;
    return { file, dialect: first, config: { hooks: [], warnings: [], broken }, disablesAll: false, lineOf: () => 1 };
  }
}

function disablesAll(text: string): boolean {
  const json = readJsonText(text);
  return typeof json !== 'string' && z.looseObject({ disableAllHooks: z.literal(true) }).safeParse(json.value).success;
}

/** How much of a file a dialect does not know: where two share a folder, the one that knows more wrote it. */
function unreadIn({ hooks, broken }: ReadConfig): number {
  if (broken !== undefined) return Number.POSITIVE_INFINITY;
  return hooks.filter((hook) => hook.event === undefined || hook.broken !== undefined).length;
}
