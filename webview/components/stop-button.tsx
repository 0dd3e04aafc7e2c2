import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { defaultKeys } from '../keys.ts';
import { t } from '../l10n.ts';
import { Icon } from './icon.tsx';

/** Acts when it is pressed rather than released: the time between both would be time that the turn goes on. */
export function StopButton({ stopping }: { readonly stopping: boolean }) {
  const chat = useChat();
  const label = stopping ? t('End it at once') : t('Stop ({0})', defaultKeys.stop());
  const stop = () => {
    chat.do({ verb: 'stop' });
    // The button goes with the turn, and would take the focus with it.
    chat.composerFocus.value++;
  };
  return (
    <button
      type="button"
      class="icon-button stop"
      title={label}
      aria-label={label}
      data-testid={testIds.stop}
      onPointerDown={(event) => event.button === 0 && stop()}
      // Pressing the mouse would give the button the focus after the composer was given it.
      onMouseDown={(event) => event.preventDefault()}
      // A click without a count comes from the keyboard or from a screen reader; any other was a press before.
      onClick={(event) => event.detail === 0 && stop()}
    >
      <Icon name={stopping ? 'stop-circle' : 'debug-stop'} />
    </button>
  );
}
