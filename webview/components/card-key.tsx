import { defaultKeys } from '../keys.ts';
import { t } from '../l10n.ts';
import { useSlice } from './use-slice.ts';

/** The key that moves into a card; those on the card's buttons work from then on. */
export function CardKey() {
  const platform = useSlice((state) => state.settings.platform);
  const key = defaultKeys.enterCard(platform);
  return (
    <kbd class="card-key" title={t('{0} moves into this card; its other keys work from then on', key)}>
      {key}
    </kbd>
  );
}
