// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such variables are the subject
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillIn, type Variables } from '../../../src/agent/mcp/config/fill-in.ts';
import {
  type DeclaredServer,
  type McpServerDefinition,
  readServersFile,
  readServersSetting,
  scriptsOfServer,
} from '../../../src/agent/mcp/index.ts';

const sourceAt = (line: number | undefined) =>
  ({ is: 'file', path: '/w/.mcp.json', scope: 'workspace', ...(line === undefined ? {} : { line }) }) as const;

function read(text: string, form: 'claude' | 'vscode' = 'claude') {
  return readServersFile(text, { form, sourceAt, folder: '/w' });
}

describe('files that declare MCP servers', () => {
  it('are read as Claude Code writes them, with the line of each server', () => {
    const { servers } = read(`{
  // the one for files
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"], "env": { "A": "\${A:-1}" } },
    "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "X": "y" } },
    "old": { "type": "sse", "url": "https://example.com/sse" },
  }
}`);
    assert.deepEqual(
      servers.map(({ definition }) => definition),
      [
        {
          name: 'files',
          source: { is: 'file', path: '/w/.mcp.json', scope: 'workspace', line: 4 },
          parallel: false,
          timeout: 120_000,
          transport: 'stdio',
          command: 'npx',
          args: ['-y', 'files'],
          env: { A: '${A:-1}' },
        },
        {
          name: 'remote',
          source: { is: 'file', path: '/w/.mcp.json', scope: 'workspace', line: 5 },
          parallel: false,
          timeout: 120_000,
          transport: 'http',
          url: 'https://example.com/mcp',
          headers: { X: 'y' },
        },
        {
          name: 'old',
          source: { is: 'file', path: '/w/.mcp.json', scope: 'workspace', line: 6 },
          parallel: false,
          timeout: 120_000,
          transport: 'sse',
          url: 'https://example.com/sse',
          headers: {},
        },
      ],
    );
  });

  it('are read as VS Code writes them, with the inputs that each server uses', () => {
    const { servers, warnings } = read(
      JSON.stringify({
        inputs: [
          { type: 'promptString', id: 'key', description: 'The key', password: true },
          { type: 'pickString', id: 'size', description: 'How large', options: ['s', { label: 'Large', value: 'l' }] },
          { type: 'command', id: 'odd', command: 'x' },
        ],
        servers: {
          local: {
            type: 'stdio',
            command: 'node',
            args: ['${workspaceFolder}/a.js'],
            env: { KEY: '${input:key}', N: 1, GONE: null },
          },
          remote: { type: 'http', url: 'https://example.com/${input:size}' },
        },
      }),
      'vscode',
    );
    assert.deepEqual(
      servers.map(({ name, inputs }) => [name, inputs.map(({ id }) => id)]),
      [
        ['local', ['key']],
        ['remote', ['size']],
      ],
    );
    const [local] = servers;
    assert.ok(local?.definition?.transport === 'stdio');
    assert.deepEqual(local.definition.env, { KEY: '${input:key}', N: '1' });
    assert.match(warnings.join(), /inputs\[2\] cannot be used/);
  });

  it('that are no JSON say where', () => {
    assert.match(read('{\n"mcpServers": {,}}').broken ?? '', /not valid JSON: .* in line 2/);
    assert.match(read('[]').broken ?? '', /holds no JSON object/);
  });

  it('may begin with a byte order mark, as editors on Windows write one', () => {
    const { servers, broken } = read('\ufeff{"mcpServers": {"a": {"command": "a"}}}');
    assert.equal(broken, undefined);
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['a'],
    );
  });

  it('keep what is right when one server is wrong, and say what is wrong with it', () => {
    const { servers } = read(
      JSON.stringify({
        mcpServers: {
          good: { command: 'x' },
          bad: { args: 3 },
          empty: {},
          ws: { type: 'ws', url: 'wss://x' },
          ftp: { url: 'ftp://x' },
        },
      }),
    );
    assert.deepEqual(
      servers.map(({ name, definition, broken }) => [name, definition !== undefined, broken]),
      [
        ['good', true, undefined],
        [
          'bad',
          false,
          'The server is not declared as it should be: args: Invalid input: expected array, received number',
        ],
        ['empty', false, 'It needs a "command" to start, or a "url" to connect to.'],
        ['ws', false, 'Servers over WebSocket are not supported. Use "http" if the server offers it.'],
        ['ftp', false, '"ftp://x" is no address that starts with https:// or http://.'],
      ],
    );
  });

  it('warn of fields that mean nothing here, and honour what switches a server off', () => {
    const [server] = readServersSetting({ a: { command: 'x', autoApprove: ['*'], disabled: true } });
    assert.deepEqual(server?.warnings, ['"autoApprove" is not known here and has no effect.']);
    assert.equal(server?.disabled, true);
  });

  it('of plugins name servers at the root too, and reach remote ones by https or on this machine only', () => {
    const source = { is: 'plugin', plugin: 'p', path: '/p/.mcp.json' } as const;
    const { servers } = readServersFile(
      JSON.stringify({
        plain: { url: 'http://example.com' },
        near: { url: 'http://127.0.0.1:9/mcp' },
        safe: { url: 'https://example.com' },
      }),
      { form: 'claude', sourceAt: () => source, nameOf: (name) => `plugin_p_${name}` },
    );
    assert.deepEqual(
      servers.map(({ name, broken }) => [name, broken?.slice(0, 30)]),
      [
        ['plugin_p_plain', "A plugin's server has to be re"],
        ['plugin_p_near', undefined],
        ['plugin_p_safe', undefined],
      ],
    );
  });
});

describe('variables of MCP servers', () => {
  const variables: Variables = {
    env: { HOST: 'example.com', EMPTY: '' },
    own: { CLAUDE_PLUGIN_ROOT: '/plugin' },
    home: '/home/me',
    folder: '/w',
    input: async (id) => (id === 'key' ? 'secret' : undefined),
  };
  const stdio = (entry: object): McpServerDefinition =>
    definitionOf(readServersSetting({ s: { command: 'x', ...entry } })[0]);
  const filled = async (text: string) => {
    const definition = await fillIn(stdio({ args: [text] }), variables);
    return definition.transport === 'stdio' ? definition.args[0] : undefined;
  };

  it('are filled in from the environment, with defaults, and from the places of the window', async () => {
    assert.equal(await filled('https://${HOST}/'), 'https://example.com/');
    assert.equal(await filled('${NONE:-fall back}${EMPTY:-x}'), 'fall backx');
    assert.equal(await filled('${env:HOST}${env:NONE}'), 'example.com');
    assert.equal(await filled('${workspaceFolder}|${userHome}|${workspaceFolderBasename}'), '/w|/home/me|w');
    assert.equal(await filled('${CLAUDE_PLUGIN_ROOT}/run.js'), '/plugin/run.js');
    assert.equal(await filled('key=${input:key}'), 'key=secret');
  });

  it('that a declaration brings count before the places of the window', async () => {
    const own = { workspaceFolder: '/project' };
    const definition = await fillIn(stdio({ args: ['${workspaceFolder}'] }), { ...variables, own });
    assert.ok(definition.transport === 'stdio');
    assert.deepEqual(definition.args, ['/project']);
  });

  it('that have no value say which, and what to do', async () => {
    await assert.rejects(filled('${NONE}'), /needs the variable NONE.*NONE:-default/);
    await assert.rejects(filled('${input:other}'), /needs the value "other"/);
  });

  it('come from the envFile too, and what the definition names wins', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'midcourse-env-'));
    writeFileSync(join(folder, '.env'), 'A=file\nB="from file"\n');
    const definition = await fillIn(stdio({ envFile: '.env', env: { A: 'own' } }), { ...variables, folder });
    assert.ok(definition.transport === 'stdio');
    assert.deepEqual(definition.env, { CLAUDE_PLUGIN_ROOT: '/plugin', A: 'own', B: 'from file' });
    assert.equal(definition.cwd, folder);
    await assert.rejects(fillIn(stdio({ envFile: 'none' }), variables), /envFile cannot be read/);
    rmSync(folder, { recursive: true });
  });

  it('run the scripts that its consent covers, wherever its definition puts them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'midcourse-scripts-'));
    const scripts = (more: object) =>
      scriptsOfServer(stdio(more), { folder, home: '/home/someone', env: { PLACE: '/elsewhere' } });
    const cases: readonly (readonly [object, readonly string[]])[] = [
      [{ command: 'node', args: ['server.js'], cwd: '${workspaceFolder}/mcp' }, [join(folder, 'mcp/server.js')]],
      [{ command: 'node', args: ['${env:PLACE}/server.js'] }, ['/elsewhere/server.js']],
      [{ command: 'node', args: ['${NONE:-./server.js}'] }, [join(folder, 'server.js')]],
      [{ command: 'true', env: { BASH_ENV: '${workspaceFolder}/x.sh' } }, [join(folder, 'x.sh')]],
      [{ command: 'true', cwd: 'mcp', envFile: '.env' }, [join(folder, 'mcp/.env')]],
    ];
    for (const [more, files] of cases) assert.deepEqual((await scripts(more)).files, files, JSON.stringify(more));
    rmSync(folder, { recursive: true });
  });

  it('cannot lead a plugin to an address without https', async () => {
    const definition = definitionOf(
      readServersFile(JSON.stringify({ s: { url: '${URL:-http://example.com}' } }), {
        form: 'claude',
        sourceAt: () => ({ is: 'plugin', plugin: 'p', path: '/p/.mcp.json' }),
      }).servers[0],
    );
    await assert.rejects(fillIn(definition, variables), /has to be reached by https/);
  });
});

function definitionOf(server: DeclaredServer | undefined): McpServerDefinition {
  assert.ok(server?.definition, server?.broken);
  return server.definition;
}
