/** What a screen reader is told: turn started, needs you, answer finished, stopped, error. Never single tokens. */

import { t } from '../l10n.ts';
import type { ChatState } from './chat-state.ts';
import { outcomeWords } from './words.ts';

/** The sentence for the way from one state to the next, or undefined. */
export function announcement(before: ChatState, after: ChatState): string | undefined {
  if (before.session.id !== after.session.id || before.seq < 0) return undefined;
  const approval = after.approvals.find((open) => !before.approvals.some((known) => known.id === open.id));
  if (approval) return t('Needs your approval: {0}', approval.summary);
  const question = after.questions.find((open) => !before.questions.some((known) => known.id === open.id));
  if (question) return t('Asks you: {0}', question.text);
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
