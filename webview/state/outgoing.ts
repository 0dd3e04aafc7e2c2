/** Texts on their way: shown at once, matched by id (never by text) when the host shows them as a row or an item. */

import type { Attachment, Downgrade, Receipt } from '../../src/api.ts';
import { t } from '../l10n.ts';
import type { ChatState, Outgoing, QuietLine, TextVerb } from './chat-state.ts';

export function sendOptimistically(
  state: ChatState,
  id: string,
  text: string,
  as: TextVerb,
  images: readonly Attachment[] = [],
): ChatState {
  const place = state.state.state === 'idle' ? 'transcript' : 'shelf';
  return { ...state, outgoing: [...state.outgoing, { id, text, images, as, place }], quietLine: null };
}

export function takeReceipt(state: ChatState, receipt: Receipt): ChatState {
  const mine = state.outgoing.find((sent) => sent.id === receipt.id);
  if (receipt.outcome === 'refused') {
    const quietLine = { level: 'error' as const, text: receipt.message, ...broughtBack(mine) };
    return { ...state, outgoing: state.outgoing.filter((sent) => sent !== mine), quietLine };
  }
  // A slash command that has done its work, or an answer to a question: nothing of it will be shown as a message.
  if (receipt.outcome === 'changed') return { ...state, outgoing: state.outgoing.filter((sent) => sent !== mine) };
  const quietLine = receipt.downgradedFrom
    ? { level: 'info' as const, text: downgradeWords(receipt.downgradedFrom, receipt.outcome, receipt.reason) }
    : state.quietLine;
  if (!mine) return { ...state, quietLine };
  const place = receipt.outcome === 'started' ? 'transcript' : 'shelf';
  const told: Outgoing = { ...mine, place, ...(receipt.turnId !== undefined && { turnId: receipt.turnId }) };
  return settleOutgoing({
    ...state,
    quietLine,
    outgoing: state.outgoing.map((sent) => (sent === mine ? told : sent)),
  });
}

/** The request failed before there was a receipt: nothing was accepted, so the text goes back to the user. */
export function takeBack(state: ChatState, id: string, message: string): ChatState {
  const mine = state.outgoing.find((sent) => sent.id === id);
  const quietLine = { level: 'error' as const, text: message, ...broughtBack(mine) };
  return { ...state, outgoing: state.outgoing.filter((sent) => sent !== mine), quietLine };
}

function broughtBack(sent: Outgoing | undefined): Pick<QuietLine, 'draft' | 'images'> {
  return sent ? { draft: sent.text, ...(sent.images.length > 0 && { images: sent.images }) } : {};
}

/** Drops what the host shows by now. */
export function settleOutgoing(state: ChatState): ChatState {
  if (state.outgoing.length === 0) return state;
  const outgoing = state.outgoing.filter((sent) => !isShown(state, sent));
  return outgoing.length === state.outgoing.length ? state : { ...state, outgoing };
}

function isShown(state: ChatState, sent: Outgoing): boolean {
  if (state.items.some((item) => item.id === sent.id) || state.reads.has(sent.id)) return true;
  return state.sections.slice(-3).some((section) =>
    section.rows.some(
      (row) =>
        row.role === 'user' &&
        (row.itemIds?.includes(sent.id) ||
          row.id === sent.id ||
          // A message that started a turn is that turn's first row, whether or not it was ever an item.
          (sent.place === 'transcript' && row.kind === 'message' && row.turnId === sent.turnId)),
    ),
  );
}

function downgradeWords(from: string, outcome: string, reason: Downgrade | undefined): string {
  const became = outcome === 'queued' ? t('It was queued') : t('It goes in as a steer');
  const why = reason && downgradeReasons[reason];
  return from === 'redirect'
    ? t('Not redirected: {0}. {1}.', why ? why() : t('not possible now'), became)
    : t('Not sent as asked: {0}. {1}.', why ? why() : t('not possible now'), became);
}

const downgradeReasons: Readonly<Record<Downgrade, () => string>> = {
  tools_running: () => t('tools are running: commands move to the background, other tools finish first'),
  no_request: () => t('no request was running'),
  starting: () => t('the turn was just starting'),
  finalizing: () => t('the turn was already ending'),
  stopping: () => t('the turn is stopping'),
  compacting: () => t('the conversation is being compacted'),
  no_vision: () => t('this model does not take images'),
  redirect_limit: () => t('this request was already redirected three times'),
};
