import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

/**
 * The editor's own ripgrep. It moved in VS Code 1.122, and packed builds keep it beside their archive, so there are
 * four places (microsoft/vscode#318691). Undefined when none has it: then `rg` on the PATH or our own search serves.
 */
export function findRipgrep(): string | undefined {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const places = ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    [modules, '@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`],
    [modules, '@vscode', 'ripgrep', 'bin'],
  ]);
  return places.map((place) => join(vscode.env.appRoot, ...place, binary)).find((path) => existsSync(path));
}
