import assert from 'node:assert/strict';
import { measure } from '../../bench/memory/measure.ts';
import { flows } from '../../bench/memory/scenarios.ts';

/** Of each flow, in MB: far more than may be held after it. */
const SENT = 32;
const MAY_BE_HELD = 12;

/** The whole amounts are `npm run bench:memory`. */
describe('what others send without end', function () {
  this.timeout(60_000);

  for (const [index, { name }] of flows.entries()) {
    it(`K2a. is not kept: ${name}`, async () => {
      const { held } = await measure(index, SENT);
      assert.ok(held < MAY_BE_HELD, `${held.toFixed(1)} MB of ${SENT} are held`);
    });
  }
});
