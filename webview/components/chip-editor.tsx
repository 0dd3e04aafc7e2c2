import { useEffect, useRef } from 'preact/hooks';
import type { Item } from '../../src/api.ts';
import { chipControls, chipId } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { belongsToComposition, keepEscape } from '../keys.ts';
import { t } from '../l10n.ts';
import { TextButton } from './button.tsx';
import { useSlice } from './use-slice.ts';

/**
 * Editing does not hold an item. When it is read, held or returned meanwhile, its chip goes away with this editor; the
 * edited text then stays with the user as a draft.
 */
export function ChipEditor({ item, close }: { readonly item: Item; readonly close: () => void }) {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const finished = useRef(false);
  const seen = useRef(item.revision);
  const sessionId = useSlice((state) => state.session.id);

  useEffect(() => {
    const textarea = field.current;
    textarea?.focus();
    textarea?.setSelectionRange(textarea.value.length, textarea.value.length);
    return () => {
      const edited = textarea?.value.trim() ?? '';
      if (!finished.current && edited !== '' && edited !== item.text) chat.keepEditedDraft(edited, item.id, sessionId);
    };
  }, [chat, item.id, item.text, sessionId]);

  const save = () => {
    finished.current = true;
    const text = field.current?.value.trim() ?? '';
    if (text !== '' && text !== item.text) chat.do({ verb: 'edit', id: item.id, text, revision: seen.current });
    close();
  };
  const cancel = () => {
    finished.current = true;
    close();
  };

  return (
    <li class="chip editing" data-testid={chipId(item.id)}>
      <textarea
        ref={field}
        class="field"
        data-testid={chipControls.editor}
        aria-label={t('Edit the waiting text')}
        defaultValue={item.text}
        onKeyDown={(event) => {
          if (belongsToComposition(event)) return;
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            event.stopPropagation();
            save();
          } else if (event.key === 'Escape') {
            keepEscape(event);
            cancel();
          }
        }}
      />
      <div class="ask-actions">
        <TextButton look="primary" testId={chipControls.save} onClick={save}>
          {t('Save')}
        </TextButton>
        <TextButton testId="chip-cancel" onClick={cancel}>
          {t('Cancel')}
        </TextButton>
      </div>
    </li>
  );
}
