import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MidcourseApi, Session } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { SignInServer } from '../../unit/mcp/sign-in-server.ts';
import { approvalOf, configure, forgetModel, midcourse, serveModel, until, workspaceFolder } from '../support.ts';
import { type ListedServer, listedServer, modulePath } from './listed-servers.ts';

describe('hooks: MCP servers', () => {
  let api: MidcourseApi;
  let server: ModelServer;
  const file = () => join(workspaceFolder(), '.mcp.json');

  const declare = (env: Readonly<Record<string, string>> = {}): Promise<void> =>
    writeFile(
      file(),
      JSON.stringify({
        mcpServers: {
          everything: {
            command: process.execPath,
            args: [modulePath('@modelcontextprotocol/server-everything/dist/index.js')],
            env,
          },
          files: {
            command: process.execPath,
            args: [modulePath('@modelcontextprotocol/server-filesystem/dist/index.js'), workspaceFolder()],
          },
        },
      }),
    );

  const inState = (name: string, state: string): Promise<ListedServer> =>
    until(async () => {
      const found = await listedServer(name);
      return found?.state === state && found;
    });

  before(async () => {
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  after(async () => {
    await rm(file(), { force: true });
    await configure('mcp.servers', undefined);
    await forgetModel(server);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** One turn with this call, which is allowed once it asks. @returns what the tool said */
  async function turn(name: string, input: object): Promise<string> {
    server.script({ steps: [{ call: { name, input } }] }, { steps: [{ text: 'Done.' }] });
    const session: Session = await api.sessions.create();
    session.send('Go');
    const approval = await approvalOf(session);
    assert.match(approval.summary, /of the MCP server/);
    session.answer(approval.id, 'once');
    await session.settled();
    const row = (await session.transcript()).find(({ role }) => role === 'tool');
    return row?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
  }

  it('of the workspace wait for consent, and run neither by themselves nor by a wrong hash', async () => {
    await declare();
    const { hash, tools } = await inState('everything', 'waiting');
    assert.ok(hash);
    assert.deepEqual(tools, []);
    const wrong = { server: 'everything', hash: '0'.repeat(64) };
    assert.equal(await vscode.commands.executeCommand('midcourse.allowMcpServer', wrong), false);
    assert.equal((await listedServer('everything'))?.state, 'waiting');
  });

  it('of ~/.copilot/mcp-config.json are declared by the user, come and go with the file, and wait for consent', async () => {
    const folder = join(homedir(), '.copilot');
    await mkdir(folder, { recursive: true });
    const own = join(folder, 'mcp-config.json');
    const local = { type: 'local', command: process.execPath, args: ['-e', '0'], tools: ['*'] };
    await writeFile(own, JSON.stringify({ mcpServers: { 'of-copilot': local } }));
    try {
      assert.ok((await inState('of-copilot', 'waiting')).hash);
    } finally {
      await rm(own);
    }
    await until(async () => (await listedServer('of-copilot')) === undefined);
  });

  it('that are allowed start, and both real ones work in a turn with an approval', async () => {
    for (const name of ['everything', 'files']) {
      const { hash } = await inState(name, 'waiting');
      assert.equal(await vscode.commands.executeCommand('midcourse.allowMcpServer', { server: name, hash }), true);
      await inState(name, 'running');
    }
    assert.match(await turn('mcp__everything__echo', { message: 'hello from the editor' }), /hello from the editor/);
    await turn('mcp__files__write_file', { path: join(workspaceFolder(), 'by-server.txt'), content: 'by a server' });
    const path = join(workspaceFolder(), 'by-server.txt');
    assert.match(await turn('mcp__files__read_text_file', { path }), /by a server/);
  });

  it('can be stopped and started again by commands', async () => {
    assert.equal(await vscode.commands.executeCommand('midcourse.stopMcpServer', { server: 'files' }), true);
    await inState('files', 'stopped');
    assert.equal(await vscode.commands.executeCommand('midcourse.startMcpServer', { server: 'files' }), true);
    assert.ok((await inState('files', 'running')).tools?.includes('read_text_file'));
  });

  it('whose definition changes are ended, and ask again', async () => {
    await declare({ CHANGED: 'yes' });
    const { tools } = await inState('everything', 'changed');
    assert.deepEqual(tools, []);
    assert.equal((await listedServer('files'))?.state, 'running');
  });

  it('that are gone from the file are gone from the list', async () => {
    await rm(file());
    await until(async () => (await listedServer('files')) === undefined);
  });

  it('of the settings that ask for a sign-in say so, and open nothing by themselves', async () => {
    const web = await SignInServer.start();
    await configure('mcp.servers', { web: { url: web.url } });
    await inState('web', 'needs_sign_in');
    assert.ok(web.asked.every((request) => request.endsWith('/mcp')));
    web.close();
  });
});
