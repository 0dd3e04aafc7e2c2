import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DiagnosticsAnswer } from '../../../src/agent/tools/types.ts';
import { VSCodeEditor } from '../../../src/editor/editor-port.ts';
import { until, workspaceFolder } from '../support.ts';

describe('security: the editor while the agent edits', function () {
  this.timeout(60_000);
  const { signal } = new AbortController();
  let editor: VSCodeEditor;
  let folder: string;
  let watch: TabWatch;

  before(async () => {
    folder = join(workspaceFolder(), 'alone');
    await mkdir(folder, { recursive: true });
    editor = new VSCodeEditor();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const own = join(folder, 'own.txt');
    await writeFile(own, 'one\n');
    await vscode.window.showTextDocument(vscode.Uri.file(own), { preview: false });
    // TypeScript loads its project with the first file, which takes longer than an edit waits.
    await until(async () => (await edit('warm.ts', 'export const warm = 1;\n')).answer.checked);
  });
  beforeEach(() => {
    watch = new TabWatch();
  });
  afterEach(() => watch.dispose());
  after(async () => {
    editor.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('J2a. edits of files of many kinds without a tab: no tab opens or closes, no other editor becomes active', async () => {
    const endings = ['ts', 'tsx', 'js', 'json', 'css', 'md', 'html', 'py', 'txt', 'yaml', 'sh', 'svg'];
    for (const ending of endings) await edit(`kind.${ending}`, '{}\n');
    for (const ending of endings) await edit(`kind.${ending}`, '[]\n');
    watch.assertNothing();
  });

  it('J2b. a type error in a file without a tab is told, and no error that was there before', async () => {
    const path = await write('typed.ts', 'export const old: number = "old";\n');
    const { answer } = await edit('typed.ts', 'export const old: number = "old";\nexport const two: number = "two";\n');
    assert.ok(answer.checked, 'TypeScript did not answer');
    assert.deepEqual(
      answer.diagnostics.map(({ path: of, line, severity, source }) => [of, line, severity, source]),
      [[path, 2, 'error', 'ts']],
    );
    watch.assertNothing();
  });

  it('J2c. a language without a service adds no wait, with and without a tab', async () => {
    for (const ending of ['txt', 'log', 'toml', 'nothing-known']) {
      await write(`idle.${ending}`, 'one\n');
      for (let round = 0; round < 3; round++) {
        const { answer, waited } = await edit(`idle.${ending}`, `round ${round}\n`);
        assert.equal(answer.checked, false);
        assert.ok(waited < 900, `${ending}: ${waited} ms`);
      }
    }
    const { waited } = await edit('own.txt', 'two\n');
    assert.ok(waited < 900, `with a tab: ${waited} ms`);
  });

  it('J2d. an edit of a file that is open: cursor, selection and undo are as they were', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
    const path = await write('open.txt', lines.join('\n'));
    const shown = await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    await shown.edit((change) => change.insert(new vscode.Position(150, 0), 'mine '));
    await shown.document.save();
    shown.selection = new vscode.Selection(150, 2, 150, 6);
    shown.revealRange(shown.selection, vscode.TextEditorRevealType.AtTop);
    const tabs = new TabWatch();
    const saved = shown.document.getText();
    await edit('open.txt', `${saved}\nby the agent`);
    await until(() => shown.document.getText().endsWith('by the agent'));
    assert.equal(vscode.window.activeTextEditor, shown);
    assert.deepEqual(
      [shown.selection.start.line, shown.selection.start.character, shown.selection.end.character],
      [150, 2, 6],
    );
    tabs.assertNothing();
    await vscode.commands.executeCommand('undo');
    await vscode.commands.executeCommand('undo');
    assert.equal(shown.document.getText(), lines.join('\n'));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    tabs.dispose();
  });

  it('J2e. problems of a file that a service reports on without a tab are told', async () => {
    const collection = vscode.languages.createDiagnosticCollection('test');
    const subscription = vscode.workspace.onDidOpenTextDocument(report);
    const changes = vscode.workspace.onDidChangeTextDocument(({ document }) => report(document));
    function report(document: vscode.TextDocument) {
      if (!document.uri.fsPath.endsWith('.toml')) return;
      const range = new vscode.Range(0, 0, 0, 1);
      collection.set(document.uri, [new vscode.Diagnostic(range, document.getText().trim())]);
    }
    try {
      const first = await write('service.toml', 'first word\n');
      const told = Promise.withResolvers<void>();
      vscode.languages.onDidChangeDiagnostics(() => told.resolve());
      await vscode.workspace.openTextDocument(first);
      await told.promise;
      const { answer } = await edit('service.toml', 'second word\n');
      assert.ok(answer.checked);
      assert.deepEqual(
        answer.diagnostics.map(({ message }) => message),
        ['second word'],
      );
      watch.assertNothing();
    } finally {
      for (const one of [collection, subscription, changes]) one.dispose();
    }
  });

  function write(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    return writeFile(path, text).then(() => path);
  }

  /** As a tool edits; `waited` is what it waits for the editor, ms. */
  async function edit(
    name: string,
    text: string,
  ): Promise<{ readonly answer: DiagnosticsAnswer; readonly waited: number }> {
    const path = join(folder, name);
    const start = performance.now();
    await editor.snapshotDiagnostics([path]);
    const between = performance.now();
    await writeFile(path, text);
    const written = performance.now();
    const answer = await editor.diagnostics([path], signal);
    const waited = performance.now() - written + between - start;
    return { answer, waited };
  }
});

/** What happens to the tabs and the active editor of the window. */
class TabWatch {
  readonly #seen: string[] = [];
  readonly #active = vscode.window.activeTextEditor;
  readonly #subscriptions = [
    vscode.window.onDidChangeActiveTextEditor((now) => this.#seen.push(`active: ${now?.document.fileName ?? 'none'}`)),
    vscode.window.onDidChangeVisibleTextEditors((now) => this.#seen.push(`visible: ${now.length}`)),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) =>
      this.#seen.push(...[...opened, ...closed].map(({ label }) => `tab: ${label}`)),
    ),
    vscode.window.tabGroups.onDidChangeTabGroups(({ opened, closed }) => {
      if (opened.length + closed.length > 0) this.#seen.push('group');
    }),
  ];

  assertNothing(): void {
    assert.deepEqual(this.#seen, []);
    assert.equal(vscode.window.activeTextEditor, this.#active);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }
}
