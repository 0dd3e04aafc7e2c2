import assert from 'node:assert/strict';
import { collectStrings, storedStrings } from '../../../scripts/l10n.ts';

describe('strings for translators', () => {
  it('are all in the bundle (node scripts/l10n.ts brings it up to date)', async () => {
    assert.deepEqual(await storedStrings(), await collectStrings());
  });
});
