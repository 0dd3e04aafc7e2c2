import assert from 'node:assert/strict';
import { Receipts } from '../../../src/agent/control/receipts.ts';
import type { Receipt } from '../../../src/api.ts';

const receipt = (seq: number): Receipt => ({ id: `m${seq}`, verb: 'send', seq, outcome: 'queued' });

describe('the receipts of a session', () => {
  it('finds each of many, and an earlier value knows nothing of what came after it', () => {
    let receipts = new Receipts(new Map([['m0', receipt(0)]]));
    const first = receipts;
    for (let seq = 1; seq <= 200; seq++) receipts = receipts.with(receipt(seq));
    for (let seq = 0; seq <= 200; seq++) assert.equal(receipts.get(`m${seq}`)?.seq, seq);
    assert.equal(receipts.get('m201'), undefined);
    assert.deepEqual([first.all(), receipts.all().length], [[receipt(0)], 201]);
  });
});
