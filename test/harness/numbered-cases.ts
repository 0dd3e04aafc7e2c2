import type Mocha from 'mocha';

interface CaseResult {
  readonly number: string;
  readonly file: string;
  readonly words: string;
  readonly result: 'passed' | 'FAILED' | 'skipped';
}

/** How a title or a page names a case: `84`, of a report `F6`, of an attack `B3`. */
export const CASE_NUMBER = '[A-Z]?\\d+[a-z]?';

const TITLE = new RegExp(`^(${CASE_NUMBER})\\. (.*)$`, 's');

/** The results of tests whose title begins with the number of a case: `84. sends one short id …`. */
export class NumberedCases {
  readonly #results: CaseResult[] = [];

  add({ title, file = '' }: Mocha.Test, result: CaseResult['result']): void {
    const [, number, words = ''] = TITLE.exec(title) ?? [];
    if (number === undefined) return;
    this.#results.push({ number, file: file.split(/[\\/]/).slice(-2).join('/'), words, result });
  }

  /** Markdown, by number. */
  table(): string {
    const rows = this.#sorted().map(({ number, file, words, result }) => [number, words, file, result]);
    const numbers = new Set(this.#results.map(({ number }) => number));
    return [...markdown([['case', 'test', 'file', 'result'], ...rows]), `${numbers.size} numbers`].join('\n');
  }

  /** The same for attacks: what was attempted, and whether it was held off. */
  attempts(): string {
    const rows = this.#sorted().map(({ number, file, words, result }) => {
      return [number, words, file, result === 'passed' ? 'held' : 'OPEN'];
    });
    const held = this.#results.filter(({ result }) => result === 'passed').length;
    const all = this.#results.length;
    return [
      ...markdown([['case', 'attempt', 'file', 'outcome'], ...rows]),
      `${all} attempts, ${held} held, ${all - held} open`,
    ].join('\n');
  }

  #sorted(): readonly CaseResult[] {
    return this.#results.toSorted((a, b) => a.number.localeCompare(b.number, 'en', { numeric: true }));
  }
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map(
    (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
}
