import { stat } from 'node:fs/promises';
import * as z from 'zod';
import { FOLDER_NAMES, type OtherNames } from './argument-names.ts';
import { searchedPlaces } from './search-files.ts';
import { count } from './text-file.ts';
import type { Tool } from './types.ts';
import { walk } from './walk.ts';

const input = z.strictObject({
  path: z.string().default('.').describe('Folder in the workspace.'),
  depth: z.int().min(1).max(10).default(2).describe('Levels of folders.'),
  limit: z.int().min(1).max(2000).default(500).describe('Most entries.'),
  include_ignored: z.boolean().default(false).describe('Also what git ignores.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  ...FOLDER_NAMES,
  max_depth: 'depth',
  max_results: 'limit',
  max_entries: 'limit',
  no_ignore: 'include_ignored',
};

export function listFilesTool(): Tool<z.infer<typeof input>> {
  return {
    name: 'list_files',
    description: 'Lists files and folders (ending in /) below a folder, without those that git ignores.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'parallel',
    subject: ({ path }) => ({ verb: 'list', object: path === '.' ? 'the workspace' : path }),
    permission: async () => undefined,
    async run({ path, depth, limit, include_ignored }, context) {
      const places = await searchedPlaces(path, context.folders);
      if (typeof places === 'string') return { status: 'error', text: places };
      const lines: string[] = [];
      let more = false;
      for (const { path: start, shown } of places) {
        const stats = await stat(start).catch(() => undefined);
        if (!stats) return { status: 'error', text: `${path} does not exist.` };
        if (!stats.isDirectory()) return { status: 'error', text: `${path} is not a folder; read_file reads files.` };
        const prefix = shown === '.' ? '' : `${shown}/`;
        // A folder among several is said, also when nothing is in it.
        if (places.length > 1) lines.push(prefix);
        const below: string[] = [];
        for await (const entry of walk(start, { depth, ignored: include_ignored, signal: context.signal })) {
          more = lines.length + below.length >= limit;
          if (more) break;
          below.push(prefix + entry.relative + MARKS[entry.kind]);
        }
        lines.push(...below.sort());
        if (more) break;
      }
      if (context.signal.aborted) return { status: 'stopped', text: 'Stopped before the list was complete.' };
      const notes = more ? [`[More than ${limit}: list a folder of it, or use a smaller depth.]`] : [];
      return {
        status: 'success',
        text: lines.length === 0 ? '[The folder is empty, or git ignores all of it.]' : [...lines, ...notes].join('\n'),
        detail: more ? `${limit}+ entries` : count(lines.length, 'entry').replace('entrys', 'entries'),
      };
    },
  };
}

const MARKS = { file: '', folder: '/', link: '@', other: ' (special)' } as const;
