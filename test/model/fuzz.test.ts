import { WIRES } from '../unit/model/wire-fixture.ts';
import { fuzz } from './stream-fuzz.ts';

describe('any stream, cut at any byte and split at any bytes', function () {
  this.timeout(120_000);
  for (const tested of WIRES) {
    it(`leads to a legal request, and to no call that was not whole, on the ${tested.name} wire`, () =>
      fuzz(tested, 2_000));
  }
});
