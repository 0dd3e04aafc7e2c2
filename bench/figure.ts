/** A measured figure: samples, what we aim at, and what it is compared with. */

export type Unit = 'ms' | 'µs' | 'MB';

export interface Reference {
  readonly name: string;
  readonly value: number;
}

export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly samples: readonly number[];
  /** The figure has to be at most this, in its unit; a ratio when `aimIsRatio`. */
  readonly aim?: number;
  /** `aim` is a multiple of the first reference. */
  readonly aimIsRatio?: boolean;
  readonly references: readonly Reference[];
  readonly note?: string;
}

/** The middle sample; the mean of the two in the middle of an even number. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of no samples.');
  return (lower + upper) / 2;
}

/** True when it reaches its aim; undefined without one. */
export function reaches(figure: Figure): boolean | undefined {
  if (figure.aim === undefined) return undefined;
  const [reference] = figure.references;
  const bound = figure.aimIsRatio && reference ? figure.aim * reference.value : figure.aim;
  return median(figure.samples) <= bound;
}

/** Markdown: one line for each figure, with its ratio to each reference (below 1 is better than the reference). */
export function table(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => {
    const cells = [
      figure.name + (figure.note ? ` (${figure.note})` : ''),
      `**${amount(median(figure.samples))} ${figure.unit}**`,
      `${amount(Math.min(...figure.samples))}–${amount(Math.max(...figure.samples))}, n=${figure.samples.length}`,
      aimOf(figure),
      figure.references.map((reference) => comparison(figure, reference)).join('; '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| figure | median | range | aim | against |', '|---|---|---|---|---|', ...lines].join('\n');
}

function aimOf(figure: Figure): string {
  if (figure.aim === undefined) return '';
  const bound = figure.aimIsRatio ? `≤ ${figure.aim} ×` : `≤ ${figure.aim} ${figure.unit}`;
  return `${bound} ${reaches(figure) ? 'reached' : '**missed**'}`;
}

function comparison(figure: Figure, { name, value }: Reference): string {
  return `${amount(median(figure.samples) / value)} × ${name} (${amount(value)} ${figure.unit})`;
}

/** Three significant digits, without an exponent. */
function amount(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(value < 0.1 ? 2 : 3)));
}
