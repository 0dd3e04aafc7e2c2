import * as vscode from 'vscode';
import type { Session } from '../api.ts';

type ExportFormat = 'json' | 'markdown';

/** Asks where to, writes the session there and shows the file. The place it was written to; undefined when cancelled. */
export async function exportSession(session: Session, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const extension = format === 'json' ? 'json' : 'md';
  const name = `${
    session.title
      .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .trim()
      .slice(0, 60) || 'session'
  }.${extension}`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    filters: format === 'json' ? { JSON: ['json'] } : { Markdown: ['md'] },
    title: vscode.l10n.t('Export session'),
  });
  if (!target) return undefined;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(await session.export(format)));
  await vscode.window.showTextDocument(target, { preview: false });
  return target;
}
