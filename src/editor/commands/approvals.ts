import * as vscode from 'vscode';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { PendingApproval } from '../../api.ts';
import { visibleLine } from '../../words/visible-text.ts';
import { forms, read } from './arguments.ts';
import type { Command, CommandHost } from './command.ts';
import { pick } from './pick.ts';

/** Answers to approvals, and the rules that came of them. True when the approval was open. */
export const approvalCommands = {
  'midcourse.approve': async (host, argument) => {
    const { approvalId, sessionId, choice } = read(forms.approval, argument);
    const session = host.core.sessions.find(sessionId);
    const approval = await chosen(session, approvalId);
    if (!approval) return false;
    if (choice === undefined && approvalId === undefined && !fitsPick(approval)) {
      await lookInChat(host, session);
      return false;
    }
    const answer = choice ?? (approvalId === undefined ? await askChoice(approval) : 'once');
    return answer !== undefined && session.answer(approval.id, answer);
  },

  'midcourse.deny': async (host, argument) => {
    const { approvalId, sessionId, reason } = read(forms.approval, argument);
    const session = host.core.sessions.find(sessionId);
    const approval = await chosen(session, approvalId);
    if (!approval) return false;
    const words = reason ?? (approvalId === undefined ? await askReason(approval) : '');
    return words !== undefined && session.answer(approval.id, 'deny', words || undefined);
  },

  'midcourse.manageApprovals': async ({ core }: CommandHost) => {
    const rules = core.approvals.list();
    if (rules.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Nothing is allowed for good. Midcourse asks each time.'),
      );
      return;
    }
    const revoked = await vscode.window.showQuickPick(
      rules.map((rule) => ({ label: rule.words, description: rule.workspace, rule })),
      {
        title: vscode.l10n.t('Allowed actions: choose those to be asked about again'),
        canPickMany: true,
        matchOnDescription: true,
      },
    );
    for (const { rule } of revoked ?? []) await core.approvals.revoke(rule);
  },
} satisfies Record<string, Command>;

async function chosen(session: LiveSession, approvalId: string | undefined): Promise<PendingApproval | undefined> {
  const open = session.approvals();
  if (approvalId !== undefined) return open.find((approval) => approval.id === approvalId);
  if (open.length === 1) return open[0];
  return pick(
    open.map((approval) => ({
      // VS Code would draw `$(check)` in a label as an icon.
      label: shown(approval.summary).replaceAll('$(', '\\$('),
      description: visibleLine(approval.tool),
      value: approval,
    })),
    { title: vscode.l10n.t('Which action?'), none: vscode.l10n.t('Nothing waits for an answer.') },
  );
}

/** True where a list of choices shows all that would run, and nothing speaks against it. */
function fitsPick({ command, summary, dangers = [] }: PendingApproval): boolean {
  const text = command ?? summary;
  return dangers.length === 0 && !text.includes('\n') && visibleLine(text).length <= MOST;
}

/** The card shows the whole, with its dangers marked: nothing is allowed by a part of it. */
async function lookInChat({ pages }: CommandHost, session: LiveSession): Promise<void> {
  if (!pages.reveal(session)) await vscode.commands.executeCommand('midcourse.focusChat');
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Decide in the chat: the card shows all of it, with what speaks against it.'),
  );
}

function askChoice(approval: PendingApproval): Promise<'once' | 'session' | 'always' | undefined> {
  const labels = {
    once: vscode.l10n.t('Allow once'),
    session: vscode.l10n.t('Allow in this session'),
    always: vscode.l10n.t('Always allow: {0}', shown(approval.alwaysScope ?? '')),
  };
  const choices = approval.choices.flatMap((choice) =>
    choice === 'deny' ? [] : [{ label: labels[choice], value: choice }],
  );
  return pick(choices, { title: shown(approval.command ?? approval.summary), none: '' });
}

function askReason(approval: PendingApproval): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Deny: {0}', shown(approval.summary)),
    prompt: vscode.l10n.t('Why not? The model reads it. May be empty.'),
    ignoreFocusOut: true,
  });
}

/** Characters of a title that VS Code shows. */
const MOST = 160;

/** In one line, with its beginning and its end. */
function shown(text: string): string {
  const line = visibleLine(text);
  const half = MOST / 2;
  return line.length <= MOST ? line : `${line.slice(0, half)} … ${line.slice(-half)}`;
}
