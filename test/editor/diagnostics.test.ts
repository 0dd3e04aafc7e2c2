import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Diagnostic } from '../../src/agent/tools/types.ts';
import { VSCodeEditor } from '../../src/editor/editor-port.ts';
import { workspaceFolder } from './support.ts';

describe('problems after an edit', () => {
  const editor = new VSCodeEditor();
  const { signal } = new AbortController();

  before(async function warmUpTypeScript() {
    this.timeout(60_000);
    // The server needs longer for its first project than an edit waits.
    const path = join(workspaceFolder(), 'warm.ts');
    await writeFile(path, 'export const warm: number = "cold";\n');
    const uri = vscode.Uri.file(path);
    const reported = new Promise<void>((resolve) => {
      const subscription = vscode.languages.onDidChangeDiagnostics(() => {
        if (vscode.languages.getDiagnostics(uri).length === 0) return;
        subscription.dispose();
        resolve();
      });
    });
    await vscode.window.showTextDocument(uri, { preserveFocus: true, preview: false });
    await reported;
  });

  after(async () => {
    editor.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('reports only what the edit brought, without a tab', async () => {
    const path = join(workspaceFolder(), 'edited.ts');
    await writeFile(path, 'export const one: number = 1;\n');
    await editor.snapshotDiagnostics([path]);
    await writeFile(path, 'export const one: number = 1;\nexport const two: number = "two";\n');
    const answer = await editor.diagnostics([path], signal);
    assert.ok(answer.checked, 'TypeScript did not answer');
    assert.deepEqual(
      answer.diagnostics.map(({ line, severity, source }) => [line, severity, source]),
      [[2, 'error', 'ts']],
    );
    assert.ok(!openTabs().includes(path));
  });

  it('finds nothing new in a file whose problems were there before', async () => {
    const path = join(workspaceFolder(), 'warm.ts');
    await editor.snapshotDiagnostics([path]);
    await writeFile(path, '// moved down\nexport const warm: number = "cold";\n');
    const answer = await editor.diagnostics([path], signal);
    assert.ok(answer.checked);
    assert.deepEqual(answer.diagnostics, []);
    assert.ok(openTabs().includes(path), 'a tab that the user has open stays open');
  });

  it('says not checked where no language service answers', async () => {
    const path = join(workspaceFolder(), 'notes.txt');
    await writeFile(path, 'plain\n');
    await editor.snapshotDiagnostics([path]);
    const answer = await editor.diagnostics([path], signal);
    assert.equal(answer.checked, false);
  });

  it('J2b. tells what a service reports after the edit gave up waiting, less what was there before', async () => {
    const path = join(workspaceFolder(), 'slow.late');
    const uri = vscode.Uri.file(path);
    const service = vscode.languages.createDiagnosticCollection('late');
    const problem = (message: string) => new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), message);
    const watched = new VSCodeEditor();
    watched.serversCover((one) => one === path);
    try {
      await writeFile(path, 'one\n');
      service.set(uri, [problem('old')]);
      await watched.snapshotDiagnostics([path]);
      await writeFile(path, 'two\n');
      const { promise: late, resolve } = Promise.withResolvers<readonly Diagnostic[]>();
      const answer = await watched.diagnostics([path], signal, resolve);
      assert.deepEqual([answer.checked, 'mayCome' in answer && answer.mayCome], [false, true]);
      // A second edit before the report: what the first one brought is not taken for old.
      const reported = new Promise((resolve) => vscode.languages.onDidChangeDiagnostics(resolve));
      service.set(uri, [problem('old'), problem('of the first edit')]);
      await reported;
      await watched.snapshotDiagnostics([path]);
      const second = await watched.diagnostics([path], signal, resolve);
      assert.equal(second.checked, false);
      service.set(uri, [problem('old'), problem('of the first edit'), problem('of the second')]);
      const messages = (await late).map(({ message }) => message);
      assert.deepEqual(messages, ['of the first edit', 'of the second']);
    } finally {
      watched.dispose();
      service.dispose();
    }
  });

  it('ends at once when the call is stopped', async () => {
    const path = join(workspaceFolder(), 'edited.ts');
    const answer = await editor.diagnostics([path], AbortSignal.abort());
    assert.deepEqual(answer.checked, false);
  });

  it('gives the text of an unsaved buffer, and none of a saved one', async () => {
    const path = join(workspaceFolder(), 'buffer.txt');
    await writeFile(path, 'saved\n');
    const shown = await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    assert.equal(editor.unsaved(path), undefined);
    await shown.edit((edit) => edit.insert(new vscode.Position(0, 0), 'not '));
    assert.equal(editor.unsaved(path), 'not saved\n');
    await shown.document.save();
    assert.equal(editor.unsaved(path), undefined);
  });
});

function openTabs(): readonly string[] {
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [tab.input.uri.fsPath] : [])),
  );
}
