import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { VSCodeEditor } from '../../src/editor/editor-port.ts';
import { Workspace } from '../unit/tools/tool-context.ts';

const USER = vscode.ConfigurationTarget.Global;

describe('files as the editor has them', () => {
  const editor = new VSCodeEditor();
  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(async () => {
    const files = vscode.workspace.getConfiguration('files');
    for (const name of ['encoding', 'eol', 'readonlyInclude', 'readonlyExclude'])
      await files.update(name, undefined, USER);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await workspace.close();
  });
  after(() => editor.dispose());

  const set = (name: string, value: unknown) => vscode.workspace.getConfiguration('files').update(name, value, USER);
  const run = (tool: string, args: object) => workspace.run(tool, args, { editor });
  const bytes = (path: string) => readFile(workspace.path(path), 'latin1');

  it('E4f. are read and written in files.encoding, and no other byte changes', async () => {
    await set('encoding', 'windows1252');
    await writeFile(workspace.path('old.txt'), 'caf\xe9 \x80 5\nna\xefve\n', 'latin1');
    assert.match((await run('read_file', { path: 'old.txt' })).text, /^1\|café € 5\n2\|naïve/);
    await run('patch', { path: 'old.txt', old_string: 'café', new_string: 'thé' });
    assert.equal(await bytes('old.txt'), 'th\xe9 \x80 5\nna\xefve\n');
    await run('write_file', { path: 'new.txt', content: 'café €\n' });
    assert.equal(await bytes('new.txt'), 'caf\xe9 \x80\n');
    const refused = await run('write_file', { path: 'snow.txt', content: '☃\n' });
    assert.match(refused.text, /windows1252.* has no ☃/);
  });

  it('E4g. get the line end of files.eol when they are new, and the mark of files.encoding', async () => {
    await set('eol', '\r\n');
    await set('encoding', 'utf8bom');
    await run('write_file', { path: 'new.txt', content: 'é\ntwo\n' });
    assert.equal(await bytes('new.txt'), '\xef\xbb\xbf\xc3\xa9\r\ntwo\r\n');
  });

  it('E4h. ask every time where files.readonlyInclude marks them, and say so', async () => {
    await set('readonlyInclude', { '**/generated/**': true });
    await set('readonlyExclude', { '**/generated/own.txt': true });
    await mkdir(workspace.path('generated'));
    const need = (path: string) => workspace.permission('write_file', { path, content: 'x' }, { editor });
    const marked = await need('generated/a.txt');
    assert.equal(marked?.always, true);
    assert.match(marked?.why ?? '', /files\.readonlyInclude \(\*\*\/generated\/\*\*\)/);
    assert.equal((await need('generated/own.txt'))?.always, undefined);
    assert.equal((await need('a.txt'))?.always, undefined);
  });

  it('E2a. are not written while a notebook of theirs has unsaved cells', async () => {
    const path = workspace.path('n.ipynb');
    const cell = (source: string) => ({
      cell_type: 'code',
      metadata: {},
      source: [source],
      outputs: [],
      execution_count: null,
    });
    const content = JSON.stringify({ cells: [cell('one')], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    await writeFile(path, content);
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    const added = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'two', 'python');
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(1, [added])]);
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    assert.equal(notebook.isDirty, true);
    const result = await run('patch', { path: 'n.ipynb', old_string: 'one', new_string: '1' });
    assert.equal(result.status, 'error');
    assert.match(result.text, /notebook editor with unsaved changes/);
    assert.equal(await readFile(path, 'utf8'), content);
    assert.match((await run('read_file', { path: 'n.ipynb' })).text, /on disk.*unsaved changes/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.equal((await run('patch', { path: 'n.ipynb', old_string: 'one', new_string: '1' })).status, 'success');
  });
});
