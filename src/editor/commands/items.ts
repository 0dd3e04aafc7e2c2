import * as vscode from 'vscode';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { Item, Receipt } from '../../api.ts';
import { forms, read } from './arguments.ts';
import { askText } from './ask-text.ts';
import type { Command, CommandHost } from './command.ts';
import { pick } from './pick.ts';

/** Messages that wait. */
export const itemCommands = {
  'midcourse.resumeQueue': ({ core }, argument) =>
    core.sessions.find(read(forms.session, argument).sessionId).resumeQueue(),
  'midcourse.clearQueue': ({ core }, argument) =>
    core.sessions.find(read(forms.session, argument).sessionId).clearQueue(),
  'midcourse.withdrawItem': onItem((session, item) => session.withdraw(item.id)),
  'midcourse.sendItemNow': onItem((session, item) => session.sendNow(item.id)),
  'midcourse.redirectItemNow': onItem((session, item) => session.redirectNow(item.id)),

  'midcourse.moveItemUp': onItem((session, item) => {
    const { before } = neighbours(session, item);
    return session.move(item.id, before?.id ?? item.id);
  }),

  'midcourse.moveItemDown': onItem((session, item) => session.move(item.id, neighbours(session, item).afterNext?.id)),

  'midcourse.editItem': onItem((session, item, { text, revision = item.revision }) => {
    const edit = (edited: string) => session.edit(item.id, edited, revision);
    if (text !== undefined) return edit(text);
    return askText({ title: vscode.l10n.t('Edit waiting message'), value: item.text }, edit);
  }),
} satisfies Record<string, Command>;

interface ItemArgument {
  readonly text?: string;
  readonly revision?: number;
}

type OnItem = (
  session: LiveSession,
  item: Item,
  argument: ItemArgument,
) => Receipt | undefined | Promise<Receipt | undefined>;

/** On the named item, or on one that the user picks. An id that nobody knows is refused by the session itself. */
function onItem(act: OnItem): Command {
  return async ({ core }: CommandHost, argument) => {
    const { sessionId, itemId, ...rest } = read(forms.item, argument);
    const session = core.sessions.find(sessionId);
    if (itemId !== undefined) {
      const item = session.item(itemId);
      return item ? act(session, item, rest) : session.withdraw(itemId);
    }
    const item = await pick(
      session
        .items()
        .map((one) => ({ label: one.text.split('\n')[0] ?? '', description: description(one), value: one })),
      { title: vscode.l10n.t('Which waiting message?'), none: vscode.l10n.t('Nothing is waiting.') },
    );
    return item && act(session, item, rest);
  };
}

function description(item: Item): string {
  return item.waitsFor === undefined ? item.kind : `${item.kind} · ${item.waitsFor.label}`;
}

function neighbours(session: LiveSession, item: Item): { readonly before?: Item; readonly afterNext?: Item } {
  const items = session.items();
  const index = items.findIndex((one) => one.id === item.id);
  const before = items[index - 1];
  const afterNext = items[index + 2];
  return { ...(before ? { before } : {}), ...(afterNext ? { afterNext } : {}) };
}
