import { basename, dirname } from 'node:path';
import { lineAt } from '../../declarations/json-text.ts';
import { readDeclaration } from '../../declarations/read-declaration.ts';
import { prepareConditions } from '../dialects/conditions.ts';
import { dialectOfHooksFile, hooksOfFolder, type ReadConfig, rulesOf } from '../dialects/index.ts';
import type { Dialect } from '../types.ts';
import type { HookFile } from './places.ts';

export interface ReadHookFile {
  readonly file: HookFile;
  readonly dialect: Dialect;
  readonly config: ReadConfig;
  /** 1-based line of a 0-based offset in its text. */
  lineOf(offset: number): number;
}

/** More than people write: each is looked at whenever something changes. */
const MOST_HOOKS = 1000;

/** Undefined for a file that went away in between. Never rejects: what cannot be read is broken. */
export async function readHookFile(file: HookFile): Promise<ReadHookFile | undefined> {
  if (file.isScript) {
    const config = hooksOfFolder(dirname(file.path), [basename(file.path)]);
    return { file, dialect: 'cline', config, lineOf: () => 1 };
  }
  try {
    const text = await readDeclaration(file.path);
    const dialect = file.dialect === 'shared' ? dialectOfHooksFile(text) : file.dialect;
    const config = rulesOf(dialect).readConfig(text);
    await prepareConditions(config.hooks);
    if (config.hooks.length > MOST_HOOKS) {
      const broken = `It declares ${config.hooks.length} hooks, and at most ${MOST_HOOKS} are read from one file. None of them runs.`;
      return { file, dialect, config: { hooks: [], warnings: config.warnings, broken }, lineOf: () => 1 };
    }
    return { file, dialect, config, lineOf: (offset) => lineAt(text, offset) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const broken = `It cannot be read: ${code ?? message}. Its hooks do not run.`;
    const dialect = file.dialect === 'shared' ? 'vscode' : file.dialect;
    return { file, dialect, config: { hooks: [], warnings: [], broken }, lineOf: () => 1 };
  }
}
