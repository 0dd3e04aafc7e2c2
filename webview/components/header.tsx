import { useRef, useState } from 'preact/hooks';
import { type AllowedCommand, testIds } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { belongsToComposition, keepEscape } from '../keys.ts';
import { t } from '../l10n.ts';
import { IconButton } from './button.tsx';
import { ContextMeter } from './context-meter.tsx';
import { CostButton } from './cost-button.tsx';
import { MenuEntry, Popup } from './popup.tsx';
import { SessionsButton } from './sessions-list.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

export function Header() {
  const chat = useChat();
  return (
    <header class="header" data-testid={testIds.header}>
      <Title />
      <ContextMeter />
      <CostButton />
      <IconButton
        icon="add"
        label={t('New session')}
        testId={testIds.newSession}
        onClick={() => chat.host.notify({ type: 'newSession' })}
      />
      <SessionsButton />
      <OverflowMenu />
    </header>
  );
}

function Title() {
  const chat = useChat();
  const session = useSlice((state) => state.session);
  const practice = useSlice((state) => state.model.practice);
  const [renaming, setRenaming] = useState(false);
  const title = visibleLine(session.title) || t('New session');

  // Taking the field away blurs it, and a blur renames.
  const finished = useRef(false);
  const start = () => {
    finished.current = false;
    setRenaming(true);
  };
  const cancel = () => {
    finished.current = true;
    setRenaming(false);
  };
  const rename = (text: string) => {
    if (finished.current) return;
    cancel();
    const trimmed = text.trim();
    if (trimmed !== '' && trimmed !== session.title) {
      chat.host.notify({ type: 'renameSession', id: session.id, title: trimmed });
    }
  };

  if (renaming) {
    return (
      <input
        class="title-input"
        data-testid={testIds.titleInput}
        aria-label={t('Title of this session')}
        defaultValue={session.title}
        maxLength={200}
        ref={(input: HTMLInputElement | null) => input?.select()}
        onBlur={(event) => rename(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (belongsToComposition(event)) return;
          if (event.key === 'Enter') rename(event.currentTarget.value);
          if (event.key === 'Escape') {
            keepEscape(event);
            cancel();
          }
        }}
      />
    );
  }
  return (
    <h1 class="title">
      <button type="button" data-testid={testIds.title} title={t('{0} (click to rename)', title)} onClick={start}>
        {title}
      </button>
      {practice && (
        <span class="tag" title={t('The practice model answers from a script. Edits and commands are real.')}>
          {t('rehearsal')}
        </span>
      )}
    </h1>
  );
}

function OverflowMenu() {
  const chat = useChat();
  const { open, button, toggle, close } = usePopup();
  const sessionId = useSlice((state) => state.session.id);
  const readOnly = useSlice((state) => state.session.readOnly !== undefined);
  const act = (work: () => void) => () => {
    close();
    work();
  };
  const run = (command: AllowedCommand) => act(() => chat.host.notify({ type: 'runCommand', command }));
  return (
    <div class="anchor">
      <IconButton
        icon="ellipsis"
        label={t('More actions')}
        testId={testIds.overflow}
        popup="menu"
        expanded={open}
        buttonRef={button}
        onClick={toggle}
      />
      {open && (
        <Popup role="menu" label={t('More actions')} testId={testIds.overflowMenu} class="below-end" onClose={close}>
          <MenuEntry icon="open-in-window" label={t('Open chat in editor')} onSelect={run('midcourse.openInEditor')} />
          <MenuEntry
            icon="markdown"
            label={t('Export as Markdown')}
            onSelect={act(() => chat.host.notify({ type: 'exportSession', format: 'markdown' }))}
          />
          <MenuEntry
            icon="json"
            label={t('Export as JSON')}
            onSelect={act(() => chat.host.notify({ type: 'exportSession', format: 'json' }))}
          />
          <MenuEntry
            icon="trash"
            label={t('Delete this session')}
            onSelect={act(() => chat.host.notify({ type: 'deleteSession', id: sessionId }))}
          />
          {!readOnly && (
            <MenuEntry icon="fold" label={t('Compact the conversation')} onSelect={run('midcourse.compact')} />
          )}
          <hr />
          <MenuEntry icon="key" label={t('Set API key')} onSelect={run('midcourse.setApiKey')} />
          <MenuEntry icon="plug" label={t('Test connection')} onSelect={run('midcourse.testConnection')} />
          <MenuEntry icon="shield" label={t('Manage approvals')} onSelect={run('midcourse.manageApprovals')} />
          <MenuEntry
            icon="server-process"
            label={t('Agents and background processes')}
            onSelect={run('midcourse.showProcesses')}
          />
          <MenuEntry
            icon="debug-stop"
            label={t('Stop everything')}
            detail={t('Every turn, agent and command, in all windows')}
            onSelect={run('midcourse.stopEverything')}
          />
          <MenuEntry icon="output" label={t('Show log')} onSelect={run('midcourse.showLog')} />
          <hr />
          <MenuEntry
            icon="keyboard"
            label={t('Keys and accessibility help')}
            onSelect={act(() => {
              chat.help.value = true;
            })}
          />
        </Popup>
      )}
    </div>
  );
}
