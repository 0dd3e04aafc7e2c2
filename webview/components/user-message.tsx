import { testIds } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { memo } from '../memo.ts';
import type { Outgoing } from '../state/chat-state.ts';
import type { MessageImage, UserEntry } from '../state/entries.ts';
import { Icon } from './icon.tsx';
import { Thumbnail } from './thumbnail.tsx';

export const UserMessage = memo(({ entry }: { readonly entry: UserEntry }) => {
  const mark = markOf(entry);
  return (
    <article
      class={`user-message ${entry.kind}`}
      data-message
      data-testid={testIds.userMessage}
      tabIndex={-1}
      aria-label={mark ? t('You, {0}', mark) : t('You')}
    >
      {mark && (
        <div class="delivery-mark" data-testid={testIds.deliveryMark}>
          <Icon name={entry.kind === 'redirect' ? 'redo' : 'indent'} />
          {mark}
        </div>
      )}
      <MessageImages images={entry.images} />
      {entry.text !== '' && <div class="user-text">{entry.text}</div>}
    </article>
  );
});

/** On its way: it looks like the message it is about to be. */
export function OutgoingMessage({ text, images }: Pick<Outgoing, 'text' | 'images'>) {
  return (
    <article
      class="user-message outgoing"
      data-message
      data-testid={testIds.userMessage}
      tabIndex={-1}
      aria-label={t('You')}
    >
      <MessageImages images={images} />
      {text !== '' && <div class="user-text">{text}</div>}
    </article>
  );
}

function MessageImages({ images }: { readonly images: readonly MessageImage[] }) {
  if (images.length === 0) return null;
  return (
    <div class="message-images">
      {images.map(({ ref, name }) => (
        <Thumbnail key={ref} reference={ref} name={name} />
      ))}
    </div>
  );
}

/** What became of a text that was sent while the agent worked: in the history, and when the model read it. */
function markOf({ kind, request, read }: UserEntry): string | undefined {
  switch (kind) {
    case 'message':
      return undefined;
    case 'steer':
      if (request === undefined) return t('steer');
      return read ? t('steer · read in request {0}', request) : t('steer · goes with request {0}', request);
    case 'redirect':
      return request === undefined ? t('redirect') : t('redirect · request {0} asked again', request);
    default:
      return kind satisfies never;
  }
}
