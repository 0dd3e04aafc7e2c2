/** Another window: a call waits for the command argv[3] in the store's folder argv[2]; says so when the command runs. */

import { openStore } from '../../../../src/agent/session/index.ts';
import { PlainEditorPort, ProcessRegistry, ToolRegistry } from '../../../../src/agent/tools/index.ts';
import { StoredProcesses } from '../../../../src/agent/turn/index.ts';

const [, , folder = '', command = ''] = process.argv;
const { store } = openStore(folder);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: Date.now, after: () => () => undefined };
const processes = new ProcessRegistry({ ledger: new StoredProcesses({ store, clock, log }).ledger('s') });
const tool = new ToolRegistry().find('terminal');
if (!tool) throw new Error('there is no tool for commands');
const never = new AbortController().signal;
const context = {
  sessionId: 's',
  turnId: 't',
  callId: 'c',
  signal: never,
  killSignal: never,
  yieldSignal: never,
  folders: [folder],
  later: () => {},
  output: (text: string) => process.stdout.write(text),
  editor: new PlainEditorPort(),
  processes,
  seen: true,
  todos: { get: () => [], set: () => undefined },
  settings: { terminalTimeout: 180 },
};
const input = tool.input.parse({ command });
await tool.permission(input, context);
process.on('SIGTERM', () => void processes.killAll().then(() => process.exit()));
await tool.run(input, context);
process.stdout.write('over\n');
setInterval(() => undefined, 60_000);
