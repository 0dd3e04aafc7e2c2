import { sendMenuEntry, testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { defaultKeys, type Platform } from '../keys.ts';
import { t } from '../l10n.ts';
import type { ChatState, TextVerb } from '../state/chat-state.ts';
import { enterAction, verbExplanation, verbLabel } from '../state/composer-action.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { MenuEntry, Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

const verbs = ['steer', 'queue', 'redirect', 'stopAndSend'] as const;

/** Says in words what Enter does right now; the menu holds the other ways while a turn runs. */
export function SendButton() {
  const chat = useChat();
  const label = useSlice((state) => enterAction(state).label);
  const busy = useSlice((state) => state.state.state === 'running' || state.state.state === 'waiting');
  const nothing = useSlice((state) => enterAction(state).does === 'nothing');
  const { open, button, toggle, close } = usePopup();
  const blank = chat.draft.value.trim() === '' && chat.images.list.value.length === 0;
  return (
    <div class="anchor split send">
      <button
        type="button"
        class={`text-button primary ${busy ? 'worded' : 'arrow-only'}`}
        data-testid={testIds.send}
        aria-label={label}
        title={`${label} (Enter)`}
        disabled={blank || nothing}
        onClick={() => chat.submit()}
      >
        {busy ? <SendLabel label={label} /> : <Icon name="arrow-up" />}
      </button>
      {busy && (
        <IconButton
          icon="chevron-up"
          class="primary"
          label={t('Other ways to send')}
          testId={testIds.sendMenuButton}
          popup="menu"
          expanded={open}
          buttonRef={button}
          onClick={toggle}
        />
      )}
      {open && (
        <SendMenu
          blank={blank}
          onClose={close}
          choose={(verb) => {
            close('elsewhere');
            chat.submit(verb);
            chat.composerFocus.value++;
          }}
        />
      )}
    </div>
  );
}

/** What it does to an open card gives way where the view is narrow; the button's name and the placeholder still say it. */
function SendLabel({ label }: { readonly label: string }) {
  const detail = label.indexOf(' · ');
  if (detail < 0) return <span class="send-label">{label}</span>;
  return (
    <span class="send-label">
      {label.slice(0, detail)}
      <span class="send-detail">{label.slice(detail)}</span>
    </span>
  );
}

interface SendMenuProps {
  readonly blank: boolean;
  readonly choose: (verb: TextVerb) => void;
  readonly onClose: (how: 'keyboard' | 'elsewhere') => void;
}

function SendMenu({ blank, choose, onClose }: SendMenuProps) {
  const approvals = useSlice((state) => state.approvals);
  const questions = useSlice((state) => state.questions);
  const settings = useSlice((state) => state.settings);
  const answers = useSlice((state) => enterAction(state).does === 'answer');
  return (
    <Popup role="menu" label={t('Other ways to send')} testId={testIds.sendMenu} class="above-end" onClose={onClose}>
      {verbs.map((verb) => (
        <MenuEntry
          key={verb}
          label={verbLabel(verb, { approvals, questions })}
          detail={verbExplanation(verb)}
          icon={verbIcons[verb]}
          testId={sendMenuEntry(verb)}
          {...keysOf(verb, settings, answers)}
          onSelect={() => choose(verb)}
        />
      ))}
      {blank && <p class="menu-note">{t('Type something first')}</p>}
    </Popup>
  );
}

const verbIcons = { steer: 'indent', queue: 'list-ordered', redirect: 'redo', stopAndSend: 'debug-stop' } as const;

function keysOf(
  verb: (typeof verbs)[number],
  settings: ChatState['settings'],
  answers: boolean,
): { readonly keys?: string } {
  if (verb === settings.busyInput && !answers) return { keys: 'Enter' };
  const named: Partial<Record<typeof verb, (platform: Platform) => string>> = {
    queue: defaultKeys.queue,
    redirect: defaultKeys.redirect,
  };
  const keys = named[verb]?.(settings.platform);
  return keys === undefined ? {} : { keys };
}
