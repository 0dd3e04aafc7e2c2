import * as vscode from 'vscode';
import { resolveInside } from '../agent/safety/index.ts';
import { newestRow } from '../agent/session/index.ts';
import type { LiveSession } from '../agent/turn/index.ts';
import type { TranscriptRow } from '../api.ts';
import type { Notification } from '../protocol/index.ts';
import { visibleText } from '../words/visible-text.ts';
import type { ChatConnection } from './chat-connection.ts';
import { exportSession } from './session-export.ts';

type PageNotification = Exclude<Notification, { type: 'ready' | 'resync' | 'focus' }>;

/** Does what the page asks for where no answer is due. Errors are for people; the caller shows them in the chat. */
export async function handlePage(message: PageNotification, chat: ChatConnection): Promise<void> {
  const { core, session } = chat;
  switch (message.type) {
    case 'draft':
      core.memory.setDraft(message.sessionId, message, chat);
      // The page went to another session while it was on its way.
      if (message.sessionId !== session.id) core.memory.leaveComposer(message.sessionId, chat);
      return;
    case 'takeReturned':
      return session.acknowledge(message.itemId);
    case 'openDiff':
      return openDiff(message.of, chat);
    case 'openFile':
      return openFile(message.path, message.line, chat);
    case 'openFullOutput':
      return openFullOutput(message.callId, chat);
    case 'openCommand':
      return openCommand(message.approvalId, chat);
    case 'openImage':
      return openImage(message, chat);
    case 'openLink':
      return openLink(message.href, chat);
    case 'copy':
      return void (await vscode.env.clipboard.writeText(message.text));
    case 'insertAtCursor':
      return insertAtCursor(message.text);
    case 'newSession':
      return chat.open(core.sessions.createFresh(session));
    case 'listSessions':
      return chat.post({ type: 'sessions', sessions: core.sessions.list(), currentId: session.id });
    case 'openSession':
      return chat.open(core.sessions.find(message.id));
    case 'renameSession':
      return core.sessions.find(message.id).rename(message.title);
    case 'deleteSession':
      core.sessions.delete(message.id);
      return chat.post({ type: 'sessions', sessions: core.sessions.list(), currentId: chat.session.id });
    case 'exportSession':
      return void (await exportSession(session, message.format));
    case 'listSlashCommands':
      return chat.post({ type: 'slashCommands', commands: await core.slash.list() });
    case 'runSlashCommand': {
      chat.used();
      const meaning = await core.slash.meaningOf(message.text, session, new AbortController().signal);
      if (meaning.is === 'done' && meaning.message !== undefined) chat.notice('info', meaning.message);
      return;
    }
    case 'listModels': {
      const [groups, current] = await Promise.all([core.models.groups(), core.models.inUse(session.modelRef)]);
      return chat.post({ type: 'models', groups, current: current.ref });
    }
    case 'selectModel':
      session.setModel(message.ref);
      await core.models.choose(message.ref);
      return chat.refreshModel();
    case 'selectEffort':
      await core.models.chooseEffort(message.effort);
      return chat.refreshModel();
    case 'runCommand':
      chat.used();
      return void (await vscode.commands.executeCommand(
        message.command,
        ...(message.hook === undefined ? [] : [{ name: message.hook }]),
      ));
    case 'stopCommand':
      session.stopCommand(message.callId);
      return;
    case 'moveToBackground':
      session.moveToBackground(message.callId);
      return;
    case 'killProcess':
      return session.killProcess(message.id);
    case 'stopChild':
      session.stopChild(message.id, 'stop_button');
      return;
    case 'announceError':
      return core.log.error(`The chat's page reported: ${message.message}`);
    default:
      return message satisfies never;
  }
}

async function openDiff(
  of: Extract<PageNotification, { type: 'openDiff' }>['of'],
  chat: ChatConnection,
): Promise<void> {
  const { session, core } = chat;
  const diff =
    'approvalId' in of
      ? session.approvals().find((approval) => approval.id === of.approvalId)?.diff
      : rowOf(of.callId, session)?.card?.diff;
  if (diff) await core.documents.showDiff(diff);
  else chat.notice('info', vscode.l10n.t('This change is no longer kept.'));
}

async function openCommand(approvalId: string, chat: ChatConnection): Promise<void> {
  const { session, core } = chat;
  const command = session.approvals().find((approval) => approval.id === approvalId)?.command;
  if (command === undefined) chat.notice('info', vscode.l10n.t('That approval was no longer open.'));
  else await core.documents.showText(vscode.l10n.t('What would run'), visibleText(command));
}

async function openImage(
  { ref, name }: Extract<PageNotification, { type: 'openImage' }>,
  { core, session }: ChatConnection,
): Promise<void> {
  const image = session.image(ref);
  if (!image) throw new Error(vscode.l10n.t('This image is no longer kept.'));
  await core.images.show(ref, name, image);
}

/** Opens files of the workspace only: what a model writes about must not open anything else. */
async function openFile(path: string, line: number | undefined, chat: ChatConnection): Promise<void> {
  const found = await resolveInside(path, chat.core.workspace.facts().folders);
  if (!found.ok || !found.exists) {
    chat.notice('info', vscode.l10n.t('{0} is no file of this workspace.', path));
    return;
  }
  const position = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(found.path), {
    preview: true,
    ...(line === undefined ? {} : { selection: new vscode.Range(position, position) }),
  });
}

/** The result of a call, also of one that a delegated agent made. */
function rowOf(callId: string, session: LiveSession): TranscriptRow | undefined {
  const agents = session.childAgents().flatMap(({ id }) => session.childTranscript(id) ?? []);
  for (const transcript of [session, ...agents]) {
    const row = newestRow(
      (range) => transcript.rows(range),
      (one) => one.callId === callId,
    );
    if (row) return row;
  }
  return undefined;
}

async function openFullOutput(callId: string, { session, core }: ChatConnection): Promise<void> {
  const row = rowOf(callId, session);
  const live = session.view()?.tools.find((tool) => tool.callId === callId);
  const stored = row?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  await core.documents.showText(`${row?.card?.label ?? live?.label ?? callId}.txt`, stored ?? live?.output ?? '');
}

async function openLink(href: string, chat: ChatConnection): Promise<void> {
  if (/^(https?|mailto):/i.test(href)) {
    await vscode.env.openExternal(vscode.Uri.parse(href, true));
    return;
  }
  const [, path = href, line] = /^(.*?)(?:#L(\d+)|:(\d+))?$/.exec(href) ?? [];
  await openFile(decoded(path), line === undefined ? undefined : Number(line), chat);
}

/** A `%` in a file name need not be an escape. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) throw new Error(vscode.l10n.t('No text editor is open to insert into. Open a file and try again.'));
  await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}
