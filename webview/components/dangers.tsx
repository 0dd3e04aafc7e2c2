import type { PendingApproval } from '../../src/api.ts';
import { plural, t } from '../l10n.ts';
import { isLong } from '../state/command-view.ts';
import { Icon } from './icon.tsx';
import { Visible } from './visible.tsx';

/** Characters of a part that stand beside its danger. */
const shownPart = 80;

/** Everything that makes the call dangerous, most serious first; where the command is long also the parts that do. */
export function Dangers({ approval }: { readonly approval: PendingApproval }) {
  const { dangers = [], command = '' } = approval;
  if (dangers.length === 0) return null;
  const long = isLong(command);
  return (
    <section class="dangers" aria-label={plural(dangers.length, '{0} danger', '{0} dangers')}>
      <p class="danger-head">
        <Icon name="warning" />
        {t('Dangerous')}
      </p>
      <ul>
        {dangers.map(({ why, parts }, index) => (
          <li key={index}>
            <Visible text={why} />
            {long &&
              parts.map(({ start, end }) => (
                <code key={start}>
                  <Visible text={command} from={start} to={Math.min(end, start + shownPart)} />
                  {end - start > shownPart && '…'}
                </code>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
