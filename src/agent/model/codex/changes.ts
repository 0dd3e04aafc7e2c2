/** What Codex wants to write, as the text before and after. */

import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { applyPatch, diffLines } from 'diff';
import { EDIT_RULE, protectedFile, resolveInside, secretFile, shownPath } from '../../safety/index.ts';
import type { PermissionNeed } from '../../tools/types.ts';
import type { FileChange } from './protocol.ts';

export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Reads the file as it is now. Hunks that do not fit it are shown as they are. */
export async function changeOf({ path, kind, diff }: FileChange): Promise<Change> {
  switch (kind.type) {
    case 'add':
      return { path, before: '', after: diff };
    case 'delete':
      return { path, before: diff, after: '' };
    case 'update': {
      const before = await readFile(path, 'utf8').catch(() => '');
      const after = applied(before, diff);
      return { path: kind.move_path ?? path, before: after === undefined ? '' : before, after: after ?? diff };
    }
    default:
      return kind.type satisfies never;
  }
}

function applied(before: string, diff: string): string | undefined {
  try {
    const after = applyPatch(before, diff, { fuzzFactor: 2 });
    return after === false ? undefined : after;
  } catch {
    // No unified diff.
    return undefined;
  }
}

/** As the built-in tools ask about an edit; what lies outside of the workspace asks every time. */
export async function writeNeed(
  changes: readonly FileChange[],
  shown: Change | undefined,
  folders: readonly string[],
  reason: string | undefined,
): Promise<PermissionNeed> {
  const names = changes.map((change) => nameOf(change.path, folders));
  const special = (await Promise.all(changes.map((change) => specialOf(change, folders)))).find(
    (why) => why !== undefined,
  );
  const [first] = changes;
  const verb = changes.length === 1 && first?.kind.type === 'add' ? 'Create' : 'Edit';
  return {
    kind: 'write',
    summary: `${verb} ${names.join(', ')}`,
    why: special ?? reason ?? (changes.length === 1 ? 'It changes a file.' : `It changes ${changes.length} files.`),
    ...(shown ? { diff: shown } : {}),
    ...(special === undefined ? { rule: EDIT_RULE } : { always: true }),
  };
}

/** Every path that the change touches counts: where it is, and where it is moved to. */
async function specialOf(change: FileChange, folders: readonly string[]): Promise<string | undefined> {
  const { before, after } = await changeOf(change);
  const paths = new Set([change.path, change.kind.move_path ?? change.path]);
  for (const path of paths) {
    const found = await resolveInside(path, folders);
    if (!found.ok) return `${found.why} This is asked every time.`;
    const special = await protectedFile(path, found, {
      before: change.kind.type === 'add' ? undefined : before,
      after,
    });
    if (special !== undefined) return special;
    const secret = await secretFile(path, found);
    if (secret !== undefined) return `It looks like ${secret}.`;
  }
  return undefined;
}

export function nameOf(path: string, folders: readonly string[]): string {
  return isAbsolute(path) ? shownPath(path, folders) : path;
}

/** `+3 −1`. */
export function changedLines({ before, after }: Change): string {
  const changes = diffLines(before, after, { timeout: 100 }) ?? [];
  const sum = (kind: 'added' | 'removed') =>
    changes.reduce((lines, change) => lines + (change[kind] ? (change.count ?? 0) : 0), 0);
  return `+${sum('added')} −${sum('removed')}`;
}
