import { useState } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { memo } from '../memo.ts';
import { Markdown } from './assistant-text.tsx';
import { Icon } from './icon.tsx';

/** Where the conversation was compacted: the model reads the summary in place of what stands above it. */
export const SummaryDivider = memo(({ text }: { readonly text: string }) => {
  const [open, setOpen] = useState(false);
  return (
    <div class={`summary ${open ? 'open' : ''}`} data-testid={testIds.summary}>
      <button
        type="button"
        class="summary-line"
        aria-expanded={open}
        title={t('The model reads a summary in place of what stands above. Nothing is lost for you.')}
        data-testid={testIds.summaryToggle}
        onClick={() => setOpen(!open)}
      >
        <span>{t('Earlier conversation was summarised')}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
      </button>
      {open && (
        <div class="card-body">
          <Markdown text={text} complete />
        </div>
      )}
    </div>
  );
});
