import { useEffect, useState } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useSlice } from './use-slice.ts';

/** The other window has 3 s to let go; after this long (ms) without an answer it can be asked for again. */
const patience = 10_000;

/** Where *Send* stands otherwise: why nothing can be sent, and how to get the session into this window. */
export function ReadOnlyBar() {
  const session = useSlice((state) => state.session);
  return (
    <div class="read-only-bar" data-testid={testIds.readOnlyBar}>
      <Icon name="lock" />
      <p>{session.readOnly}</p>
      {session.canTakeOver && <TakeOverButton />}
    </div>
  );
}

function TakeOverButton() {
  const chat = useChat();
  const problem = useSlice((state) => (state.quietLine?.level === 'error' ? state.quietLine : null));
  const [taking, setTaking] = useState(false);

  // What went wrong is said on the quiet line; the button is there again.
  useEffect(() => {
    if (problem) setTaking(false);
  }, [problem]);
  useEffect(() => {
    if (!taking) return;
    const timer = setTimeout(() => setTaking(false), patience);
    return () => clearTimeout(timer);
  }, [taking]);

  return (
    <TextButton
      look="primary"
      testId={testIds.takeOver}
      title={t('The other window stops what runs and lets go of the session')}
      disabled={taking}
      onClick={() => {
        setTaking(true);
        chat.host.notify({ type: 'runCommand', command: 'midcourse.takeOverSession' });
      }}
    >
      {taking ? t('Taking over…') : t('Take over')}
    </TextButton>
  );
}
