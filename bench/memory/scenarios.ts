/** What others may send without end: each flows through the real parts, in the process that is measured. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claudeRules } from '../../src/agent/hooks/dialects/claude/index.ts';
import { HookProcesses, hookOf } from '../../src/agent/hooks/handlers/index.ts';
import { createOpenAiChatWire } from '../../src/agent/model/index.ts';
import { ProcessRegistry } from '../../src/agent/tools/index.ts';
import { ServersRig } from '../../test/unit/mcp/server-rig.ts';
import { onStage } from '../hooks/stage.ts';

export interface Flow {
  readonly name: string;
  /** @param megabytes that are sent. Resolves when the parts have taken or refused them; `held` is called at the end. */
  run(megabytes: number, held: () => void): Promise<void>;
}

const MB = 1024 * 1024;

export const flows: readonly Flow[] = [
  {
    name: 'output of a command, in lines',
    run: (mb, held) => command(`yes 'a line of output of forty characters.' | head -c ${mb * MB}`, held),
  },
  {
    name: 'output of a command, one line',
    run: (mb, held) => command(`head -c ${mb * MB} /dev/zero | tr '\\0' x`, held),
  },
  {
    name: 'output of a command, with a bar',
    run: (mb, held) =>
      command(`printf 'a\\rb\\n'; yes 'a line of output of forty characters.' | head -c ${mb * MB}`, held),
  },
  { name: 'output of a background process', run: background },
  {
    name: 'one line of JSON from an MCP server',
    run: (mb, held) =>
      mcp(
        `process.stdout.write('{"jsonrpc":"2.0","method":"x","params":{"a":"'); const piece = 'x'.repeat(${MB}); for (let i = 0; i < ${mb}; i++) if (!process.stdout.write(piece)) await new Promise((go) => process.stdout.once('drain', go));`,
        held,
      ),
  },
  {
    name: 'notifications of an MCP server',
    run: (mb, held) =>
      mcp(
        `const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(100) } }) + '\\n'; for (let i = 0; i < ${mb} * 1000; i++) if (!process.stdout.write(line)) await new Promise((go) => process.stdout.once('drain', go));`,
        held,
      ),
  },
  {
    name: 'error output of an MCP server',
    run: (mb, held) =>
      mcp(
        `const piece = 'x'.repeat(${MB}); for (let i = 0; i < ${mb}; i++) if (!process.stderr.write(piece)) await new Promise((go) => process.stderr.once('drain', go));`,
        held,
      ),
  },
  { name: 'one line of JSON from a hook', run: hook },
  { name: 'one line of JSON from a model', run: model },
];

async function command(line: string, held: () => void): Promise<void> {
  await onStage(async ({ server, open }) => {
    await server.script(
      { steps: [{ call: { name: 'terminal', input: { command: line } } }] },
      { steps: [{ text: 'Done.' }] },
    );
    const session = open();
    session.onDidEmit(({ type }) => {
      if (type !== 'approval.opened') return;
      for (const approval of session.approvals()) session.answer(approval.id, 'once');
    });
    session.send('Go');
    await session.settled();
    held();
  });
}

async function background(mb: number, held: () => void): Promise<void> {
  const processes = new ProcessRegistry();
  const ended = new Promise<void>((resolve) => {
    processes.onDidChange(({ state }) => {
      if (state !== 'running') resolve();
    });
  });
  const command = `yes 'a line of output of forty characters.' | head -c ${mb * MB}`;
  await processes.start({ command, cwd: '/', env: process.env, turnId: 't' });
  await ended;
  held();
}

/** A server that answers the start, then does `code`, then says on stderr that it is through. */
async function mcp(code: string, held: () => void): Promise<void> {
  const through = Promise.withResolvers<void>();
  const program = `
    import { createInterface } from 'node:readline';
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      const say = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      if (method === 'initialize') say({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } });
      else if (method === 'tools/list') { say({ tools: [] }); void flood(); }
    }
    async function flood() { ${code}; process.stdout.write('\\n'); setTimeout(() => process.exit(0), 200); }`;
  const rig = new ServersRig();
  try {
    await rig.start({ flood: { command: process.execPath, args: ['--input-type=module', '-e', program] } });
    const server = rig.server('flood');
    const watch = setInterval(() => {
      if (server.state.is !== 'running' && server.state.is !== 'starting') through.resolve();
    }, 20);
    await through.promise;
    clearInterval(watch);
    held();
  } finally {
    await rig.servers.dispose();
  }
}

async function hook(mb: number, held: () => void): Promise<void> {
  const processes = new HookProcesses();
  const line = `printf '{"a":"'; head -c ${mb * MB} /dev/zero | tr '\\0' x; printf '"}'`;
  const { hooks } = claudeRules.readConfig(
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: line }] }] } }),
  );
  const [declared] = hooks;
  if (!declared) throw new Error('The hook is not declared as it should be.');
  const made = hookOf(
    declared,
    claudeRules,
    { is: 'file', scope: 'user', path: '/settings.json' },
    {
      surroundings: { transcriptPath: async () => undefined, home: '/', folders: ['/'] },
      processes,
      environment: process.env,
      secretEnv: () => [],
      textFolder: '/nonexistent',
    },
  );
  const payload = {
    ...{ event: 'pre_tool_call', session_id: 's', turn_id: 't', cwd: '/', workspace_folders: ['/'] },
    ...{ tool_name: 'terminal', tool_input: { command: 'ls' }, tool_call_id: 'c' },
  };
  const failure = await made.run(payload as never, new AbortController().signal).catch((error: unknown) => error);
  if (!(failure instanceof Error)) throw new Error('An answer of that length was taken.');
  held();
  await processes.dispose();
}

async function model(mb: number, held: () => void): Promise<void> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"');
    let left = mb;
    const more = () => {
      while (left > 0) {
        left -= 1;
        if (!response.write('x'.repeat(MB))) return void response.once('drain', more);
      }
      response.end('"}}]}\n\n');
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const wire = createOpenAiChatWire({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'x' });
  const request = {
    model: 'm',
    system: '',
    messages: [{ role: 'user' as const, text: 'Go' }],
    tools: [],
    cacheKey: 'k',
    connections: 1,
  };
  let error = '';
  for await (const part of wire.stream(request as never, new AbortController().signal)) {
    if (part.type === 'error') error = part.error.message;
  }
  held();
  server.closeAllConnections();
  server.close();
  if (error === '') throw new Error('A line of that length was taken.');
}
