import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';

const slot = 'midcourse.consents.seal';

/**
 * The key that consents are sealed with, in the editor's secret storage; made when it is first needed.
 *
 * @returns never rejects: without a storage it lasts as long as the window, and what was allowed is asked about again
 */
export function sealKeyIn(secrets: vscode.SecretStorage): () => Promise<string> {
  let known: Promise<string> | undefined;
  secrets.onDidChange(({ key }) => {
    // Another window made one at the same time: the one that is kept counts.
    if (key === slot) known = undefined;
  });
  return () => {
    known ??= stored(secrets).catch(() => randomBytes(32).toString('base64url'));
    return known;
  };
}

async function stored(secrets: vscode.SecretStorage): Promise<string> {
  const before = await secrets.get(slot);
  if (before !== undefined) return before;
  await secrets.store(slot, randomBytes(32).toString('base64url'));
  const kept = await secrets.get(slot);
  if (kept === undefined) throw new Error('The secret storage keeps nothing.');
  return kept;
}
