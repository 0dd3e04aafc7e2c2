import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MidcourseApi } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { approvalOf, forgetModel, midcourse, serveModel, until, workspaceFolder } from '../support.ts';
import { type ListedServer, listedServer, modulePath } from './listed-servers.ts';

describe('hooks: language servers', () => {
  let api: MidcourseApi;
  let server: ModelServer;
  const place = (name: string): string => join(workspaceFolder(), name);

  const inState = (name: string, state: string): Promise<ListedServer> =>
    until(async () => {
      const found = await listedServer(name);
      if (state === 'running') assert.notEqual(found?.state, 'failed', found?.why);
      return found?.state === state && found;
    });

  const allow = async (name: string): Promise<void> => {
    const { hash } = await inState(name, 'waiting');
    assert.equal(await vscode.commands.executeCommand('midcourse.allowLanguageServer', { server: name, hash }), true);
  };

  before(async () => {
    api = await midcourse();
    server = await serveModel();
    await writeFile(
      place('.lsp.json'),
      JSON.stringify({
        // The real one. The editor reports on such files too, by another name.
        checker: {
          command: process.execPath,
          args: [modulePath('typescript-language-server/lib/cli.mjs'), '--stdio'],
          extensionToLanguage: { '.mts': 'typescript' },
          initializationOptions: {
            tsserver: { path: join(vscode.env.appRoot, 'extensions/node_modules/typescript/lib/tsserver.js') },
          },
        },
        silent: {
          command: process.execPath,
          args: ['-e', 'setInterval(() => {}, 1000)'],
          extensionToLanguage: { '.silent': 'silent' },
          startupTimeout: 300,
        },
        dying: {
          command: process.execPath,
          args: ['-e', 'process.exit(3)'],
          extensionToLanguage: { '.dying': 'dying' },
        },
        odd: { command: 'x' },
      }),
    );
  });
  beforeEach(() => server.reset());
  after(async () => {
    for (const name of ['.lsp.json', 'a.mts', 'a.silent', 'a.dying']) await rm(place(name), { force: true });
    await forgetModel(server);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('of the workspace wait for consent, and then for a document of their language', async function () {
    this.timeout(60_000);
    await allow('checker');
    assert.equal((await inState('checker', 'stopped')).kind, 'language');
    await writeFile(place('a.mts'), 'export const one: number = 1;\n');
    await vscode.window.showTextDocument(vscode.Uri.file(place('a.mts')), { preview: false });
    await inState('checker', 'running');
  });

  it("report through VS Code, so that the agent's edit is told of the problem that it brought", async function () {
    this.timeout(60_000);
    // The server loads its project with its first file.
    const opened = vscode.window.activeTextEditor;
    assert.ok(opened);
    await opened.edit((edit) => edit.insert(new vscode.Position(1, 0), 'export const two: number = "two";\n'));
    await until(() => vscode.languages.getDiagnostics(opened.document.uri).some(isOurs));
    await opened.document.save();
    const content = 'export const one: number = 1;\nexport const three: string = 3;\n';
    server.script(
      { steps: [{ call: { name: 'read_file', input: { path: 'a.mts' } } }] },
      { steps: [{ call: { name: 'write_file', input: { path: 'a.mts', content } } }] },
      { steps: [{ text: 'Done.' }] },
    );
    const session = await api.sessions.create();
    session.send('Go');
    const approval = await approvalOf(session);
    session.answer(approval.id, 'once');
    await session.settled();
    const said = JSON.stringify((await session.transcript()).filter(({ role }) => role === 'tool'));
    assert.match(
      said,
      /New problems:.*a\.mts:2:14 error: Type 'number' is not assignable to type 'string'\. \(typescript\)/,
    );
  });

  it('that do not answer have failed when their time is over, and what dies says how', async function () {
    this.timeout(60_000);
    for (const name of ['silent', 'dying']) {
      await allow(name);
      await writeFile(place(`a.${name}`), 'x');
      await vscode.workspace.openTextDocument(vscode.Uri.file(place(`a.${name}`)));
    }
    assert.match((await inState('silent', 'failed')).why ?? '', /did not finish its start within 0.3 s/);
    assert.match((await inState('dying', 'failed')).why ?? '', /exit code 3/);
  });

  it('that are not declared as they should be say what is wrong', async () => {
    assert.equal((await inState('odd', 'broken')).kind, 'language');
  });

  it('are stopped by a command, and with them their problems', async () => {
    assert.equal(await vscode.commands.executeCommand('midcourse.stopLanguageServer', { server: 'checker' }), true);
    await inState('checker', 'stopped');
    const uri = vscode.Uri.file(place('a.mts'));
    await until(() => !vscode.languages.getDiagnostics(uri).some(isOurs));
  });
});

/** VS Code's own service calls itself `ts`. */
function isOurs({ source }: vscode.Diagnostic): boolean {
  return source === 'typescript';
}
