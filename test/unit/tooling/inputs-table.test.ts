import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const tests = resolve(import.meta.dirname, '../..');

/** Cases of hooks and attacks have pages of their own, and numbers of their own. */
const ELSEWHERE = /^(hooks|security|editor\/(hooks|security)|ui\/security)\//;
const NUMBER = /\b(?:it|onLinux)\(\s*[`'"]([D-L]\d+)[a-z]*\. /g;

/** `D1: unit/tools/several-roots`: by number the files whose titles begin with it. */
function there(): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const entry of readdirSync(tests, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(tests, path).split('\\').join('/');
    if (!name.endsWith('.test.ts') || ELSEWHERE.test(name)) continue;
    for (const [, number = ''] of readFileSync(path, 'utf8').matchAll(NUMBER)) {
      files.set(number, (files.get(number) ?? new Set()).add(name.replace('.test.ts', '')));
    }
  }
  return [...files].map(([number, names]) => `${number}: ${[...names].sort().join(', ')}`).sort();
}

describe('the page of numbered inputs', () => {
  it('leads from each number to all the files that try it, and to no others', () => {
    const rows = readFileSync(join(tests, 'README.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, number]) => /^[D-L]\d+$/.test(number ?? ''));
    const found = there();
    assert.ok(found.length > 25, `${found.length} numbers`);
    assert.deepEqual(rows.map(([, number, , files]) => `${number}: ${files}`).toSorted(), found);
    for (const [, number, about = ''] of rows) assert.notEqual(about, '', `row ${number}`);
  });
});
