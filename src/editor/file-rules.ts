/** What VS Code's settings say of one file: its encoding, its line end, and whether it is marked read-only. */

import * as vscode from 'vscode';
import { globOf, surelyFits } from '../agent/kernel/patterns/index.ts';
import type { FileRules, NamedEncoding } from '../agent/tools/index.ts';

/** Encodings that a byte-order mark tells, so that nothing else has to know them. */
const WITH_MARK = { utf8bom: 'utf8-bom', utf16le: 'utf16le', utf16be: 'utf16be' } as const;

/** @param path absolute, of a file that may be new */
export async function fileRules(path: string): Promise<FileRules> {
  const uri = vscode.Uri.file(path);
  const files = vscode.workspace.getConfiguration('files', uri);
  const [encoding, readOnly] = [await encodingOf(uri, files), await readOnlyBy(uri, files)];
  const eol = files.get<string>('eol');
  return {
    ...(isMarked(encoding) ? { mark: WITH_MARK[encoding] } : encoding === 'utf8' ? {} : { encoding: named(encoding) }),
    ...(eol === '\r\n' || (eol === 'auto' && process.platform === 'win32') ? { lineEnd: '\r\n' } : {}),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/** A kind of file may have an encoding of its own, and one may be guessed: then the editor has to look at the file. */
async function encodingOf(uri: vscode.Uri, files: vscode.WorkspaceConfiguration): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.encoding;
  const set = files.get('encoding', 'utf8');
  const kinds = files.inspect('encoding')?.languageIds ?? [];
  if (kinds.length === 0 && !files.get('autoGuessEncoding', false)) return set;
  try {
    return (await vscode.workspace.openTextDocument(uri)).encoding;
  } catch {
    // It is a new file, or no text.
    return set;
  }
}

function isMarked(encoding: string): encoding is keyof typeof WITH_MARK {
  return encoding in WITH_MARK;
}

function named(encoding: string): NamedEncoding {
  return {
    name: encoding,
    decode: async (bytes) => await vscode.workspace.decode(bytes, { encoding }),
    encode: async (text) => await vscode.workspace.encode(text, { encoding }),
  };
}

/** `files.readonlyInclude` without `files.readonlyExclude`: globs for paths inside of their workspace folder. */
async function readOnlyBy(uri: vscode.Uri, files: vscode.WorkspaceConfiguration): Promise<string | undefined> {
  const inside = vscode.workspace.asRelativePath(uri, false);
  const fitting = async (setting: string) => {
    for (const [glob, isOn] of Object.entries(files.get<Readonly<Record<string, unknown>>>(setting, {}))) {
      if (isOn !== true) continue;
      for (const path of [inside, uri.path]) if (surelyFits(await globOf(glob).test(path))) return glob;
    }
    return undefined;
  };
  const glob = await fitting('readonlyInclude');
  if (glob === undefined || (await fitting('readonlyExclude')) !== undefined) return undefined;
  return `files.readonlyInclude (${glob})`;
}
