import { useEffect, useState } from 'preact/hooks';
import type { SessionSummary } from '../../src/api.ts';
import { testIds } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import { ago } from '../state/words.ts';
import { IconButton } from './button.tsx';
import { Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

/** From this many sessions on, the list has a field to filter it. */
const filterFrom = 6;

export function SessionsButton() {
  const { open, button, toggle, close } = usePopup();
  return (
    <div class="anchor">
      <IconButton
        icon="history"
        label={t('Sessions')}
        testId={testIds.sessions}
        popup="dialog"
        expanded={open}
        buttonRef={button}
        onClick={toggle}
      />
      {open && <SessionsList onClose={close} />}
    </div>
  );
}

function SessionsList({ onClose }: { readonly onClose: (how: 'keyboard' | 'elsewhere') => void }) {
  const chat = useChat();
  const sessions = useSlice((state) => state.sessions);
  const [filter, setFilter] = useState('');
  useEffect(() => chat.host.notify({ type: 'listSessions' }), [chat]);

  const wanted = filter.trim().toLocaleLowerCase();
  const list = (sessions?.list ?? []).filter((one) => one.title.toLocaleLowerCase().includes(wanted));
  const open = (id: string) => {
    onClose('keyboard');
    chat.host.notify({ type: 'openSession', id });
  };
  return (
    <Popup
      role="dialog"
      label={t('Sessions')}
      testId={testIds.sessionsList}
      class="below-end sessions"
      onClose={onClose}
    >
      {(sessions?.list.length ?? 0) >= filterFrom && (
        <input
          class="filter"
          data-autofocus
          type="text"
          placeholder={t('Filter by title')}
          aria-label={t('Filter sessions by title')}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ul>
        {list.map((one) => (
          <SessionLine
            key={one.id}
            session={one}
            current={one.id === sessions?.currentId}
            open={() => open(one.id)}
            remove={() => chat.host.notify({ type: 'deleteSession', id: one.id })}
          />
        ))}
      </ul>
      {sessions && list.length === 0 && <p class="quiet">{wanted ? t('No title matches') : t('No sessions yet')}</p>}
    </Popup>
  );
}

interface SessionLineProps {
  readonly session: SessionSummary;
  readonly current: boolean;
  readonly open: () => void;
  readonly remove: () => void;
}

function SessionLine({ session, current, open, remove }: SessionLineProps) {
  const title = visibleLine(session.title) || t('New session');
  return (
    <li class={current ? 'current' : ''}>
      <button
        type="button"
        class="session-line"
        data-autofocus={current ? '' : undefined}
        aria-current={current ? 'true' : undefined}
        onClick={open}
        title={title}
      >
        <span class="session-title">{title}</span>
        <span class="session-facts">
          {ago(session.updatedAt, Date.now())} · {plural(session.turns, '{0} turn', '{0} turns')}
        </span>
      </button>
      <IconButton icon="trash" label={t('Delete {0}', title)} testId="delete-session" onClick={remove} />
    </li>
  );
}
