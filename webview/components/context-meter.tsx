import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { allTokens, cost, tokens } from '../state/words.ts';
import { TextButton } from './button.tsx';
import { Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

/** The ring is a circle of this radius, in its own 16 × 16 units. */
const radius = 6;
const circumference = 2 * Math.PI * radius;
/** From here on the ring warns. */
const nearlyFull = 80;

export function ContextMeter() {
  const chat = useChat();
  const meter = useSlice((state) => state.meter);
  const canCompact = useSlice(({ session, state }) => session.readOnly === undefined && state.phase !== 'compaction');
  const { open, button, toggle, close } = usePopup();
  if (meter.contextWindow <= 0 || meter.contextUsed <= 0) return null;
  const percent = Math.min(100, Math.round((100 * meter.contextUsed) / meter.contextWindow));
  const label = t('Context: {0} % of {1} tokens used', percent, tokens(meter.contextWindow));
  return (
    <div class="anchor">
      <button
        type="button"
        class={`meter ${percent >= nearlyFull ? 'nearly-full' : ''}`}
        data-testid={testIds.contextMeter}
        aria-label={label}
        aria-expanded={open}
        aria-haspopup="dialog"
        title={label}
        ref={button}
        onClick={toggle}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <circle class="meter-track" cx="8" cy="8" r={radius} />
          <circle
            class="meter-value"
            cx="8"
            cy="8"
            r={radius}
            stroke-dasharray={`${(circumference * percent) / 100} ${circumference}`}
            transform="rotate(-90 8 8)"
          />
        </svg>
        {percent} %
      </button>
      {open && (
        <Popup
          role="dialog"
          label={t('Context')}
          testId={testIds.contextPopover}
          class="below-end facts"
          onClose={close}
        >
          <h2>{t('Context')}</h2>
          <p>{t('{0} of {1} tokens', tokens(meter.contextUsed), tokens(meter.contextWindow))}</p>
          {meter.fills && meter.fills.length > 0 && (
            <dl>
              {meter.fills.map((fill) => (
                <Fact key={fill.label} name={fill.label} value={tokens(fill.tokens)} />
              ))}
            </dl>
          )}
          <h2>{t('This session')}</h2>
          <dl>
            <Fact name={t('Tokens')} value={tokens(allTokens(meter.usage))} />
            <Fact name={t('Input')} value={tokens(meter.usage.input)} />
            <Fact name={t('Input from cache')} value={tokens(meter.usage.cacheRead)} />
            <Fact name={t('Output')} value={tokens(meter.usage.output)} />
            <Fact name={t('Cost')} value={meter.costUsd === undefined ? t('unknown') : cost(meter.costUsd)} />
          </dl>
          {canCompact && (
            <TextButton
              testId={testIds.compact}
              title={t('Replace earlier messages by a summary, for the model only')}
              onClick={() => {
                close();
                chat.host.notify({ type: 'runCommand', command: 'midcourse.compact' });
              }}
            >
              {t('Compact')}
            </TextButton>
          )}
        </Popup>
      )}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
