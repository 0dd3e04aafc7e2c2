import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { publishedTypes } from './published-types.ts';

/** Usage: node scripts/plugin-api.ts: writes the types that authors of plugins import, from the sources that Midcourse uses itself. */
const folder = path.join(path.dirname(import.meta.dirname), 'plugin-api');
for (const [file, text] of Object.entries(await publishedTypes())) await writeFile(path.join(folder, file), text);
