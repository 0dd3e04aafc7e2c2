import * as z from 'zod';
import { type OtherNames, PATH_NAMES } from './argument-names.ts';
import {
  carryOut,
  type EditMemory,
  type EditPlan,
  type EditTarget,
  editPermission,
  editTarget,
  planned,
  unseen,
} from './edit.ts';
import type { FileMemory } from './file-memory.ts';
import { lineEnd, splitLines } from './text-file.ts';
import type { Tool, ToolContext } from './types.ts';

const input = z.strictObject({
  path: z.string().describe('Path in the workspace; missing folders are made.'),
  content: z.string().describe('The whole new content of the file.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = { ...PATH_NAMES, contents: 'content', text: 'content', file_text: 'content' };
type Input = z.infer<typeof input>;

export function writeFileTool(memory: EditMemory): Tool<Input> {
  return {
    name: 'write_file',
    description:
      'Creates a file or replaces all of its content; a file that exists must have been read before, as it is now. Use patch to change a part of a file. An existing file keeps its line ends, encoding and byte-order mark.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    subject: ({ path }) => ({ verb: 'write', object: path, path }),
    permission: async (write, context) =>
      editPermission(await planWrite(write, context, memory.seen), write.path, context, memory),
    run: async (write, context) =>
      await carryOut(await planWrite(write, context, memory.seen), write.path, context, memory),
  };
}

async function planWrite({ path, content }: Input, context: ToolContext, seen: FileMemory): Promise<EditPlan> {
  if (isNumberedOutput(content)) {
    return {
      status: 'error',
      text: 'The content looks like output of read_file, with LINE| in front of each line. Nothing was written. Send the text without the numbers.',
    };
  }
  const target = await editTarget(path, context);
  if ('status' in target) return target;
  const after = withLineEnds(content, target);
  if (after === target.before) {
    return {
      status: 'success',
      text: `${target.relative} has this content already; nothing was written.`,
      detail: 'unchanged',
    };
  }
  const refused = unseen(target, context, seen);
  return refused === undefined ? await planned(target, after) : { status: 'error', text: refused };
}

/** `\n` becomes the line end that the file has, or a new one is to have; content that brings `\r\n` is taken as it is. */
function withLineEnds(content: string, { before, lineEnd: ofNew }: EditTarget): string {
  const text = content.replace(/^\ufeff/, '');
  const convert = (before === undefined ? ofNew : lineEnd(before)) === '\r\n' && !text.includes('\r\n');
  return convert ? text.replaceAll('\n', '\r\n') : text;
}

/** Two or more lines, all numbered one after the other. */
function isNumberedOutput(content: string): boolean {
  const numbers = splitLines(content).map((line) => Number(/^\s*(\d+)\|/.exec(line)?.[1] ?? Number.NaN));
  const [first] = numbers;
  return numbers.length >= 2 && first !== undefined && numbers.every((number, index) => number === first + index);
}
