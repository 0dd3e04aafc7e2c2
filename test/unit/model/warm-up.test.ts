import assert from 'node:assert/strict';
import { warmUp } from '../../../src/agent/model/index.ts';

describe('the warm-up', () => {
  it('is done once, however often it is asked for, and never rejects', async () => {
    const first = warmUp();
    assert.equal(warmUp(), first);
    await first;
  });
});
