import { useRef } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { IconButton } from './button.tsx';

/** Opens the system's own picker of files; what is no image by its ending can still be chosen there and is refused in words. */
export function AttachButton() {
  const chat = useChat();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="attach"
        label={t('Attach images, or paste them; hold Shift to drop them here')}
        testId={testIds.attach}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        data-testid={testIds.attachInput}
        onChange={({ currentTarget }) => {
          chat.images.add([...(currentTarget.files ?? [])]);
          // The same file can be chosen again after it was removed.
          currentTarget.value = '';
          chat.composerFocus.value++;
        }}
      />
    </>
  );
}
