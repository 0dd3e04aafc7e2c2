import type { Sample, Scenario } from './scenarios.ts';

/** The samples of one scenario by the number of rows that the conversation had. */
export type Measured = ReadonlyMap<number, readonly Sample[]>;

/** Markdown: a line for each figure, with p50 / p95 at each length and how much the p50 grows with it. */
export function table(measured: ReadonlyMap<Scenario, Measured>, lengths: readonly number[]): string {
  const lines = [...measured].flatMap(([scenario, samples]) =>
    Object.entries(scenario.figures).map(([figure, aim]) => line(scenario, figure, aim, samples, lengths)),
  );
  const columns = ['p50 / p95 in ms', 'runs', 'aim', ...lengths.map((length) => `${count(length)} rows`), 'growth'];
  return [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function line(
  { name }: Scenario,
  figure: string,
  aim: number | undefined,
  samples: Measured,
  lengths: readonly number[],
): readonly string[] {
  const columns = lengths.map((length) => (samples.get(length) ?? []).flatMap((sample) => sample[figure] ?? []));
  const p50s = columns.map((column) => quantile(column, 0.5));
  const cells = columns.map((column, index) => `**${amount(p50s[index] ?? 0)}** / ${amount(quantile(column, 0.95))}`);
  const reached = aim !== undefined && p50s.every((p50) => p50 <= aim);
  const [shortest, longest] = [p50s[0], p50s.at(-1)];
  return [
    `${name} → ${figure}`,
    String(columns[0]?.length ?? 0),
    aim === undefined ? '' : `${aim} ${reached ? 'reached' : '**missed**'}`,
    ...cells,
    shortest && longest ? `× ${amount(longest / shortest)}` : '',
  ];
}

/** Between two samples the line between them. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [lower, upper] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (lower === undefined || upper === undefined) throw new Error('There is no quantile of no samples.');
  return lower + (upper - lower) * (place % 1);
}

function amount(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(value < 0.1 ? 1 : 2)));
}

function count(value: number): string {
  return value.toLocaleString('en');
}
