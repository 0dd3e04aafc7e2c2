/**
 * What `write_file` and `patch` have in common: the edit is planned from the file as it is, shown, and carried out only
 * if the file is still the same.
 */

import { diffLines } from 'diff';
import { protectedKind, resolveInside, secretKind } from '../safety/index.ts';
import { newProblems } from './diagnostics.ts';
import type { FileMemory } from './file-memory.ts';
import { cannotRead } from './read-file.ts';
import { type Encoding, encode, failure, isReadable, readTextFile, splitLines, writeAtomically } from './text-file.ts';
import type { PermissionNeed, ToolContext, ToolResult } from './types.ts';

interface EditTarget {
  readonly path: string;
  readonly relative: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly encoding: Encoding;
}

interface PlannedEdit extends EditTarget {
  readonly after: string;
  /** What the model should know about how the edit came about. */
  readonly notes: readonly string[];
}

/** Either an edit, or the result of a call that changes nothing. */
export type EditPlan = PlannedEdit | ToolResult;

function isEdit(plan: EditPlan): plan is PlannedEdit {
  return 'after' in plan;
}

/** The file that an edit is about, or why it cannot be edited. */
export async function editTarget(path: string, context: ToolContext): Promise<EditTarget | ToolResult> {
  const found = await resolveInside(path, context.folders);
  if (!found.ok) return { status: 'error', text: found.why };
  const { relative } = found;
  if (relative === '') return { status: 'error', text: `${path} is the workspace folder, not a file.` };
  if (context.editor.unsaved(found.path) !== undefined) {
    return {
      status: 'error',
      text: `${relative} is open in the editor with unsaved changes of the user. Nothing was written, so that they are not lost. Ask the user to save or revert the file, then try again.`,
    };
  }
  const file = await readTextFile(found.path);
  if (isReadable(file)) {
    if (file.faithful) return { path: found.path, relative, before: file.text, encoding: file.encoding };
    return {
      status: 'error',
      text: `${relative} is not valid UTF-8; writing it back as text would damage it. Use a command that works on bytes.`,
    };
  }
  if (file.reason === 'missing') return { path: found.path, relative, before: undefined, encoding: 'utf8' };
  return { status: 'error', text: await cannotRead(path, found.path, file) };
}

/** The question about an edit; undefined for a plan that changes nothing. */
export function editPermission(plan: EditPlan, callId: string, memory: FileMemory): PermissionNeed | undefined {
  if (!isEdit(plan)) return undefined;
  const { relative, before, after } = plan;
  memory.rememberQuestion(callId, before ?? '');
  const special = protectedKind(relative) ?? secretReason(relative);
  return {
    kind: 'write',
    summary: before === undefined ? `Create ${relative}` : `Edit ${relative}`,
    why: special ?? 'It changes a file.',
    diff: { path: plan.path, before: before ?? '', after },
    ...(special === undefined
      ? { rule: { key: 'write', words: 'edits of files in this workspace' } }
      : { always: true }),
  };
}

function secretReason(relative: string): string | undefined {
  const kind = secretKind(relative);
  return kind && `It looks like ${kind}.`;
}

/** Writes what was planned and tells what is new: lines and problems. */
export async function carryOut(plan: EditPlan, context: ToolContext, memory: FileMemory): Promise<ToolResult> {
  if (!isEdit(plan)) return plan;
  const { path, relative, before, after, encoding } = plan;
  if (memory.changedSinceQuestion(context.callId, before ?? '')) {
    return {
      status: 'error',
      text: `${relative} changed on disk while the user was asked about this edit. Nothing was written. Read it again and repeat the edit.`,
    };
  }
  const stale = before !== undefined && (await memory.changedSinceRead(context.sessionId, path));
  if (context.signal.aborted)
    return { status: 'stopped', text: `Stopped before ${relative} was written; it is unchanged.` };
  context.editor.snapshotDiagnostics([path]);
  try {
    await writeAtomically(path, encode(after, encoding));
  } catch (error) {
    return { status: 'error', text: `${relative} could not be written: ${failure(error)}. It is as it was.` };
  }
  await memory.remember(context.sessionId, path);
  const detail = changedLines(before ?? '', after);
  const text = [
    before === undefined ? `Created ${relative} (${detail}).` : `Edited ${relative} (${detail}).`,
    ...plan.notes,
    stale && 'Note: the file had changed on disk since you last read it. Check that nothing was lost.',
    await newProblems(context, [path]),
  ];
  return {
    status: 'success',
    text: text.filter((part) => part).join('\n'),
    detail,
    changed: [path],
    diff: { path, before: before ?? '', after },
    facts: { path, ...(before === undefined ? {} : { before }) },
  };
}

/** `+3 −1`. */
function changedLines(before: string, after: string): string {
  // Very different texts would take long to compare; then all lines count as replaced.
  const changes = diffLines(before, after, { timeout: 100 });
  if (!changes) return `+${splitLines(after).length} −${splitLines(before).length}`;
  const sum = (kind: 'added' | 'removed') =>
    changes.reduce((lines, change) => lines + (change[kind] ? (change.count ?? 0) : 0), 0);
  return `+${sum('added')} −${sum('removed')}`;
}
