import { readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);

/** The files of `plugin-api/`. They hold types only, so a declaration file is the source with its imports renamed. */
export async function publishedTypes(): Promise<Readonly<Record<'index.d.ts' | 'hooks.d.ts', string>>> {
  const source = (name: string) => readFile(path.join(root, 'src', name), 'utf8');
  return {
    'index.d.ts': (await source('plugin-api.ts')).replaceAll("'./hooks-api.ts'", "'./hooks.js'"),
    'hooks.d.ts': await source('hooks-api.ts'),
  };
}
