import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CASE_NUMBER } from './numbered-cases.ts';

interface TestFile {
  /** As the page names it. */
  readonly name: string;
  readonly numbers: ReadonlySet<string>;
}

/**
 * Holds the page of numbered cases (`README.md` beside the tests) to the tests: each case is named once, with all the
 * files that have a test of it and no others, and in a few words.
 *
 * @param folders of the tests; the page is in the first one, and files of the others are named `folder/file`
 */
export function holdCaseTable(folders: readonly [string, ...string[]], least: number): void {
  const rows = readFileSync(join(folders[0], 'README.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, number]) => new RegExp(`^${CASE_NUMBER}$`).test(number ?? ''));
  const files = folders.flatMap((folder, index) => testFiles(folder, index === 0 ? '' : `${basename(folder)}/`));
  const numbers = [...new Set(files.flatMap((file) => [...file.numbers]))];
  const there = numbers.map((number) => {
    const having = files.filter((file) => file.numbers.has(number));
    return `${number}: ${having.map(({ name }) => name).join(', ')}`;
  });
  assert.ok(numbers.length > least, `${numbers.length} numbers`);
  assert.deepEqual(rows.map(([, number = '', , tests = '']) => `${number}: ${tests}`).toSorted(), there.toSorted());
  for (const [, number, about = ''] of rows) assert.notEqual(about, '', `case ${number}`);
}

function testFiles(folder: string, prefix: string): TestFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .toSorted()
    .map((name) => ({
      name: prefix + name.replace('.test.ts', ''),
      numbers: numbersOf(readFileSync(join(folder, name), 'utf8')),
    }));
}

/** Titles begin with their number; tests that are made in a loop have it as the first of their values. */
function numbersOf(source: string): Set<string> {
  const titles = source.matchAll(new RegExp(`\\bit\\(\\s*[\`'"](${CASE_NUMBER})\\. `, 'g'));
  const looped = /\bit\(\s*`\$\{number\}\. /.test(source) ? source.matchAll(/^ *\['(F?\d+)', '/gm) : [];
  return new Set([...titles, ...looped].map(([, number = '']) => number));
}
