import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Usage: node scripts/plugin-api.ts: writes the types that authors of plugins import, from the sources that Midcourse uses itself. */
const root = path.dirname(import.meta.dirname);
for (const [file, text] of Object.entries(await publishedTypes())) {
  await writeFile(path.join(root, 'plugin-api', file), text);
}

/** They hold types only, so a declaration file is the source with its imports renamed. */
export async function publishedTypes(): Promise<Readonly<Record<'index.d.ts' | 'hooks.d.ts', string>>> {
  const source = (name: string) => readFile(path.join(root, 'src', name), 'utf8');
  return {
    'index.d.ts': (await source('plugin-api.ts')).replaceAll("'./hooks-api.ts'", "'./hooks.js'"),
    'hooks.d.ts': await source('hooks-api.ts'),
  };
}
