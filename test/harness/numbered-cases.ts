import type Mocha from 'mocha';

interface CaseResult {
  readonly number: string;
  readonly file: string;
  readonly words: string;
  readonly result: 'passed' | 'FAILED' | 'skipped';
}

/** The results of tests whose title begins with the number of a case: `84. sends one short id …`, or of a report: `F6. …`. */
export class NumberedCases {
  readonly #results: CaseResult[] = [];

  add({ title, file = '' }: Mocha.Test, result: CaseResult['result']): void {
    const [, number, words = ''] = /^(F?\d+)\. (.*)$/s.exec(title) ?? [];
    if (number === undefined) return;
    this.#results.push({ number, file: file.split(/[\\/]/).slice(-2).join('/'), words, result });
  }

  /** Markdown, by number. */
  table(): string {
    const rows = this.#results
      .toSorted((a, b) => a.number.localeCompare(b.number, 'en', { numeric: true }))
      .map(({ number, file, words, result }) => `| ${number} | ${words} | ${file} | ${result} |`);
    const numbers = new Set(this.#results.map(({ number }) => number));
    return [
      '| case | test | file | result |',
      '| ---- | ---- | ---- | ------ |',
      ...rows,
      `${numbers.size} numbers`,
    ].join('\n');
  }
}
