import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { belongsToComposition } from '../keys.ts';
import { t } from '../l10n.ts';
import { enterAction } from '../state/composer-action.ts';
import { awaitsWords } from '../state/slash.ts';
import { AttachButton } from './attach-button.tsx';
import { DraftImages } from './draft-images.tsx';
import { EffortPicker } from './effort-picker.tsx';
import { ModelPicker } from './model-picker.tsx';
import { ReadOnlyBar } from './read-only-bar.tsx';
import { SendButton } from './send-button.tsx';
import { SlashMenu, slashListId, slashOptionId } from './slash-menu.tsx';
import { StopButton } from './stop-button.tsx';
import { useDroppedFiles } from './use-dropped-files.ts';
import { useSlashMenu } from './use-slash-menu.ts';
import { useSlice } from './use-slice.ts';

export function Composer() {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    chat.focus.composer = field.current;
    return () => {
      chat.focus.composer = null;
    };
  }, [chat]);
  const placeholder = useSlice((state) => enterAction(state).placeholder);
  const label = useSlice((state) => enterAction(state).label);
  const readOnly = useSlice((state) => state.session.readOnly !== undefined);
  const running = useSlice((state) => state.state.state !== 'idle');
  const stopping = useSlice((state) => state.state.state === 'stopping');
  const draft = chat.draft.value;
  const wanted = chat.composerFocus.value;
  const dropping = useDroppedFiles(!readOnly);
  const slash = useSlashMenu();
  const commands = useSlice((state) => state.slashCommands);
  const awaiting = awaitsWords(commands ?? [], draft);

  useEffect(() => {
    if (wanted === 0) return;
    const textarea = field.current;
    textarea?.focus();
    textarea?.setSelectionRange(textarea.value.length, textarea.value.length);
  }, [wanted]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (belongsToComposition(event)) {
      // VS Code is not told that it is a composition; an Escape that ends one would stop the turn.
      if (event.key === 'Escape') event.stopPropagation();
      return;
    }
    if (slash.onKey(event)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (event.key === 'Enter' && plain) {
      event.preventDefault();
      chat.submit();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || event.altKey)) {
      chat.noteDraft();
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && plain) {
      if (chat.browseHistory(event.key === 'ArrowUp' ? 'older' : 'newer')) event.preventDefault();
    }
  };

  /**
   * Programs that copy a table or a slide give its text and a picture of it: then the text is meant. File managers give
   * the file's name beside the file.
   */
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (files.length === 0 || (text !== '' && !files.every(({ name }) => text.includes(name)))) return;
    event.preventDefault();
    chat.images.add(files);
  };

  return (
    <div class={`composer ${running ? 'busy' : ''} ${readOnly ? 'read-only' : ''} ${dropping ? 'dropping' : ''}`}>
      <SlashMenu menu={slash} />
      {!readOnly && <DraftImages />}
      <textarea
        ref={field}
        rows={1}
        data-testid={testIds.composer}
        aria-label={t('Message. Enter: {0}', label)}
        placeholder={dropping ? t('Drop images here') : placeholder}
        value={draft}
        readOnly={readOnly}
        onInput={(event) => chat.setDraft(event.currentTarget.value)}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={slash.active && slashListId}
        aria-activedescendant={slash.active && slashOptionId(slash.active)}
        onBlur={() => {
          slash.close();
          chat.tellDraft();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {awaiting?.argumentHint !== undefined && (
        <p class="slash-hint" data-testid={testIds.slashHint}>
          {t('/{0} takes: {1}', awaiting.name, awaiting.argumentHint)}
        </p>
      )}
      {readOnly ? (
        <ReadOnlyBar />
      ) : (
        <div class="composer-bar">
          <AttachButton />
          <ModelPicker />
          <EffortPicker />
          <span class="gap" />
          {running && <StopButton stopping={stopping} />}
          <SendButton />
        </div>
      )}
    </div>
  );
}
