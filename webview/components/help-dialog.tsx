import { useEffect, useRef } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { defaultKeys, keepEscape, keyName, type Platform } from '../keys.ts';
import { t } from '../l10n.ts';
import { TextButton } from './button.tsx';
import { useSlice } from './use-slice.ts';

/** Alt+F1: what there is and which keys work it. */
export function HelpDialog() {
  const chat = useChat();
  const open = chat.help.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const platform = useSlice((state) => state.settings.platform);
  const cameFrom = useRef<Element | null>(null);

  useEffect(() => {
    if (!open) return;
    cameFrom.current = document.activeElement;
    dialog.current?.showModal();
  }, [open]);

  if (!open) return null;
  const close = () => {
    // What is behind a modal dialog takes no focus before that has closed.
    dialog.current?.close();
    chat.help.value = false;
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
  };
  return (
    <dialog
      ref={dialog}
      class="help"
      data-testid={testIds.help}
      aria-labelledby="help-title"
      onClose={close}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        keepEscape(event);
        close();
      }}
    >
      <h2 id="help-title" tabIndex={-1} ref={(heading: HTMLElement | null) => heading?.setAttribute('autofocus', '')}>
        {t('Keys and accessibility help')}
      </h2>
      <p>
        {t(
          'The chat has, from top to bottom: the header, the conversation, texts that wait to be read, and the composer. While a turn runs, what you send corrects it; the send button says how.',
        )}
      </p>
      {sections(platform).map(([title, keys]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="keys">
            {keys.map(([what, key]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  <kbd>{key}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p class="quiet">
        {t('These are the default keys. You can change those of commands in the keyboard shortcuts editor.')}
      </p>
      <TextButton look="primary" testId="help-close" onClick={close}>
        {t('Close')}
      </TextButton>
    </dialog>
  );
}

function sections(platform: Platform): readonly (readonly [string, readonly (readonly [string, string])[]])[] {
  return [
    [
      t('Composer'),
      [
        [t('Send, or correct the running turn'), 'Enter'],
        [t('New line'), keyName(platform, 'Enter', 'shift')],
        [t('Queue for after this turn'), defaultKeys.queue(platform)],
        [t('Redirect: cut the answer and ask again'), defaultKeys.redirect(platform)],
        [t('Earlier texts, when the composer is empty'), '↑'],
        [t('Commands, at the start of a text'), '/'],
      ],
    ],
    [
      t('Turn'),
      [
        [t('Stop'), defaultKeys.stop()],
        [t('Stop from anywhere'), defaultKeys.stopAnywhere(platform)],
      ],
    ],
    [
      t('Conversation'),
      [
        [t('Previous and next message'), '↑ ↓'],
        [t('First and last message'), 'Home End'],
      ],
    ],
    [
      t('Approvals and questions'),
      [
        [t('Move into the card that waits; again: into the next one'), defaultKeys.enterCard(platform)],
        [t('In a card that you moved into: allow once'), 'A'],
        [t('In a card that you moved into: deny, with a reason'), 'D'],
        [t('In a card that you moved into: choose an answer'), '1–9'],
        [t('Leave the card for the composer'), 'Esc'],
      ],
    ],
    [
      t('Waiting texts'),
      [
        [t('Move earlier or later'), keyName(platform, '↑ ↓', 'alt')],
        [t('Edit'), 'Enter'],
        [t('Remove'), 'Delete'],
      ],
    ],
  ];
}
