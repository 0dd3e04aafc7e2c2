import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { MidcourseApi, Session } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { forgetModel, midcourse, serveModel, until, workspaceFolder } from '../support.ts';
import { listedServer, modulePath } from './listed-servers.ts';

interface Listed {
  readonly id: string;
  readonly root: string;
  readonly state: string;
  readonly why?: string;
  readonly process?: string;
  readonly registered: readonly string[];
  readonly warnings: readonly string[];
  readonly hash?: string;
}

describe('hooks: plugins in the editor', () => {
  const id = 'word-counter';
  let api: MidcourseApi;
  let server: ModelServer;
  let root = '';

  before(async () => {
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  after(async () => {
    await rm(join(workspaceFolder(), '.midcourse'), { recursive: true, force: true });
    await forgetModel(server);
  });

  async function listed(): Promise<Listed> {
    const all = await vscode.commands.executeCommand<readonly Listed[]>('midcourse.managePlugins');
    const found = all.find((plugin) => plugin.id === id);
    assert.ok(found, JSON.stringify(all));
    return found;
  }

  async function allow(): Promise<void> {
    const { hash } = await listed();
    assert.equal(await vscode.commands.executeCommand('midcourse.allowPlugin', { id, hash }), true);
  }

  async function turn(name: string, input: object): Promise<Session> {
    server.script({ steps: [{ call: { name, input } }] }, { steps: [{ text: 'Well.' }] });
    const session = await api.sessions.create();
    session.send('Go');
    await session.settled();
    return session;
  }

  const toolsOffered = () => JSON.stringify(server.requests[0]?.body);

  it('are written by a command, typed and with a test that passes', async () => {
    root =
      (await vscode.commands.executeCommand<string>('midcourse.createPlugin', { name: id, place: 'workspace' })) ?? '';
    assert.equal(root, join(workspaceFolder(), '.midcourse/plugins', id));
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, ['--test'], { cwd: root, env });
    assert.match(stdout, /pass 3[\s\S]*fail 0/);
    await assert.rejects(
      async () => await vscode.commands.executeCommand('midcourse.createPlugin', { name: id, place: 'workspace' }),
      /is there already/,
    );
  });

  it('wait for consent, and nothing of them runs', async () => {
    const { state, registered, process } = await listed();
    assert.deepEqual([state, registered, process], ['waiting', [], undefined]);
    assert.equal(await vscode.commands.executeCommand('midcourse.allowPlugin', { id, hash: '0'.repeat(64) }), false);
    await turn('list_files', {});
    assert.ok(!toolsOffered().includes('count_words'));
  });

  it('give the agent hooks, tools and commands once they are allowed', async () => {
    await allow();
    const { state, registered, warnings } = await listed();
    assert.deepEqual([state, warnings], ['active', []]);
    assert.ok(registered.includes(`command:${id}`) && registered.includes('tool:count_words'), registered.join());

    await turn('count_words', { text: 'one two three' });
    assert.ok(toolsOffered().includes('count_words'));
    assert.match(JSON.stringify(server.requests[1]?.body), /3 words/);

    server.reset();
    const session = await turn('terminal', { command: 'git push --force' });
    const row = (await session.transcript()).find(({ role }) => role === 'tool');
    assert.deepEqual([row?.status, row?.card?.blockedBy?.hook], ['blocked', id]);
    assert.match(row?.card?.blockedBy?.reason ?? '', /forbidden by the plugin word-counter/);
  });

  it('do not run after a change until it is allowed, and run as they are then', async () => {
    await appendFile(join(root, 'index.mjs'), '\n// changed\n');
    await until(async () => (await listed()).state === 'changed');
    await turn('list_files', {});
    assert.ok(!toolsOffered().includes('count_words'));
    await allow();
    assert.equal((await listed()).state, 'active');
    assert.equal(await vscode.commands.executeCommand('midcourse.reloadPlugin', { id }), true);
    assert.equal((await listed()).process, 'running');
  });

  it('bring MCP servers, which run once the plugin is allowed and go with it', async () => {
    const bundle = join(workspaceFolder(), '.midcourse/plugins/bundle');
    await mkdir(bundle, { recursive: true });
    const args = [modulePath('@modelcontextprotocol/server-filesystem/dist/index.js'), '\u0024{CLAUDE_PLUGIN_ROOT}'];
    await writeFile(
      join(bundle, '.mcp.json'),
      JSON.stringify({ mcpServers: { files: { command: process.execPath, args } } }),
    );
    const name = 'plugin_bundle_files';
    const { hash } = await until(async () => {
      const all = await vscode.commands.executeCommand<readonly Listed[]>('midcourse.managePlugins');
      return all.find((plugin) => plugin.id === 'bundle' && plugin.state === 'waiting');
    });
    assert.equal(await listedServer(name), undefined);
    assert.equal(await vscode.commands.executeCommand('midcourse.allowPlugin', { id: 'bundle', hash }), true);
    const { tools } = await until(async () => {
      const server = await listedServer(name);
      return server?.state === 'running' && server;
    });
    assert.ok(tools?.includes('read_text_file'));
    await rm(bundle, { recursive: true });
    await vscode.commands.executeCommand('midcourse.managePlugins');
    await until(async () => (await listedServer(name)) === undefined);
  });

  it('leave nothing behind where they are switched off', async () => {
    assert.equal(await vscode.commands.executeCommand('midcourse.disablePlugin', { id }), true);
    const { state, registered, process } = await listed();
    assert.deepEqual([state, registered, process], ['disabled', [], undefined]);
    await turn('list_files', {});
    assert.ok(!toolsOffered().includes('count_words'));
    assert.equal(await vscode.commands.executeCommand('midcourse.enablePlugin', { id }), true);
    assert.equal((await listed()).state, 'active');
  });
});
