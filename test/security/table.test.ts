import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folders = [
  import.meta.dirname,
  join(import.meta.dirname, '../editor/security'),
  join(import.meta.dirname, '../ui/security'),
];

/** Titles begin with the number of an input and a letter; in loops the number is the first value, or has its letter put in. */
const NUMBER = /(?:\bit\(\s*[`'"]|^ *\[')([A-Z])(\d+)[a-z0-9]*(?:\. |\$\{|', )/gm;

/** By number the files that have attempts of it, as the page names them. */
function attempts(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const folder of folders) {
    const prefix = folder === import.meta.dirname ? '' : `${basename(join(folder, '..'))}/`;
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.test.ts'))) {
      for (const [, letter, digits] of readFileSync(join(folder, name), 'utf8').matchAll(NUMBER)) {
        const number = `${letter}${digits}`;
        const files = found.get(number) ?? new Set();
        found.set(number, files.add(prefix + name.replace('.test.ts', '')));
      }
    }
  }
  return found;
}

describe('the table of attacks', () => {
  it('leads from each numbered input to all the files that attempt it, and to no others', () => {
    const rows = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, number]) => /^[A-Z]\d+$/.test(number ?? ''));
    const there = [...attempts()].map(([number, files]) => `${number}: ${[...files].sort().join(', ')}`);
    assert.ok(there.length > 30, `${there.length} numbers`);
    assert.deepEqual(rows.map(([, number = '', , , files = '']) => `${number}: ${files}`).toSorted(), there.toSorted());
    for (const [, number, attempted = '', held = ''] of rows) {
      assert.ok(attempted !== '' && held !== '', `row ${number}`);
    }
  });
});
