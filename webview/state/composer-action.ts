/** What Enter does right now, in words for the button and the placeholder. One place for it: the key, the button and its menu all ask here. */

import { t } from '../l10n.ts';
import type { ChatState, TextVerb } from './chat-state.ts';

export type ComposerAction =
  | { readonly does: 'verb'; readonly verb: TextVerb; readonly label: string; readonly placeholder: string }
  | { readonly does: 'answer'; readonly questionId: string; readonly label: string; readonly placeholder: string }
  | { readonly does: 'nothing'; readonly label: string; readonly placeholder: string };

type Sources = Pick<ChatState, 'state' | 'settings' | 'approvals' | 'questions' | 'session' | 'draftImages' | 'model'>;

export function enterAction(chat: Sources): ComposerAction {
  if (chat.session.readOnly !== undefined) {
    return { does: 'nothing', label: t('Send'), placeholder: t('Read only') };
  }
  switch (chat.state.state) {
    case 'idle':
      return { does: 'verb', verb: 'send', label: t('Send'), placeholder: t('Describe a task or ask about this code') };
    case 'stopping':
      return { does: 'verb', verb: 'send', label: t('Queue'), placeholder: t('Stopping. Your text goes next') };
    case 'running':
    case 'waiting':
      return whileBusy(chat);
    default:
      return chat.state.state satisfies never;
  }
}

function whileBusy(chat: Sources): ComposerAction {
  const question = chat.questions.at(-1);
  // An answer is text alone; with images it is guidance.
  if (question?.freeText && chat.draftImages === 0) {
    return { does: 'answer', questionId: question.id, label: t('Answer'), placeholder: t('Answer the question above') };
  }
  // As the control machine does it: what the model cannot see is no guidance for the turn that runs.
  if (chat.draftImages > 0 && chat.model.vision === false) {
    return { does: 'verb', verb: 'send', label: t('Queue'), placeholder: t('Queued: this model sees no images') };
  }
  const label = verbLabel(chat.settings.busyInput, chat);
  const instead = cancelsApproval(chat) ? t('Say what to do instead: this cancels the approval') : undefined;
  switch (chat.settings.busyInput) {
    case 'steer':
      return { does: 'verb', verb: 'send', label, placeholder: instead ?? t('Steer: it reads this at its next step') };
    case 'queue':
      return { does: 'verb', verb: 'send', label, placeholder: t('Queue a task for after this turn') };
    case 'redirect':
      return {
        does: 'verb',
        verb: 'send',
        label,
        placeholder: instead ?? t('Correct it: the answer starts over with your words'),
      };
    default:
      return chat.settings.busyInput satisfies never;
  }
}

/** The approval of a child agent stays open: the text is read by its parent. */
function cancelsApproval({ approvals }: Pick<ChatState, 'approvals'>): boolean {
  return approvals.some((approval) => !approval.child);
}

/** The label of a verb, with what it does to an open card (control.md, section 2). */
export function verbLabel(verb: Exclude<TextVerb, 'send'>, chat: Pick<ChatState, 'approvals' | 'questions'>): string {
  const cancels = cancelsApproval(chat);
  const leaves = chat.questions.length > 0;
  switch (verb) {
    case 'steer':
      if (cancels) return t('Steer · cancels this approval');
      return leaves ? t('Steer · leaves the question') : t('Steer');
    case 'redirect':
      return cancels ? t('Redirect · cancels this approval') : t('Redirect');
    case 'queue':
      return t('Queue');
    case 'stopAndSend':
      return t('Stop and send');
    default:
      return verb satisfies never;
  }
}

/** What a verb means, for its line in the menu. */
export function verbExplanation(verb: Exclude<TextVerb, 'send'>): string {
  switch (verb) {
    case 'steer':
      return t('Read at its next step; nothing is cut');
    case 'redirect':
      return t('Cut this answer and ask again with your words');
    case 'queue':
      return t('A turn of its own after this one');
    case 'stopAndSend':
      return t('Stop this turn, then start with this');
    default:
      return verb satisfies never;
  }
}
