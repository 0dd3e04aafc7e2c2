import { join } from 'node:path';
import { holdCaseTable } from '../harness/case-table.ts';

describe('the table of hooks and plugins', () => {
  it('names each case once, in a few words, with all the files that have a test of it and no others', () => {
    const inEditor = join(import.meta.dirname, '../editor/hooks');
    holdCaseTable([import.meta.dirname, inEditor], 80);
  });
});
