import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const rows = read('README.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, number]) => /^\d+$/.test(number ?? ''));
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => ({ name: name.replace('.test.ts', ''), numbers: numbersOf(read(name)) }));

describe('the table of the model side', () => {
  it('names each case once, with all the files that have a test of it and no others', () => {
    const named = rows.map(([, number = '', , tests = '']) => `${number}: ${tests}`);
    const numbers = [...new Set(files.flatMap((file) => [...file.numbers]))].toSorted((a, b) => a - b);
    const there = numbers.map((number) => {
      const having = files.filter((file) => file.numbers.has(number));
      return `${number}: ${having.map(({ name }) => name).join(', ')}`;
    });
    assert.ok(numbers.length > 130);
    assert.deepEqual(
      named.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
      there,
    );
  });

  it('says in a few words what each case is about', () => {
    for (const [, number, about = ''] of rows) assert.notEqual(about, '', `case ${number}`);
  });
});

/** Titles begin with their number; tests that are made in a loop have it as the first of their values. */
function numbersOf(source: string): Set<number> {
  const titles = source.matchAll(/\bit\(\s*[`'"](\d+)\. /g);
  const looped = /\bit\(\s*`\$\{number\}\. /.test(source) ? source.matchAll(/^ *\['(\d+)', '/gm) : [];
  return new Set([...titles, ...looped].map(([, number]) => Number(number)));
}
