import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { fillFacts } from '../state/spending-words.ts';
import { tokens } from '../state/words.ts';
import { TextButton } from './button.tsx';
import { Facts } from './facts.tsx';
import { Icon } from './icon.tsx';
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
          {percent >= nearlyFull && (
            <p class="warning">
              <Icon name="warning" /> {t('Nearly full: earlier messages are summarised before it is.')}
            </p>
          )}
          <Facts of={fillFacts(meter)} />
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
