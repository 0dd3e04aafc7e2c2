import { useEffect, useRef, useState } from 'preact/hooks';
import type { Choice, PendingApproval } from '../../src/api.ts';
import { approvalCardId, cardControls } from '../../src/protocol/index.ts';
import { type Chat, useChat } from '../chat.ts';
import { belongsToComposition, keepEscape } from '../keys.ts';
import { t } from '../l10n.ts';
import { approvalTitle, callIcon } from '../state/call-label.ts';
import { IconButton, TextButton } from './button.tsx';
import { CardKey } from './card-key.tsx';
import { CommandBox, hasCommand } from './command-box.tsx';
import { Dangers } from './dangers.tsx';
import { DiffLines } from './diff-lines.tsx';
import { Icon } from './icon.tsx';
import { MenuEntry, Popup } from './popup.tsx';
import { useCard } from './use-card.ts';
import { useKeptText } from './use-kept-text.ts';
import { usePopup } from './use-popup.ts';
import { Visible } from './visible.tsx';

/** Lines of the change that the card shows; the diff editor has them all. */
const shownDiffLines = 24;

export function ApprovalCard({ approval }: { readonly approval: PendingApproval }) {
  const chat = useChat();
  const { card, entered, answered } = useCard();
  const [denying, setDenying] = useState(false);
  const answer = (choice: Choice, reason?: string) => {
    answered();
    chat.answer(approval.id, choice, reason);
  };

  const dangerous = (approval.dangers?.length ?? 0) > 0;
  // What is dangerous takes more than a letter.
  const allowKey = dangerous ? {} : { a: () => answer('once') };
  const keys = entered ? { ...allowKey, d: () => setDenying(true) } : {};

  return (
    <article
      ref={card}
      class={`ask-card approval ${dangerous ? 'dangerous' : ''} ${entered ? 'entered' : ''}`}
      data-message
      data-asks
      data-testid={approvalCardId(approval.callId)}
      tabIndex={-1}
      aria-label={
        approval.child
          ? t('Agent {0} needs your approval: {1}', approval.child.name, approval.summary)
          : t('Needs your approval: {0}', approval.summary)
      }
      onKeyDown={(event) => onCardKey(event, chat, keys)}
    >
      <h2>
        <Icon name={callIcon(approval.tool)} />
        <span class="as-written">
          <Visible text={approvalTitle(approval)} />
        </span>
        <CardKey />
      </h2>
      <Dangers approval={approval} />
      {approval.cwd !== undefined && (
        <p class="command-place">
          <Icon name="folder" />
          <span>
            {t('in the folder')}{' '}
            <code>
              <Visible text={approval.cwd} />
            </code>
          </span>
        </p>
      )}
      {hasCommand(approval) && <CommandBox approval={approval} />}
      {approval.diff && <ApprovalDiff approval={approval} diff={approval.diff} />}
      <p class="why">
        <Visible text={otherReasons(approval)} />
      </p>
      {denying ? (
        <DenyForm onDeny={(reason) => answer('deny', reason)} onCancel={() => setDenying(false)} />
      ) : (
        <div class="ask-actions">
          <AllowButton approval={approval} answer={answer} dangerous={dangerous} />
          <TextButton
            look={dangerous ? 'primary' : 'secondary'}
            testId={cardControls.deny}
            keys="D"
            onClick={() => setDenying(true)}
          >
            {t('Deny…')}
          </TextButton>
        </div>
      )}
    </article>
  );
}

interface AllowProps {
  readonly approval: PendingApproval;
  readonly answer: (choice: Choice) => void;
  /** Then it is not the button that stands out, and has no key. */
  readonly dangerous: boolean;
}

function AllowButton({ approval, answer, dangerous }: AllowProps) {
  const { open, button, toggle, close } = usePopup();
  const look = dangerous ? 'secondary' : 'primary';
  const lasting = approval.choices.filter((choice) => choice === 'session' || choice === 'always');
  const choose = (choice: Choice) => () => {
    close('elsewhere');
    answer(choice);
  };
  return (
    <div class="anchor split">
      <button
        type="button"
        class={`text-button ${look}`}
        data-testid={cardControls.allow}
        onClick={() => answer('once')}
      >
        {t('Allow once')}
        {!dangerous && <kbd>A</kbd>}
      </button>
      {lasting.length > 0 && (
        <IconButton
          icon="chevron-down"
          class={look}
          label={t('Allow for longer')}
          testId={cardControls.allowMenuButton}
          popup="menu"
          expanded={open}
          buttonRef={button}
          onClick={toggle}
        />
      )}
      {open && (
        <Popup role="menu" label={t('Allow for longer')} testId="allow-menu" class="above-start" onClose={close}>
          {approval.alwaysScope && (
            <p class="menu-head">
              <Visible text={approval.alwaysScope} />
            </p>
          )}
          {lasting.includes('session') && (
            <MenuEntry
              icon="comment"
              label={t('Allow in this session')}
              testId={cardControls.allowSession}
              onSelect={choose('session')}
            />
          )}
          {lasting.includes('always') && (
            <MenuEntry
              icon="pass"
              label={t('Always allow in this workspace')}
              detail={t('You can take it back under Manage approvals')}
              testId={cardControls.allowAlways}
              onSelect={choose('always')}
            />
          )}
        </Popup>
      )}
    </div>
  );
}

function ApprovalDiff({
  approval,
  diff,
}: {
  readonly approval: PendingApproval;
  readonly diff: NonNullable<PendingApproval['diff']>;
}) {
  const chat = useChat();
  return (
    <>
      <DiffLines before={diff.before} after={diff.after} limit={shownDiffLines} />
      <TextButton
        look="link"
        testId={cardControls.openDiff}
        onClick={() => chat.host.notify({ type: 'openDiff', of: { approvalId: approval.id } })}
      >
        {t('Open in the diff editor')}
      </TextButton>
    </>
  );
}

function DenyForm({ onDeny, onCancel }: { readonly onDeny: (reason: string) => void; readonly onCancel: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const typed = useKeptText();
  const deny = () => {
    typed.current = '';
    onDeny(field.current?.value.trim() ?? '');
  };
  const cancel = () => {
    typed.current = '';
    onCancel();
  };
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="deny-form">
      <input
        ref={field}
        type="text"
        class="field"
        data-testid={cardControls.denyReason}
        placeholder={t('Why, or what to do instead (optional; the model reads it)')}
        aria-label={t('Reason, read by the model')}
        onInput={(event) => {
          typed.current = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (belongsToComposition(event)) return;
          if (event.key === 'Enter') deny();
          if (event.key === 'Escape') {
            keepEscape(event);
            cancel();
          }
        }}
      />
      <div class="ask-actions">
        <TextButton look="primary" testId={cardControls.denyConfirm} onClick={deny}>
          {t('Deny')}
        </TextButton>
        <TextButton testId="deny-cancel" onClick={cancel}>
          {t('Back')}
        </TextButton>
      </div>
    </div>
  );
}

/** @param keys what the card's letters do; none while the person has not moved into it */
function onCardKey(event: KeyboardEvent, chat: Chat, keys: Readonly<Record<string, () => void>>): void {
  if (belongsToComposition(event)) return;
  if (event.key === 'Escape') {
    // It neither denies nor approves nor stops: it leads to the composer.
    keepEscape(event);
    chat.focus.toComposer();
    return;
  }
  if (isElsewhere(event.target) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const act = keys[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

/** In the field for a reason or the menu of the card: letters are not meant for the card there. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || (target instanceof Element && target.closest('.popup') !== null);
}

/** What the list of dangers says is not said again below the command. */
function otherReasons({ why, dangers = [] }: PendingApproval): string {
  return dangers.reduce((words, danger) => words.replace(danger.why, ''), why).trim();
}
