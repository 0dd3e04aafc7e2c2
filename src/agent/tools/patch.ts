import * as z from 'zod';
import { type OtherNames, PATH_NAMES } from './argument-names.ts';
import { carryOut, type EditMemory, type EditPlan, editPermission, editTarget, planned, unseen } from './edit.ts';
import type { FileMemory } from './file-memory.ts';
import { applyReplacement } from './patch-match.ts';
import { cannotRead } from './read-file.ts';
import type { Tool, ToolContext } from './types.ts';

const input = z.strictObject({
  path: z.string().describe('Path in the workspace.'),
  old_string: z.string().describe('The text to replace, as it stands in the file, with enough lines to be unique.'),
  new_string: z.string().describe('The text that takes its place; empty deletes.'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  ...PATH_NAMES,
  old_str: 'old_string',
  old_text: 'old_string',
  search: 'old_string',
  new_str: 'new_string',
  new_text: 'new_string',
  replace: { to: 'new_string', as: (value) => (typeof value === 'string' ? value : undefined) },
  all: 'replace_all',
};
type Input = z.infer<typeof input>;

export function patchTool(memory: EditMemory): Tool<Input> {
  return {
    name: 'patch',
    description:
      'Replaces text in a file. old_string must occur once, unless replace_all is set; differences in indentation are tolerated. Line ends, byte-order mark and final line end stay as they are.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    subject: ({ path }) => ({ verb: 'edit', object: path, path }),
    permission: async (edit, context) =>
      editPermission(await planPatch(edit, context, memory.seen), edit.path, context, memory),
    run: async (edit, context) =>
      await carryOut(await planPatch(edit, context, memory.seen), edit.path, context, memory),
  };
}

async function planPatch(edit: Input, context: ToolContext, seen: FileMemory): Promise<EditPlan> {
  const target = await editTarget(edit.path, context);
  if ('status' in target) return target;
  if (target.before === undefined) {
    const why = await cannotRead(edit.path, target.path, { reason: 'missing', why: 'it does not exist' });
    return { status: 'error', text: `${why} Use write_file to create a file.` };
  }
  const outcome = applyReplacement(target.before, {
    old: edit.old_string,
    new: edit.new_string,
    all: edit.replace_all,
  });
  // Text that stands there to the byte, once, is known; what was found by likeness, or all of it, may be somebody else's.
  const isKnown = outcome.kind === 'replaced' && outcome.note === undefined && !edit.replace_all;
  const refused = isKnown ? undefined : unseen(target, context, seen);
  switch (outcome.kind) {
    case 'replaced':
      if (refused !== undefined) return { status: 'error', text: refused };
      return await planned(target, outcome.text, outcome.note ? [outcome.note] : []);
    case 'already':
      return {
        status: 'success',
        text: `${target.relative} holds the new text already and not the old one; nothing was changed.`,
        detail: 'unchanged',
      };
    case 'failed':
      if (seen.knows(context.sessionId, target.path, target.before) !== 'changed')
        return { status: 'error', text: `${target.relative} was not changed: ${outcome.why}` };
      return {
        status: 'error',
        text: `${target.relative} was not changed. It is another file than the one you read: somebody else edited it since. ${outcome.why}`,
      };
    default:
      return outcome satisfies never;
  }
}
