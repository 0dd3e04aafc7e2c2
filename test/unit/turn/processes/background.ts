/** Another window: runs the command argv[3] in the background, records it in the store of the folder argv[2], says so. */

import { openStore } from '../../../../src/agent/session/index.ts';
import { ProcessRegistry } from '../../../../src/agent/tools/index.ts';
import { StoredProcesses } from '../../../../src/agent/turn/index.ts';

const [, , folder = '', command = ''] = process.argv;
const { store } = openStore(folder);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: Date.now, after: () => () => undefined };
const registry = new ProcessRegistry({ ledger: new StoredProcesses({ store, clock, log }).ledger('s') });
await registry.start({ command, cwd: folder, env: process.env, turnId: 't' });
process.stdout.write('running\n');
setInterval(() => undefined, 60_000);
