import { basename, dirname } from 'node:path';
import { readDeclaration } from '../../declarations/read-declaration.ts';
import { breathe } from '../../kernel/slices.ts';
import { AT_ONCE, type ReadHooks, readOffThread } from '../../reading/index.ts';
import { hooksOfFolder, type ReadConfig } from '../dialects/index.ts';
import type { Dialect } from '../types.ts';
import type { HookFile } from './places.ts';
import { readHooks } from './read-hooks.ts';

export interface ReadHookFile {
  readonly file: HookFile;
  readonly dialect: Dialect;
  readonly config: ReadConfig;
  /** 1-based line of a 0-based offset in its text, of one of its hooks. */
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
    const { dialect, config, lines } = await hooksOf({ dialect: file.dialect, text, most: MOST_HOOKS });
    return { file, dialect, config, lineOf: (offset) => lines.get(offset) ?? 1 };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const broken = `It cannot be read: ${code ?? message}. Its hooks do not run.`;
    const dialect = file.dialect === 'shared' ? 'vscode' : file.dialect;
    return { file, dialect, config: { hooks: [], warnings: [], broken }, lineOf: () => 1 };
  }
}

async function hooksOf(of: Parameters<typeof readHooks>[0]): Promise<ReadHooks> {
  if (of.text.length <= AT_ONCE) {
    await breathe();
    return readHooks(of);
  }
  const read = await readOffThread({ is: 'hooks', ...of });
  if ('why' in read) throw new Error(read.words);
  if (!read.hooks) throw new Error('it was not answered');
  return read.hooks;
}
