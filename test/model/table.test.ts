import { holdCaseTable } from '../harness/case-table.ts';

describe('the table of the model side', () => {
  it('names each case once, in a few words, with all the files that have a test of it and no others', () => {
    holdCaseTable([import.meta.dirname], 130);
  });
});
