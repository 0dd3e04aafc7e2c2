/** The grammars of shells, each loaded when the first text of its kind is read. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Parser, Tree } from 'web-tree-sitter';

type GrammarName = 'bash' | 'powershell';

/** Milliseconds that a text may take to be read: a command that people write takes less than one. */
const PATIENCE = 20;

export interface Grammar {
  /** Undefined where the text takes too long. The tree has to be given back by `delete()`. */
  parse(text: string): Tree | undefined;
}

const grammars = new Map<GrammarName, Promise<Grammar>>();

/** The same one for all callers. @throws Error when a file of the grammar is missing: the installation is broken then. */
export function grammarOf(name: GrammarName): Promise<Grammar> {
  const known = grammars.get(name);
  if (known) return known;
  const loading = load(name);
  grammars.set(name, loading);
  // The next reader may find the file again.
  loading.catch(() => grammars.delete(name));
  return loading;
}

async function load(name: GrammarName): Promise<Grammar> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ locateFile: () => fileOf('web-tree-sitter.wasm', 'web-tree-sitter') });
  const language = await Language.load(fileOf(`tree-sitter-${name}.wasm`, '@vscode/tree-sitter-wasm/wasm'));
  const parser = new Parser().setLanguage(language);
  // The first text takes longer than all later ones: the code is compiled by then.
  parse(parser, 'true');
  return { parse: (text) => parse(parser, text) };
}

function parse(parser: Parser, text: string): Tree | undefined {
  const deadline = performance.now() + PATIENCE;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  // What is left of a text that was given up would be continued with the next one.
  if (!tree) parser.reset();
  return tree ?? undefined;
}

/** Beside the bundle, where the build puts it, or in its package, where the sources run as they are. */
function fileOf(file: string, folder: string): string {
  const built = join(import.meta.dirname, '..', 'grammars', file);
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`${folder}/${file}`);
}
