import { useMemo } from 'preact/hooks';
import { plural, t } from '../l10n.ts';
import { type DiffLine, diffLines } from '../state/diff-lines.ts';
import { ScrollBox } from './scroll-box.tsx';
import { HiddenCount, Visible } from './visible.tsx';

interface DiffProps {
  readonly before: string;
  readonly after: string;
  /** Lines; the diff editor has them all. */
  readonly limit: number;
}

export function DiffLines({ before, after, limit }: DiffProps) {
  const view = useMemo(() => diffLines(before, after, limit), [before, after, limit]);
  if (!view) return <p class="quiet">{t('This change is too large to show here. Open it in the diff editor.')}</p>;
  return (
    <>
      <ScrollBox class="diff" label={t('Change')}>
        <table aria-label={t('Change: {0} lines added, {1} removed', view.added, view.removed)}>
          <tbody>
            {view.lines.map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <HiddenCount count={view.marks} />
      {view.hidden > 0 && <p class="quiet">{plural(view.hidden, '{0} more line', '{0} more lines')}</p>}
    </>
  );
}

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <tr class={line.kind}>
      <td class="line-number">{line.kind === 'gap' ? '⋯' : line.line}</td>
      <td class="line-sign">{signs[line.kind]}</td>
      <td class="line-text">
        <Visible text={line.text} />
      </td>
    </tr>
  );
}

const signs: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '−', same: '', gap: '' };
