import { useRef } from 'preact/hooks';
import { draftImageId, testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import type { DraftImage } from '../images/draft-images.ts';
import { plural, t } from '../l10n.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { useSlice } from './use-slice.ts';

/** The images that will go with the text in the composer. */
export function DraftImages() {
  const chat = useChat();
  const images = chat.images.list.value;
  const model = useSlice((state) => state.model);
  const strip = useRef<HTMLUListElement>(null);
  if (images.length === 0) return null;

  /** The button goes with its image: the focus moves on to the next one, or back into the text. */
  const remove = ({ key }: DraftImage, index: number) => {
    chat.images.remove(key);
    const next = strip.current?.children[index + 1] ?? strip.current?.children[index - 1];
    const button = next?.querySelector<HTMLElement>('.remove-image');
    if (button) button.focus();
    else chat.composerFocus.value++;
  };

  return (
    <div class="draft-images" data-testid={testIds.draftImages}>
      <ul ref={strip} aria-label={plural(images.length, 'One image goes with it', '{0} images go with it')}>
        {images.map((image, index) => (
          <li key={image.key} data-testid={draftImageId(index)}>
            {image.is === 'ready' ? (
              <Thumbnail reference={image.attachment.ref} name={image.name} />
            ) : (
              <span class="thumbnail" title={t('Preparing {0}', image.name)}>
                <Icon name="loading" class="codicon-modifier-spin" />
              </span>
            )}
            <IconButton
              icon="close"
              class="remove-image"
              label={t('Remove {0}', image.name)}
              testId={testIds.removeImage}
              onClick={() => remove(image, index)}
            />
          </li>
        ))}
      </ul>
      {model.vision === false && (
        <p class="draft-images-note" data-testid={testIds.noVision}>
          <Icon name="warning" />
          {t('{0} sees no images: it is told only that they were here.', model.label)}
        </p>
      )}
    </div>
  );
}
