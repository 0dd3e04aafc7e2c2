/** `tool_response` in Claude Code's shapes. */

import { absolutePath, valuesOf } from './translate.ts';
import type { CallPlace, CallResult, Values } from './types.ts';

export function shellResponse({ tool_result, status, tool_facts }: CallResult): Values {
  const output = tool_facts?.output;
  return {
    stdout: trimmedEnd(typeof output === 'string' ? output : withoutLastNote(tool_result)),
    stderr: '',
    interrupted: status === 'cancelled' || status === 'timeout',
    isImage: false,
    noOutputExpected: false,
  };
}

/** `Exit code 3`, then what was printed; our own words where it did not end by itself. */
export function shellFailure(result: CallResult): string {
  const { exit_code } = result.tool_facts ?? {};
  if (typeof exit_code !== 'number') return result.tool_result;
  const { stdout } = shellResponse(result);
  return stdout === '' ? `Exit code ${exit_code}` : `Exit code ${exit_code}\n${stdout}`;
}

export function shellText(response: unknown): string | undefined {
  const { stdout, stderr } = valuesOf(response);
  if (typeof stdout !== 'string') return undefined;
  return typeof stderr === 'string' && stderr !== '' ? `${stdout}\n${stderr}` : stdout;
}

/** Without our line about the exit. */
function withoutLastNote(text: string): string {
  const last = text.trimEnd();
  const line = last.lastIndexOf('\n') + 1;
  const note = last.endsWith(']') ? last.indexOf('[', line) : -1;
  if (note < 0) return text;
  return last.slice(0, note > 0 && note === line ? note - 1 : note);
}

function trimmedEnd(text: string): string {
  return text.replace(/(?<!\n)\n+$/, '');
}

/** Of lines as the model reads them (`12|text`), the file's text: with the number of its lines as an editor counts them. */
export function readResponse({ tool_result, tool_facts }: CallResult, input: Values, place: CallPlace): Values {
  const read = linesOf(tool_result);
  const first = read[0]?.number ?? 1;
  const { total, endsWithNewline } = ending(tool_result, first + read.length - 1, tool_facts);
  const complete = first + read.length - 1 >= total;
  const content = read.map(({ text }) => text).join('\n') + (complete && endsWithNewline ? '\n' : '');
  const emptyLast = endsWithNewline ? 1 : 0;
  return {
    type: 'text',
    file: {
      filePath: absolutePath(input.path, place) ?? input.path,
      content,
      numLines: read.length + (complete ? emptyLast : 0),
      startLine: first,
      totalLines: total + emptyLast,
    },
  };
}

function linesOf(result: string): readonly { number: number; text: string }[] {
  return result.split('\n').flatMap((line) => {
    const [, number, text] = /^(\d+)\|(.*)$/s.exec(line) ?? [];
    return number === undefined || text === undefined ? [] : [{ number: Number(number), text }];
  });
}

function ending(result: string, last: number, facts: CallResult['tool_facts']) {
  const { total_lines, ends_with_newline } = facts ?? {};
  const noted = /\[Lines \d+–\d+ of (\d+)\./.exec(result)?.[1];
  return {
    total: typeof total_lines === 'number' ? total_lines : Number(noted ?? last),
    endsWithNewline: ends_with_newline === true,
  };
}

export function writeResponse(result: CallResult, { content, path }: Values, place: CallPlace): Values {
  const { before } = result.tool_facts ?? {};
  const created = /^Created /.test(result.tool_result);
  return {
    type: created ? 'create' : 'update',
    filePath: absolutePath(path, place) ?? path,
    content,
    structuredPatch: [],
    originalFile: typeof before === 'string' && !created ? before : null,
  };
}

export function editResponse(result: CallResult, input: Values, place: CallPlace): Values {
  const { before } = result.tool_facts ?? {};
  return {
    filePath: absolutePath(input.path, place) ?? input.path,
    oldString: input.old_string,
    newString: input.new_string,
    originalFile: typeof before === 'string' ? before : null,
    structuredPatch: [],
    userModified: false,
    replaceAll: input.replace_all === true,
  };
}

export function foundFiles({ tool_result, duration_ms }: CallResult, place: CallPlace): Values {
  const filenames = linesWithoutNotes(tool_result).map((path) => absolutePath(path, place) ?? path);
  return { filenames, durationMs: duration_ms, numFiles: filenames.length, truncated: isCut(tool_result) };
}

export function foundLines({ tool_result }: CallResult): Values {
  const lines = linesWithoutNotes(tool_result);
  const content = lines.join('\n');
  return { mode: 'content', numFiles: 0, filenames: [], content, numLines: lines.length };
}

function linesWithoutNotes(result: string): readonly string[] {
  return result
    .split('\n')
    .filter((line) => line !== '' && !/^\[.*\]$/.test(line) && !/^No (matches|files)\b/.test(line));
}

function isCut(result: string): boolean {
  return /^\[There are more\./m.test(result);
}
