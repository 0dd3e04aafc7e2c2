/** What a screen reader is told: turn started, needs you, answer finished, stopped, error. Never single tokens. */

import type { ChildAgent } from '../../src/api.ts';
import { defaultKeys } from '../keys.ts';
import { t } from '../l10n.ts';
import type { ChatState, Section } from './chat-state.ts';
import { markOf } from './marks.ts';
import { outcomeWords } from './words.ts';

/** What there is to say on the way from one state to the next, or undefined. */
export function announcement(before: ChatState, after: ChatState): string | undefined {
  if (before.session.id !== after.session.id || before.seq < 0) return undefined;
  const sentences = [
    ofTurn(before, after),
    ofAccess(before, after),
    ofSummary(before, after),
    ofMark(before, after),
    ...ofAgents(before, after),
  ];
  return sentences.filter((sentence) => sentence !== undefined).join(' ') || undefined;
}

function ofTurn(before: ChatState, after: ChatState): string | undefined {
  const approval = after.approvals.find((open) => !before.approvals.some((known) => known.id === open.id));
  const movesThere = t('{0} moves there.', defaultKeys.enterCard(after.settings.platform));
  if (approval) {
    const asked = approval.child
      ? t('Agent {0} needs your approval: {1}', approval.child.name, approval.summary)
      : t('Needs your approval: {0}', approval.summary);
    return `${asked}. ${movesThere}`;
  }
  const question = after.questions.find((open) => !before.questions.some((known) => known.id === open.id));
  if (question) return `${t('Asks you: {0}', question.text)} ${movesThere}`;
  if (after.turnResults !== before.turnResults) {
    for (const [turnId, result] of after.turnResults) {
      if (before.turnResults.has(turnId)) continue;
      return outcomeWords(result) ?? t('Answer finished.');
    }
  }
  if (before.state.state !== 'stopping' && after.state.state === 'stopping') return t('Stopping.');
  if (before.state.state === 'idle' && after.state.state === 'running') return t('Turn started.');
  if (after.quietLine !== before.quietLine && after.quietLine) return after.quietLine.text;
  return undefined;
}

/** Another window took the session over, or this one did. */
function ofAccess(before: ChatState, after: ChatState): string | undefined {
  const { readOnly } = after.session;
  if (readOnly === before.session.readOnly) return undefined;
  return readOnly ?? t('This session is in this window now. You can write in it.');
}

function ofSummary(before: ChatState, after: ChatState): string | undefined {
  if (before.sections === after.sections) return undefined;
  const now = newestSummary(after.sections);
  if (now === undefined || now === newestSummary(before.sections)) return undefined;
  return t('Earlier conversation was summarised.');
}

/** The connection broke, or another model goes on. */
function ofMark(before: ChatState, after: ChatState): string | undefined {
  if (before.sections === after.sections) return undefined;
  const row = after.sections.at(-1)?.rows.at(-1);
  const isNew = row !== undefined && row.id !== before.sections.at(-1)?.rows.at(-1)?.id;
  return isNew && markOf(row) ? (row.displayText ?? undefined) : undefined;
}

function newestSummary(sections: readonly Section[]): string | undefined {
  return sections.at(-1)?.rows.findLast((row) => row.kind === 'summary')?.id;
}

function ofAgents(before: ChatState, after: ChatState): readonly string[] {
  if (before.children === after.children) return [];
  return after.children.flatMap((child) => {
    const known = before.children.find((other) => other.id === child.id);
    if (known === child) return [];
    return ofAgent(known, child) ?? [];
  });
}

/** That it needs the user is said with its approval. */
function ofAgent(before: ChildAgent | undefined, { name, state, mode }: ChildAgent): string | undefined {
  if (before === undefined && state === 'running') return t('Agent {0} started.', name);
  if (before?.state === state) {
    const moved = before.mode === 'foreground' && mode === 'background' && state === 'running';
    return moved ? t('Agent {0} goes on in the background.', name) : undefined;
  }
  switch (state) {
    case 'finished':
      return t('Agent {0} finished.', name);
    case 'interrupted':
      return t('Agent {0} was interrupted.', name);
    case 'failed':
      return t('Agent {0} failed.', name);
    case 'running':
    case 'waiting':
    case 'stopping':
      return undefined;
    default:
      return state satisfies never;
  }
}
