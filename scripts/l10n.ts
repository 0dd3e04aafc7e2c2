import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Collects every string that the host and the chat's page show, for translators: `node scripts/l10n.ts` writes
 * l10n/bundle.l10n.json. A translation is a copy of it as bundle.l10n.<language>.json with the values translated.
 */
const root = path.join(import.meta.dirname, '..');
const bundle = path.join(root, 'l10n/bundle.l10n.json');

export async function collectStrings(): Promise<readonly string[]> {
  const strings = await Promise.all(
    [...(await sources('src/editor')), ...(await sources('src/words')), ...(await sources('webview'))].map(stringsOf),
  );
  return [...new Set(strings.flat())].sort();
}

export async function storedStrings(): Promise<readonly string[]> {
  return Object.keys(JSON.parse(await readFile(bundle, 'utf8')) as Record<string, string>).sort();
}

async function sources(folder: string): Promise<string[]> {
  const files = await readdir(path.join(root, folder), { recursive: true });
  return files.filter((file) => /\.tsx?$/.test(file)).map((file) => path.join(root, folder, file));
}

async function stringsOf(file: string): Promise<string[]> {
  const source = await readFile(file, 'utf8');
  const literal = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
  const calls = [
    ...source.matchAll(new RegExp(String.raw`\bt\(\s*(${literal})`, 'g')),
    ...source.matchAll(new RegExp(String.raw`\bplural\(\s*[^,'"]+,\s*(${literal})\s*,\s*(${literal})`, 'g')),
  ];
  return calls.flatMap(([, ...literals]) => literals.map(textOf));
}

/** What a literal stands for; ours hold no other escapes than those of quotes and backslashes. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replace(/\\(['"\\])/g, '$1');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const strings = await collectStrings();
  await writeFile(bundle, `${JSON.stringify(Object.fromEntries(strings.map((text) => [text, text])), undefined, 2)}\n`);
  console.log(`${strings.length} strings in ${path.relative(root, bundle)}`);
}
