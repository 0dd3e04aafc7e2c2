import { useEffect, useState } from 'preact/hooks';
import { thumbnailId } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { Icon } from './icon.tsx';

interface ThumbnailProps {
  /** Where the host keeps it. */
  readonly reference: string;
  readonly name: string;
}

/** An image of the conversation, small; the editor shows it whole. */
export function Thumbnail({ reference, name }: ThumbnailProps) {
  const chat = useChat();
  const [url, setUrl] = useState<string | 'gone' | undefined>(undefined);
  useEffect(() => {
    let wanted = true;
    chat.kept.url(reference).then(
      (found) => wanted && setUrl(found ?? 'gone'),
      () => wanted && setUrl('gone'),
    );
    return () => {
      wanted = false;
    };
  }, [chat, reference]);

  if (url === 'gone') {
    return (
      <span class="thumbnail gone" title={visibleLine(name)} data-testid={thumbnailId(reference)}>
        <Icon name="file-media" />
        {t('{0} is no longer kept', name || t('image'))}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="thumbnail"
      data-testid={thumbnailId(reference)}
      title={t('{0} (click to open)', name || t('image'))}
      aria-label={t('Image {0}, open it', name)}
      onClick={() => chat.host.notify({ type: 'openImage', ref: reference, name })}
    >
      {url === undefined ? <Icon name="file-media" /> : <img src={url} alt={visibleLine(name)} draggable={false} />}
    </button>
  );
}
