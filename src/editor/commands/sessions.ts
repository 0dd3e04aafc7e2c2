import * as vscode from 'vscode';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { SessionSummary } from '../../api.ts';
import { exportSession } from '../session-export.ts';
import { forms, read } from './arguments.ts';
import type { Command, CommandHost } from './command.ts';
import { pick } from './pick.ts';
import { askQuery } from './search.ts';

/** Sessions: new, open, search, rename, export, delete. */
export const sessionCommands = {
  /** The id of the new session. */
  'midcourse.newSession': async (host, argument) => {
    const { core } = host;
    const { title, model, text } = read(forms.newSession, argument);
    const session =
      title === undefined && model === undefined
        ? core.sessions.createFresh()
        : core.sessions.createInPlace({
            ...(title === undefined ? {} : { title }),
            ...(model === undefined ? {} : { model }),
          });
    core.sessions.show(session);
    if (text !== undefined) {
      const receipt = session.submit('send', text, 'command');
      if (receipt.outcome === 'refused') throw new Error(receipt.message);
    } else if (argument === undefined) await bringToFront(host, session);
    return session.id;
  },

  'midcourse.openSession': async (host, argument) => {
    const id =
      read(forms.session, argument).sessionId ?? (await pickSession(host, vscode.l10n.t('Open which session?')));
    if (id === undefined) return undefined;
    const session = host.core.sessions.find(id);
    host.core.sessions.show(session);
    await bringToFront(host, session);
    return id;
  },

  /** Brings a session that another window runs into this one. True when it can be used here. */
  'midcourse.takeOverSession': ({ core }, argument) =>
    core.sessions.find(read(forms.session, argument).sessionId).takeOver(),

  /** Hits for a script; otherwise the user types, chooses and gets the session. */
  'midcourse.searchSessions': async (host, argument) => {
    const { query, limit } = read(forms.search, argument);
    if (query !== undefined) return host.core.sessions.search(query, limit);
    const id = await askQuery(host.core.sessions);
    return id === undefined ? undefined : vscode.commands.executeCommand('midcourse.openSession', id);
  },

  'midcourse.renameSession': async ({ core }, argument) => {
    const { title, sessionId } = read(forms.rename, argument);
    const session = core.sessions.find(sessionId);
    const words =
      title ?? (await vscode.window.showInputBox({ title: vscode.l10n.t('Rename session'), value: session.title }));
    if (words !== undefined) session.rename(words);
  },

  /** Where it was written to. */
  'midcourse.exportSession': async ({ core }, argument) => {
    const { format, path, sessionId } = read(forms.export, argument);
    const session = core.sessions.find(sessionId);
    if (path !== undefined) {
      const target = vscode.Uri.file(path);
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(await session.export(format ?? 'markdown')));
      return target;
    }
    const chosen = format ?? (await pickFormat());
    return chosen && exportSession(session, chosen);
  },

  'midcourse.deleteSession': async (host, argument) => {
    const { sessionId, confirmed } = read(forms.delete, argument);
    const id = sessionId ?? (await pickSession(host, vscode.l10n.t('Delete which session?')));
    if (id === undefined || !(confirmed || (await confirm(host, id)))) return false;
    host.core.sessions.delete(id);
    return true;
  },

  'midcourse.copyLastAnswer': async ({ core }, argument) => {
    const rows = core.sessions.find(read(forms.session, argument).sessionId).rows();
    const answer = rows.findLast((row) => row.role === 'assistant' && row.displayText)?.displayText;
    if (answer) await vscode.env.clipboard.writeText(answer);
    else void vscode.window.showInformationMessage(vscode.l10n.t('There is no answer yet.'));
    return answer;
  },
} satisfies Record<string, Command>;

/** In the page that shows it; where there is none yet, the view opens and does. */
async function bringToFront({ pages }: CommandHost, session: LiveSession): Promise<void> {
  if (!pages.reveal(session)) await vscode.commands.executeCommand('midcourse.focusChat');
}

async function pickSession({ core }: CommandHost, title: string): Promise<string | undefined> {
  const current = core.sessions.current?.id;
  return pick(
    core.sessions.list().map((session) => ({
      label: session.title || vscode.l10n.t('Untitled session'),
      description: description(session, session.id === current),
      value: session.id,
    })),
    { title, none: vscode.l10n.t('There is no session yet.') },
  );
}

function description(session: SessionSummary, shown: boolean): string {
  const when = new Date(session.updatedAt).toLocaleString(vscode.env.language);
  return shown ? `${when} · ${vscode.l10n.t('shown now')}` : when;
}

function pickFormat(): Promise<'markdown' | 'json' | undefined> {
  return pick(
    [
      { label: 'Markdown', description: vscode.l10n.t('to read'), value: 'markdown' as const },
      { label: 'JSON', description: vscode.l10n.t('everything that is stored'), value: 'json' as const },
    ],
    { title: vscode.l10n.t('Export as'), none: '' },
  );
}

async function confirm({ core }: CommandHost, id: string): Promise<boolean> {
  const title = core.sessions.list().find((session) => session.id === id)?.title ?? id;
  const yes = vscode.l10n.t('Delete');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the session "{0}"?', title),
    {
      modal: true,
      detail: vscode.l10n.t('Its messages are removed for good. Files in your workspace stay as they are.'),
    },
    yes,
  );
  return answer === yes;
}
