import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { folderEntries } from '../kernel/folder-entries.ts';
import { resolveInside } from '../safety/index.ts';
import { type OtherNames, PATH_NAMES } from './argument-names.ts';
import type { AskedSecrets } from './asked-secrets.ts';
import { firstOf } from './cut-text.ts';
import type { FileMemory } from './file-memory.ts';
import { rulesOf } from './file-rules.ts';
import { imageFile } from './result-images.ts';
import { count, readTextFile, splitLines, type Unreadable } from './text-file.ts';
import type { Tool, ToolContext, ToolResult } from './types.ts';

const input = z.strictObject({
  path: z.string().describe('Path in the workspace.'),
  offset: z.int().min(1).default(1).describe('First line, counted from 1.'),
  limit: z.int().min(1).max(2000).default(500).describe('Number of lines.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  ...PATH_NAMES,
  start_line: 'offset',
  line: 'offset',
  line_start: 'offset',
  start: 'offset',
  line_count: 'limit',
  num_lines: 'limit',
  max_lines: 'limit',
  end_line: { to: 'limit', as: linesUpTo },
  line_end: { to: 'limit', as: linesUpTo },
};

/** The last line, which counts from where the first one is said to be. */
function linesUpTo(end: unknown, given: Readonly<Record<string, unknown>>): number | undefined {
  const start =
    given.offset ?? given.start_line ?? given.startLine ?? given.line_start ?? given.line ?? given.start ?? 1;
  return typeof end === 'number' && typeof start === 'number' && end >= start ? end - start + 1 : undefined;
}
type Input = z.infer<typeof input>;

const LINE_CHARACTERS = 2_000;
const RESULT_CHARACTERS = 100_000;

export function readFileTool(memory: FileMemory, asked: AskedSecrets): Tool<Input> {
  return {
    name: 'read_file',
    description:
      'Reads lines of a text file. Each line comes as LINE|text; the number and the bar are not part of the file. An open editor with unsaved changes is read as it stands there.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'parallel',
    subject: ({ path, offset, limit }) => ({
      verb: 'read',
      object: offset === 1 && limit === 500 ? path : `${path} ${offset}–${offset + limit - 1}`,
      path,
    }),
    permission: ({ path }, context) => asked.need([path], context, 'Read'),
    run: (read, context) => readLines(read, context, memory, asked),
  };
}

async function readLines(
  { path, offset, limit }: Input,
  context: ToolContext,
  memory: FileMemory,
  asked: AskedSecrets,
): Promise<ToolResult> {
  const found = await resolveInside(path, context.folders);
  if (!found.ok) return { status: 'error', text: found.why };
  const refused = await asked.refusal(path, found, context);
  if (refused) return refused;
  const unsaved = context.editor.unsaved(found.path);
  const { encoding } = unsaved === undefined ? await rulesOf(found.path, context) : {};
  const file = unsaved === undefined ? await readTextFile(found.path, encoding) : { text: unsaved, faithful: true };
  if (!isText(file))
    return (await shownImage(found.path, file)) ?? { status: 'error', text: await cannotRead(path, found.path, file) };
  memory.remember(context.sessionId, found.path, file.text);

  const lines = splitLines(file.text);
  if (offset > Math.max(1, lines.length)) {
    return { status: 'error', text: `${path} has ${count(lines.length, 'line')}; offset ${offset} is behind its end.` };
  }
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const last = offset + shown.length - 1;
  const text = shown.map((line, index) => `${offset + index}|${capped(line)}`).join('\n');
  if (text.length > RESULT_CHARACTERS) {
    const fits = Math.max(1, Math.floor((limit * RESULT_CHARACTERS) / text.length / 2));
    return {
      status: 'error',
      text: `Lines ${offset}–${last} of ${path} are ${text.length} characters, more than the ${RESULT_CHARACTERS} that are given at once. Read fewer lines (limit ${fits}), or look for what you need with search_files.`,
    };
  }
  const notes = [
    unsaved !== undefined && 'This is the text of an open editor with unsaved changes; the file on disk differs.',
    context.editor.unsavedElsewhere?.(found.path) !== undefined &&
      'This is the file on disk; it is open in an editor with unsaved changes of the user, which are not shown.',
    !file.faithful &&
      'The file is not valid UTF-8: some characters are shown as �, and it cannot be edited with tools.',
    last < lines.length && `Lines ${offset}–${last} of ${lines.length}. Go on with offset ${last + 1}.`,
    lines.length === 0 && 'The file is empty.',
  ].filter((note) => note !== false);
  return {
    status: 'success',
    text: [text, ...notes.map((note) => `[${note}]`)].filter((part) => part !== '').join('\n'),
    detail: count(shown.length, 'line'),
    facts: {
      path: found.path,
      start_line: offset,
      end_line: last,
      total_lines: lines.length,
      ends_with_newline: file.text.endsWith('\n'),
    },
  };
}

/** Undefined for what is no image, or cannot be read at all. */
async function shownImage(path: string, { reason }: Unreadable): Promise<ToolResult | undefined> {
  // A pipe or a device must not be opened: it would be waited for.
  if (reason !== 'binary') return undefined;
  const read = await imageFile(path).catch(() => undefined);
  if (!read) return undefined;
  return {
    status: 'success',
    text: read.text,
    detail: 'image',
    ...(read.image ? { images: [read.image] } : {}),
    facts: { path },
  };
}

function isText(file: { text: string; faithful: boolean } | Unreadable): file is { text: string; faithful: boolean } {
  return 'text' in file;
}

function capped(line: string): string {
  if (line.length <= LINE_CHARACTERS) return line;
  const shown = firstOf(line, LINE_CHARACTERS);
  return `${shown}… [${line.length - shown.length} more characters]`;
}

export async function cannotRead(shownPath: string, path: string, file: Unreadable): Promise<string> {
  const similar = file.reason === 'missing' ? await similarNames(path) : [];
  const hint = similar.length > 0 ? ` Similar names there: ${similar.join(', ')}.` : '';
  return `${shownPath} cannot be read: ${file.why}.${hint}`;
}

/** Names that are compared; more would hold up the editor. */
const MOST_SIMILAR = 1_000;

/** Up to five names in the same folder that the caller may have meant. */
async function similarNames(path: string): Promise<readonly string[]> {
  const wanted = basename(path).toLowerCase();
  const entries = await folderEntries(dirname(path), MOST_SIMILAR).catch(() => []);
  return entries
    .map(({ name }) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .filter((one) => one.distance <= Math.max(2, wanted.length / 3) || sameStem(wanted, one.name.toLowerCase()))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map((one) => one.name);
}

function sameStem(a: string, b: string): boolean {
  const [stem, other] = [a, b].map((name) => name.replace(/(?<=.)\..*$/, ''));
  return stem === other;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
