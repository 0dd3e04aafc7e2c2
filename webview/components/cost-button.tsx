import { testIds } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { buckets, budgetFacts, limitFacts, sessionCost, spenders } from '../state/spending-words.ts';
import { allTokens, tokens } from '../state/words.ts';
import { Facts, UsedFacts } from './facts.tsx';
import { Icon } from './icon.tsx';
import { Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

/** The cost of the session; its popover says where it comes from, and what of budgets and limits is left. */
export function CostButton() {
  const meter = useSlice((state) => state.meter);
  const model = useSlice((state) => state.model);
  const { open, button, toggle, close } = usePopup();
  const total = sessionCost(meter, model);
  if (!total) return null;
  const budgets = budgetFacts(meter);
  const limits = limitFacts(meter, Date.now());
  const worst =
    [...budgets, ...limits].find(({ level }) => level === 'over') ??
    [...budgets, ...limits].find(({ level }) => level === 'nearly');
  const label = worst ? `${total.words} ${worst.name}: ${worst.words}` : total.words;
  return (
    <div class="anchor">
      <button
        type="button"
        class={`cost ${worst ? worst.level : ''}`}
        data-testid={testIds.cost}
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-haspopup="dialog"
        ref={button}
        onClick={toggle}
      >
        {worst && <Icon name="warning" />}
        {total.label}
      </button>
      {open && (
        <Popup
          role="dialog"
          label={t('Usage and cost')}
          testId={testIds.costPopover}
          class="below-end facts"
          onClose={close}
        >
          <h2>{t('This session')}</h2>
          <p>{total.words}</p>
          <Facts of={[{ name: t('Tokens'), value: tokens(allTokens(meter.usage)) }, ...buckets(meter.usage)]} />
          <Facts of={spenders(meter)} />
          {budgets.length > 0 && (
            <>
              <h2>{t('Budgets')}</h2>
              <UsedFacts of={budgets} />
            </>
          )}
          {limits.length > 0 && (
            <>
              <h2>{t('Limits of the provider')}</h2>
              <UsedFacts of={limits} />
            </>
          )}
        </Popup>
      )}
    </div>
  );
}
