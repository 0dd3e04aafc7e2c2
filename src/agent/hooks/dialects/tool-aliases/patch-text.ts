/** Edits of one file as the text that the tool `apply_patch` of Codex takes, and back. */

import type { Values } from './types.ts';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';

/** A file with a new content; also of one that exists, which such a patch replaces. */
export function addedFile(path: string, content: string): string {
  return patch(`*** Add File: ${path}`, marked('+', content));
}

/** A text of a file that another one takes the place of. */
export function updatedFile(path: string, before: string, after: string): string {
  return patch(`*** Update File: ${path}`, ['@@', ...marked('-', before), ...marked('+', after)]);
}

/** Files of which only the names are known. */
export function touchedFiles(paths: readonly string[]): string {
  return patch(...paths.map((path) => `*** Update File: ${path}`), []);
}

function patch(...parts: [...string[], readonly string[]] | readonly (string | readonly string[])[]): string {
  return `${[BEGIN, ...parts.flat(), END].join('\n')}\n`;
}

function marked(mark: string, text: string): string[] {
  return linesOf(text).map((line) => mark + line);
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

type ReadPatch =
  | { readonly is: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly is: 'update'; readonly path: string; readonly before: string[]; readonly after: string[] };

/** Our input from a patch that a hook changed; a string says why our tool cannot do what it asks for. */
export function inputFromPatch(text: string, tool: 'write_file' | 'patch', input: Values): Values | string {
  const read = readPatch(text);
  if (typeof read === 'string') return read;
  switch (read.is) {
    case 'add':
      if (tool !== 'write_file') return `it creates ${read.path}, and the call changes a part of a file`;
      return { ...input, path: read.path, content: joined(read.lines, input.content) };
    case 'update':
      if (tool !== 'patch') return `it changes a part of ${read.path}, and the call writes a whole file`;
      return {
        ...input,
        path: read.path,
        old_string: joined(read.before, input.old_string),
        new_string: joined(read.after, input.old_string),
      };
    default:
      return read satisfies never;
  }
}

/** With a line end behind it where the text that it stands for has one. */
function joined(lines: readonly string[], like: unknown): string {
  const end = lines.length > 0 && typeof like === 'string' && /\n$/.test(like) ? '\n' : '';
  return lines.join('\n') + end;
}

function readPatch(text: string): ReadPatch | string {
  const lines = linesOf(text.trim());
  if (lines[0] !== BEGIN || lines.at(-1) !== END) return 'it is no patch';
  const [header = '', ...body] = lines.slice(1, -1);
  const [, action, path = ''] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(header) ?? [];
  if (body.some((line) => /^\*\*\* (Add|Update|Delete) File: |^\*\*\* Move to: /.test(line))) {
    return 'it is about more than one file, and the call about one';
  }
  if (action === 'Add') return { is: 'add', path, lines: body.map((line) => line.slice(1)) };
  if (action === 'Update') return readUpdate(path, body);
  return action === 'Delete' ? `it deletes ${path}` : 'it names no file';
}

function readUpdate(path: string, body: readonly string[]): ReadPatch | string {
  const before: string[] = [];
  const after: string[] = [];
  let places = 0;
  for (const line of body) {
    if (line.startsWith('@@')) places += 1;
    else if (line.startsWith('-')) before.push(line.slice(1));
    else if (line.startsWith('+')) after.push(line.slice(1));
    else if (!line.startsWith('***')) {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  return places > 1 ? 'it changes several places, and the call one' : { is: 'update', path, before, after };
}
