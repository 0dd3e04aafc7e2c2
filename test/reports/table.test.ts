import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const source = (path: string): string => {
  assert.ok(existsSync(join(root, path)), `there is no ${path}`);
  return readFileSync(join(root, path), 'utf8');
};
const rows = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the table of reports', () => {
  it('names for each report tests that are there', () => {
    const reports = rows.filter(([, number]) => /^B\d+$/.test(number ?? ''));
    assert.ok(reports.length > 130);
    for (const [, number = '', , tests = '', result = ''] of reports) {
      if (tests === '–') assert.match(result, /^(test\/|needs|does not apply|differs on purpose)/, number);
      else for (const name of tests.split(', ')) assertNamed(number, pathOf(name));
    }
  });

  it('says of each numbered case where it is proved, or why it is not', () => {
    const cases = rows.filter(([, number]) => /^\d+$/.test(number ?? ''));
    assert.ok(cases.length > 100);
    for (const [, number = '', where = ''] of cases) {
      for (const [, report = ''] of where.matchAll(/`(B\d+)`/g)) {
        assert.ok(
          rows.some(([, other]) => other === report),
          `case ${number} refers to ${report}`,
        );
      }
      for (const [, other = '', file = 'reference-cases'] of where.matchAll(/`control ([\d, ]+)`(?: in ([\w-]+))?/g)) {
        for (const one of other.split(', ')) {
          assert.match(source(pathOf(file)), new RegExp(`control [\\d, ]*\\b${one}\\b`), `case ${number}`);
        }
      }
    }
  });

  it('quotes words of tests as they stand', () => {
    for (const row of rows) {
      const text = row.join(' ');
      for (const [, path = '', quoted = ''] of text.matchAll(
        /(test\/[\w./-]+\.test\.ts)((?:,| and)? “[^”]+”(?: and “[^”]+”)*)/g,
      )) {
        for (const [, words = ''] of quoted.matchAll(/“([^”]+)”/g)) {
          assert.ok(source(path).includes(words), `${path} does not say “${words}”`);
        }
      }
      for (const [path] of text.matchAll(/test\/[\w./-]+\.test\.ts(?!, “)/g))
        assert.fail(`no words of ${path} are quoted`);
    }
  });
});

function pathOf(name: string): string {
  return name.includes('/') ? `test/${name}.test.ts` : `test/reports/${name}.test.ts`;
}

function assertNamed(number: string, path: string): void {
  const titles = source(path).matchAll(/\bit\(\s*[`'"](.*)/g);
  assert.ok(
    [...titles].some(([, title = '']) => new RegExp(`\\b${number}\\b`).test(title)),
    `${path} has no test of ${number}`,
  );
}
