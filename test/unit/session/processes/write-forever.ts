/** Commits pairs of a row and an item, and says the number of each pair that is stored, until it is killed. */

import { openStore } from '../../../../src/agent/session/index.ts';
import { item, row, session } from '../builders.ts';

const { store } = openStore(process.argv[2] ?? '');
store.create(session('s'));
for (let seq = 1; ; seq++) {
  store.commit({ sessionId: 's', rows: [row(seq, 'text '.repeat(2_000))], items: [item(`item-${seq}`, seq)] });
  process.stdout.write(`${seq}\n`);
}
