import { useState } from 'preact/hooks';
import { cardControls, shortHookName, testIds } from '../../src/protocol/index.ts';
import { visibleLine, visibleText } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import type { ToolEntry } from '../state/entries.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';

interface HookProps {
  readonly entry: Pick<ToolEntry, 'blockedBy' | 'changedBy'>;
}

/** Characters: at 300 px the reason has to be seen beside it. */
const NAME = 32;

/** Under the line of a closed card: which hook refused the call, or changed it. */
export function HookLine({ entry: { blockedBy, changedBy } }: HookProps) {
  if (!blockedBy && !changedBy) return null;
  const hook = visibleLine(blockedBy?.hook ?? changedBy ?? '');
  const short = shortHookName(hook, NAME);
  const words = blockedBy
    ? [t('Blocked by {0}', short), ...(blockedBy.reason ? [visibleLine(oneLine(blockedBy.reason))] : [])].join(' · ')
    : t('Arguments changed by {0}', short);
  return (
    <p
      class="hook-line"
      title={visibleText([hook, blockedBy?.reason].filter(Boolean).join('\n'))}
      data-testid={cardControls.hookWords}
    >
      {words}
    </p>
  );
}

/** In an open card: the whole reason, and the way to the hook. */
export function HookWords({ entry: { blockedBy, changedBy } }: HookProps) {
  const chat = useChat();
  const hook = blockedBy?.hook ?? changedBy;
  if (hook === undefined) return null;
  return (
    <div class="input-field hook-words" data-testid={cardControls.hookWords}>
      <span class="field-name">{blockedBy ? t('Blocked by {0}', hook) : t('Arguments changed by {0}', hook)}</span>
      {blockedBy?.reason && <p>{visibleText(blockedBy.reason)}</p>}
      <TextButton
        look="link"
        testId={cardControls.showHook}
        onClick={() => chat.host.notify({ type: 'runCommand', command: 'midcourse.manageHooks', hook })}
      >
        {t('Show hook')}
      </TextButton>
    </div>
  );
}

/** A hook had the agent go on instead of ending: who, and what the model was told. */
export function GoOn({ hook, text }: { readonly hook: string; readonly text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div class={`line-card go-on ${open ? 'open' : ''}`} data-testid={testIds.goOn}>
      <div class="card-row">
        <button type="button" class="card-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="debug-continue" />
          <span class="card-label" title={visibleLine(hook)}>
            {t('{0} had it go on', hook)}
          </span>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} class="chevron" />
        </button>
      </div>
      {open ? (
        <p class="card-body hook-told">{visibleText(text)}</p>
      ) : (
        <p class="hook-line">{visibleLine(oneLine(text))}</p>
      )}
    </div>
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
