/**
 * What `write_file` and `patch` have in common: the edit is planned from the file as it is, shown, and carried out only
 * if it is still the same edit of the same file.
 */

import { diffLines } from 'diff';
import { EDIT_RULE, protectedFile, resolveInside, secretFile } from '../safety/index.ts';
import type { ApprovedCalls } from './approved-calls.ts';
import type { AskedSecrets } from './asked-secrets.ts';
import { newProblems } from './diagnostics.ts';
import type { FileMemory } from './file-memory.ts';
import { rulesOf } from './file-rules.ts';
import { cannotRead } from './read-file.ts';
import { type Encoding, encode, encodingName, missingIn } from './text-encoding.ts';
import { failure, isReadable, readTextFile, splitLines } from './text-file.ts';
import type { PermissionNeed, ToolContext, ToolResult } from './types.ts';
import { ChangedSince, writeApproved } from './write-approved.ts';

/** What the tools that edit share. */
export interface EditMemory {
  readonly seen: FileMemory;
  readonly asked: AskedSecrets;
  readonly approved: ApprovedCalls;
}

export interface EditTarget {
  readonly path: string;
  readonly relative: string;
  /** What kind of secret it holds, in words. */
  readonly secret: string | undefined;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly encoding: Encoding;
  /** Of a new file. */
  readonly lineEnd: '\n' | '\r\n';
  /** The setting that marks it read-only. */
  readonly readOnly: string | undefined;
}

export interface PlannedEdit extends EditTarget {
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
  const { shown: relative } = found;
  if (found.relative === '') return { status: 'error', text: `${path} is the workspace folder, not a file.` };
  const open = unsavedIn(found.path, relative, context);
  if (open !== undefined) return { status: 'error', text: open };
  const rules = await rulesOf(found.path, context);
  const [file, secret] = [await readTextFile(found.path, rules.encoding), await secretFile(path, found)];
  const target = { path: found.path, relative, secret, lineEnd: rules.lineEnd, readOnly: rules.readOnly };
  if (isReadable(file)) {
    if (file.faithful) return { ...target, before: file.text, encoding: file.encoding };
    return {
      status: 'error',
      text: `${relative} is not valid ${encodingName(file.encoding)}; writing it back as text would damage it. Ask the user to set files.encoding to what it is in, or use a command that works on bytes.`,
    };
  }
  if (file.reason === 'missing') return { ...target, before: undefined, encoding: rules.encodingOfNew };
  return { status: 'error', text: await cannotRead(path, found.path, file) };
}

/** An edit as it will be carried out, or why its text cannot be written. */
export async function planned(target: EditTarget, after: string, notes: readonly string[] = []): Promise<EditPlan> {
  const missing = await missingIn(after, target.encoding);
  if (missing.length === 0) return { ...target, after, notes };
  return {
    status: 'error',
    text: `${target.relative} is written in ${encodingName(target.encoding)}, as the project's settings have it, which has no ${missing.join(' ')}. Nothing was written. Use other characters.`,
  };
}

/**
 * The question about an edit. A plan that changes nothing asks nothing, unless it says something about a file with
 * secrets: whether a text occurs there is told only to who may read it.
 *
 * @param given the path as it was written
 */
export async function editPermission(
  plan: EditPlan,
  given: string,
  context: ToolContext,
  { asked, approved }: EditMemory,
): Promise<PermissionNeed | undefined> {
  approved.remember(context, contentOf(plan));
  if (!isEdit(plan)) return await asked.need([given], context, 'Compare an edit with');
  const { relative, before, after, secret } = plan;
  const found = await resolveInside(given, context.folders);
  const isSame = found.ok && found.path === plan.path;
  const special = isSame
    ? ((await protectedFile(given, found, plan)) ??
      (secret && `It looks like ${secret}.`) ??
      (plan.readOnly && `${plan.readOnly} marks it as read-only.`))
    : 'It became another file just now.';
  return {
    kind: 'write',
    summary: before === undefined ? `Create ${relative}` : `Edit ${relative}`,
    why: special ?? 'It changes a file.',
    diff: { path: plan.path, before: before ?? '', after },
    ...(special === undefined ? { rule: EDIT_RULE } : { always: true }),
  };
}

/** Writes what was planned and tells what is new: lines and problems. */
export async function carryOut(
  plan: EditPlan,
  given: string,
  context: ToolContext,
  { seen: memory, asked, approved }: EditMemory,
): Promise<ToolResult> {
  const isApproved = approved.take(context, contentOf(plan));
  if (!isEdit(plan)) {
    const found = await resolveInside(given, context.folders);
    return (found.ok && (await asked.refusal(given, found, context))) || plan;
  }
  const { path, relative, before, after, encoding } = plan;
  if (!isApproved) return changedSince(relative);
  await context.editor.snapshotDiagnostics([path]);
  if (context.signal.aborted)
    return { status: 'stopped', text: `Stopped before ${relative} was written; it is unchanged.` };
  // The user may have begun to type there since the edit was planned.
  const open = unsavedIn(path, relative, context);
  if (open !== undefined) return { status: 'error', text: open };
  try {
    const was = before === undefined ? undefined : await encode(before, encoding);
    await writeApproved(path, was, await encode(after, encoding));
  } catch (error) {
    if (error instanceof ChangedSince) return changedSince(relative);
    return { status: 'error', text: `${relative} could not be written: ${failure(error)}. It is as it was.` };
  }
  const stale = before !== undefined && memory.knows(context.sessionId, path, before) === 'changed';
  memory.remember(context.sessionId, path, after);
  const detail = changedLines(before ?? '', after);
  const text = [
    before === undefined ? `Created ${relative} (${detail}).` : `Edited ${relative} (${detail}).`,
    ...plan.notes,
    stale && 'Note: the file had changed on disk since you last read it; only the text that you named was replaced.',
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

/** What consent is given for; a plan that changes nothing has no content. */
function contentOf(plan: EditPlan): unknown {
  if (!isEdit(plan)) return null;
  const { path, before = null, after, encoding } = plan;
  return [path, before, after, typeof encoding === 'string' ? encoding : encoding.name];
}

/** Why the file must not be written now: its editor would put the user's text over it, or lose it. */
function unsavedIn(path: string, relative: string, { editor }: ToolContext): string | undefined {
  const elsewhere = editor.unsavedElsewhere?.(path);
  if (elsewhere === undefined && editor.unsaved(path) === undefined) return undefined;
  const where = elsewhere === 'notebook' ? 'the notebook editor' : elsewhere ? 'an editor of its kind' : 'the editor';
  return `${relative} is open in ${where} with unsaved changes of the user. Nothing was written, so that they are not lost. Ask the user to save or revert the file, then try again.`;
}

/**
 * Why an edit is refused that would replace what the model has not seen: the whole file, or a place that was found by
 * likeness. Undefined where it has seen the file as it is.
 */
export function unseen(target: EditTarget, { sessionId }: ToolContext, seen: FileMemory): string | undefined {
  const { path, relative, before } = target;
  if (!before) return undefined;
  switch (seen.knows(sessionId, path, before)) {
    case 'same':
      return undefined;
    case 'changed':
      return `${relative} changed since you read it: somebody else edited it. Nothing was written, so that their change is not lost. Read it again, then repeat the edit.`;
    default:
      return `${relative} exists, and you have not read it in this conversation. Nothing was written, so that nothing is lost that you do not know. Read it with read_file, then repeat the edit.`;
  }
}

function changedSince(relative: string): ToolResult {
  return {
    status: 'error',
    text: `Not run: ${relative} changed since this edit was allowed. It is another file, or its text is another one. Nothing was written. Read it again and repeat the edit.`,
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
