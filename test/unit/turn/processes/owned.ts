/**
 * Another window with a process that is no command: argv[3] of `hook`, `mcp`, `language server`, `plugin`, recorded in the
 * store of folder argv[2]. Says so when it runs, and again when it has been ended in order.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HookProcesses } from '../../../../src/agent/hooks/handlers/index.ts';
import { ServerProcess } from '../../../../src/agent/language-servers/server-process.ts';
import { StdioTransport } from '../../../../src/agent/mcp/transport/stdio.ts';
import { PluginProcess } from '../../../../src/agent/plugins/host/plugin-process.ts';
import { openStore } from '../../../../src/agent/session/index.ts';
import { recordIn } from '../../../../src/agent/tools/index.ts';
import { StoredProcesses } from '../../../../src/agent/turn/index.ts';

const [, , folder = '', kind = ''] = process.argv;
const { store } = openStore(folder);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = {
  now: Date.now,
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const record = recordIn(new StoredProcesses({ store, clock, log }).ledger(''));
const never = new AbortController().signal;
const up = () => process.stdout.write('up\n');
/** It ends by itself for nobody: not when its input ends, nor when it is asked to. */
const stubborn =
  "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000); console.error('up')";
const common = { env: process.env, cwd: folder };

const starting = started();
// Before it says that it runs: it may be asked to close at once.
process.on('SIGTERM', () => void starting.then((end) => end()).then(() => process.exit()));
setInterval(() => undefined, 60_000);

async function started(): Promise<() => Promise<unknown>> {
  switch (kind) {
    case 'hook': {
      const processes = new HookProcesses(record);
      const program = {
        file: process.execPath,
        args: ['-e', `${stubborn}; require('node:fs').writeFileSync('up', '')`],
      };
      void processes.run({ ...program, ...common, stdin: '', timeout: 600_000, mayGoOn: false }, never).catch(() => {});
      await fileOf('up');
      up();
      return () => processes.dispose();
    }
    case 'mcp': {
      const transport = new StdioTransport({
        command: process.execPath,
        args: ['-e', stubborn],
        ...common,
        record,
        onSaid: up,
      });
      await transport.start();
      return () => transport.close();
    }
    case 'language server': {
      const of = { command: process.execPath, args: ['-e', stubborn], ...common, transport: 'stdio' as const };
      const server = await ServerProcess.start({ ...of, record, onSaid: up }, never);
      return () => server.end();
    }
    case 'plugin': {
      writeFileSync(join(folder, 'index.mjs'), "export function register() { console.error('up'); for (;;); }");
      const plugin = new PluginProcess({
        entry: fileURLToPath(new URL('../../../../src/agent/plugins/host/plugin-host.child.ts', import.meta.url)),
        memory: 64,
        environment: process.env,
        secretEnv: [],
        variables: {},
        clock,
        record,
        start: {
          plugin: { id: 'stubborn', version: '1', root: folder },
          main: join(folder, 'index.mjs'),
          folders: [folder],
          config: {},
          state: {},
        },
        events: {
          registered() {},
          unregistered() {},
          problem() {},
          log: up,
          request: async () => undefined,
          ended() {},
        },
      });
      plugin.ready.catch(() => undefined);
      return () => plugin.end();
    }
    default:
      throw new Error(`There is no such owner: ${kind}`);
  }
}

async function fileOf(name: string): Promise<void> {
  const { access } = await import('node:fs/promises');
  for (;;) {
    if (
      await access(join(folder, name)).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
