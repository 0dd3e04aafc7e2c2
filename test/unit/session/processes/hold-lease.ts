/** Another window: takes the session argv[3] of the store in the folder argv[2], says so, and keeps it until it is killed. */

import { openStore } from '../../../../src/agent/session/index.ts';
import { row } from '../builders.ts';

const { store } = openStore(process.argv[2] ?? '');
const sessionId = process.argv[3] ?? '';
store.commit({ sessionId, rows: [row(1, 'from the other process')], lease: 'take' });
process.stdout.write('taken\n');
setInterval(() => undefined, 60_000);
