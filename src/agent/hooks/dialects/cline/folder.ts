import { basename, extname, join } from 'node:path';
import { supportOf, unreadable } from '../declared.ts';
import type { DeclaredHandler, DeclaredHook, ReadConfig } from '../types.ts';
import { events, timeoutOf } from './events.ts';

/**
 * The hooks of a folder: executable files that are named after their event.
 *
 * @param folder absolute
 * @param names of the files in it
 */
export function hooksOfFolder(folder: string, names: readonly string[]): ReadConfig {
  return { hooks: names.filter((name) => !name.startsWith('.')).map((name) => hookOfFile(folder, name)), warnings: [] };
}

function hookOfFile(folder: string, name: string): DeclaredHook {
  const extension = extname(name).toLowerCase();
  const declaredAs = basename(name, extname(name));
  const support = supportOf(declaredAs, events, 'Cline');
  const windows = process.platform === 'win32';
  if (extension === '.ps1' && !windows)
    return unreadable(declaredAs, name, 'A .ps1 file runs on Windows only.', undefined);
  if (extension === '' && windows)
    return unreadable(declaredAs, name, 'On Windows its name has to end in .ps1.', undefined);
  return {
    declaredAs,
    ...support,
    place: name,
    offset: 0,
    kind: 'command',
    timeout: timeoutOf(declaredAs),
    failClosed: false,
    handler: handlerOf(join(folder, name), extension),
    warnings: [],
  };
}

function handlerOf(path: string, extension: string): DeclaredHandler {
  if (extension !== '.ps1') return { type: 'command', command: path, args: [] };
  return {
    type: 'command',
    command: 'powershell.exe',
    args: ['-NoProfile', '-ExecutionPolicy', 'Bypass', '-File', path],
  };
}
