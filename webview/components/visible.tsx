import { Fragment } from 'preact';
import type { TextRange } from '../../src/api.ts';
import { type VisiblePart, visibleParts } from '../../src/words/visible-text.ts';
import { plural, t } from '../l10n.ts';

interface VisibleProps {
  readonly text: string;
  /** Parts that make it dangerous. */
  readonly dangerous?: readonly TextRange[];
  /** Only what stands there, by offsets of `text`. */
  readonly from?: number;
  readonly to?: number;
  readonly fold?: boolean;
}

/** Text of others as it is, but for what nobody would see: that stands there as marks. */
export function Visible({ text, dangerous = [], from = 0, to = text.length, fold = false }: VisibleProps) {
  const { parts } = visibleParts(text, { fold });
  const cuts = [from, to, ...dangerous.flatMap(({ start, end }) => [start, end])];
  return (
    <>
      {parts
        .flatMap((part) => cutAt(part, cuts))
        .map((part) => {
          if (part.start < from || part.start >= to) return null;
          const drawn = <Part part={part} />;
          const isDangerous = dangerous.some(({ start, end }) => part.start >= start && part.end <= end);
          return isDangerous ? (
            <mark key={part.start} class="danger-part">
              {drawn}
            </mark>
          ) : (
            <Fragment key={part.start}>{drawn}</Fragment>
          );
        })}
    </>
  );
}

/** How many marks there are, in a sentence; nothing where there are none. */
export function HiddenCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <p class="hidden-count">
      {plural(
        count,
        '{0} hidden or misleading character is shown as a mark',
        '{0} hidden or misleading characters are shown as marks',
      )}
    </p>
  );
}

function Part({ part }: { readonly part: VisiblePart }) {
  switch (part.kind) {
    case 'text':
      return <>{part.text}</>;
    case 'mark':
      return (
        <span class="hidden-mark" role="img" title={part.name} aria-label={t('hidden character {0}', part.name)}>
          {part.shown}
        </span>
      );
    case 'fold': {
      const words =
        part.of === 'lines'
          ? plural(part.count, '{0} line break', '{0} line breaks')
          : plural(part.count, '{0} blank', '{0} blanks');
      const folded = <span class="fold-mark">{words}</span>;
      return part.of === 'lines' ? (
        <>
          {' '}
          {folded}
          {'\n'}
        </>
      ) : (
        folded
      );
    }
    default:
      return part satisfies never;
  }
}

/** A mark or a fold stays whole: what is dangerous begins and ends at words. */
function cutAt(part: VisiblePart, cuts: readonly number[]): readonly VisiblePart[] {
  if (part.kind !== 'text') return [part];
  const inside = cuts.filter((cut) => cut > part.start && cut < part.end);
  const bounds = [part.start, ...new Set(inside.sort((a, b) => a - b)), part.end];
  return bounds.slice(1).map((end, index) => {
    const start = bounds[index] ?? part.start;
    return { kind: 'text', start, end, text: part.text.slice(start - part.start, end - part.start) };
  });
}
