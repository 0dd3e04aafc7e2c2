import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { readLanguageServers } from '../../../src/agent/language-servers/index.ts';
import { ServerProcess } from '../../../src/agent/language-servers/server-process.ts';
import { isRunning } from '../turn/is-running.ts';

const sourceAt = (line: number | undefined) =>
  ({ is: 'file', path: '/w/.lsp.json', ...(line === undefined ? {} : { line }) }) as const;
const read = (text: string) => readLanguageServers(text, { folder: '/w', sourceAt });

describe('files that declare language servers', () => {
  it('are read as Claude Code writes them, defaults filled in', () => {
    const { servers } = read(`{
  // comments are allowed
  "go": { "command": "gopls", "args": ["serve"], "extensionToLanguage": { "GO": "go", ".mod": "go.mod" }, "settings": { "a": 1 } },
}`);
    assert.deepEqual(JSON.parse(JSON.stringify(servers)), [
      {
        name: 'go',
        source: { is: 'file', path: '/w/.lsp.json', line: 3 },
        folder: '/w',
        warnings: [],
        definition: {
          name: 'go',
          command: 'gopls',
          args: ['serve'],
          env: {},
          transport: 'stdio',
          languages: { '.go': 'go', '.mod': 'go.mod' },
          settings: { a: 1 },
          startupTimeout: 30_000,
          shutdownTimeout: 5_000,
          restartOnCrash: true,
          maxRestarts: 3,
        },
      },
    ]);
  });

  it('of a manifest are read from its lspServers', () => {
    const { servers } = read('{"lspServers": {"x": {"command": "x", "extensionToLanguage": {".x": "x"}}}}');
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['x'],
    );
  });

  it('may begin with a byte order mark, as editors on Windows write one', () => {
    const { servers, broken } = read('\ufeff{"x": {"command": "x", "extensionToLanguage": {".x": "x"}}}');
    assert.equal(broken, undefined);
    assert.equal(servers[0]?.name, 'x');
  });

  it('say what is wrong with a server, and keep the others', () => {
    const { servers } = read(
      '{"a": {"command": "a"}, "b": {"command": "b", "extensionToLanguage": {".b": "b"}, "odd": 1}}',
    );
    assert.match(servers[0]?.broken ?? '', /extensionToLanguage/);
    assert.deepEqual(servers[1]?.warnings, ['"odd" is not known here and has no effect.']);
    assert.match(read('{').broken ?? '', /not valid JSON/);
  });
});

describe('the process of a language server', () => {
  const start = (script: string, transport: 'stdio' | 'socket' = 'stdio', signal = new AbortController().signal) =>
    ServerProcess.start(
      {
        command: process.execPath,
        args: ['-e', script, '--'],
        cwd: tmpdir(),
        env: process.env,
        transport,
        onSaid() {},
      },
      signal,
    );

  it('is ended with what it started, also what detached itself', async () => {
    const server = await start(`
      const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      process.stdout.write(child.pid + '\\n');
      process.on('SIGINT', () => {});
      setInterval(() => {}, 1000);`);
    const child = await new Promise<number>((resolve) => server.reader.once('data', (pid) => resolve(Number(pid))));
    assert.ok(isRunning(child));
    await server.end();
    assert.deepEqual([isRunning(server.pid ?? 0), isRunning(child)], [false, false]);
  });

  it('may speak over a socket whose port it is told', async () => {
    const server = await start(
      `
      const port = process.argv.find((word) => word.startsWith('--socket=')).slice(9);
      require('node:net').connect(Number(port), '127.0.0.1').write('hello');`,
      'socket',
    );
    const said = await new Promise((resolve) => server.reader.once('data', (text) => resolve(String(text))));
    assert.equal(said, 'hello');
    await server.end();
  });

  it('that ends before it has connected, or is not there, says so', async () => {
    await assert.rejects(start('process.exit(2)', 'socket'), /ended before it connected/);
    const missing = { command: 'no-such-server', args: [], cwd: tmpdir(), env: process.env } as const;
    const starting = ServerProcess.start({ ...missing, transport: 'stdio', onSaid() {} }, new AbortController().signal);
    await assert.rejects(starting, /no-such-server was not found/);
  });

  it('is heard in whole characters, whatever pieces they come in', async () => {
    const script = `
      process.stderr.write(Buffer.from([0x61, 0xe2, 0x82]));
      process.stdin.once('data', () => process.stderr.write(Buffer.from([0xac, 0x0a])));`;
    let said = '';
    let heard = () => {};
    const until = (end: string) =>
      new Promise<void>((resolve) => {
        heard = () => said.endsWith(end) && resolve();
        heard();
      });
    const onSaid = (text: string) => {
      said += text;
      heard();
    };
    const command = { command: process.execPath, args: ['-e', script], cwd: tmpdir(), env: process.env, onSaid };
    const server = await ServerProcess.start({ ...command, transport: 'stdio' }, new AbortController().signal);
    await until('a');
    server.writer.write('go on');
    await until('\n');
    assert.equal(said, 'a€\n');
    await server.end();
  });

  it('tells how it ended', async () => {
    assert.equal(await (await start('process.exit(3)')).ended, 'it ended with exit code 3');
  });
});
