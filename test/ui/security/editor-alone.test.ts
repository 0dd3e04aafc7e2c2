import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { testIds } from '../../../src/protocol/test-ids.ts';
import { Stage } from '../stage.ts';
import { until } from '../until.ts';

/** Letters and spaces: nothing that an editor completes or closes for its user. */
const sentence = 'every letter that is typed here has to arrive here and nowhere else ';
const endings = ['ts', 'txt', 'json', 'md', 'tsx', 'css', 'py', 'js', 'html', 'yaml'];
const edited = Array.from({ length: 20 }, (_, at) => `edited/file-${at}.${endings[at % endings.length]}`);

describe('security: typing into an editor while the agent edits', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('editor-alone');
  });
  beforeEach(async () => {
    await stage.window.command('workbench.action.closeAllEditors');
    await stage.fresh();
    await allowEverything(stage);
  });
  after(() => stage.close());

  it('J2f. 20 other files: every character arrives in the right file, and no editor, tab or selection moves', async function () {
    this.timeout(480_000);
    await typeWhileEditing(stage, edited, async () => undefined);
  });

  it('J2g. 20 files of which one is open in another group: the same, and its cursor stays', async function () {
    this.timeout(480_000);
    await writeFile(path.join(stage.folder, 'beside.txt'), 'one\ntwo\nthree\nfour\n');
    await typeWhileEditing(stage, [...edited.slice(1), 'beside.txt'], async () => {
      await stage.window.run(
        async (vscode, file) => {
          const shown = await vscode.window.showTextDocument(vscode.Uri.file(file), {
            viewColumn: vscode.ViewColumn.Two,
            preview: false,
          });
          shown.selection = new vscode.Selection(2, 1, 2, 3);
        },
        path.join(stage.folder, 'beside.txt'),
      );
    });
    const [text, selection] = await stage.window.run(async (vscode) => {
      const shown = vscode.window.visibleTextEditors.find(({ document }) => document.fileName.endsWith('beside.txt'));
      return [shown?.document.getText() ?? '', JSON.stringify(shown?.selection.start)];
    });
    assert.match(text, /by the agent/);
    assert.equal(selection, '{"line":2,"character":1}');
  });
});

async function typeWhileEditing(stage: Stage, files: readonly string[], open: () => Promise<void>): Promise<void> {
  const { chat, server, window } = stage;
  const { keyboard } = window.page;
  await open();
  const own = path.join(stage.folder, 'own.txt');
  await writeFile(own, '');
  await window.run(async (vscode, file) => {
    await vscode.window.showTextDocument(vscode.Uri.file(file), { viewColumn: vscode.ViewColumn.One, preview: false });
  }, own);
  server.script(
    { steps: files.map((file, at) => ({ call: { id: `look-${at}`, name: 'read_file', input: { path: file } } })) },
    ...files.map((file, at) => ({
      steps: [
        {
          call: {
            id: `edit-${at}`,
            name: 'write_file',
            input: { path: file, content: file === 'beside.txt' ? 'one\ntwo\nthree\nfour\nby the agent\n' : `${at}\n` },
          },
        },
      ],
    })),
    { steps: [{ text: 'All are edited.' }] },
  );
  await chat.send('Edit all files');
  await window.page
    .locator('.editor-instance[data-uri$="own.txt"] .view-lines, .editor-instance .view-lines')
    .first()
    .click();
  await until(() => window.run((vscode) => vscode.window.activeTextEditor?.document.fileName.endsWith('own.txt')));
  await watchEditors(stage);
  const explorer = await explorerState(stage);

  let typed = '';
  const done = chat.answers.filter({ hasText: 'All are edited.' });
  while ((await done.count()) === 0 || typed.length < 200) {
    await keyboard.type(sentence, { delay: 15 });
    typed += sentence;
  }
  await chat.byId(testIds.stop).waitFor({ state: 'hidden' });

  const { text, events } = await window.run((vscode, file) => {
    const document = vscode.workspace.textDocuments.find(({ fileName }) => fileName === file);
    const seen: readonly string[] = Reflect.get(globalThis, 'editorEvents');
    return { text: document?.getText(), events: seen };
  }, own);
  assert.equal(text, typed);
  assert.deepEqual(events, []);
  assert.deepEqual(await explorerState(stage), explorer);
  for (const file of files) assert.notEqual(await stage.file(file), '');
  await window.command('workbench.action.files.revert');
}

/** Approvals are answered as they come, by nobody's hand. */
async function allowEverything({ window }: Stage): Promise<void> {
  await window.run(async (vscode) => {
    const api = await vscode.extensions.getExtension('midcourse.midcourse')?.activate();
    for (const { id } of await api.sessions.list()) {
      const session = await api.sessions.open(id);
      session.onDidEmit((event: { readonly type: string }) => {
        if (event.type !== 'approval.opened') return;
        for (const approval of session.approvals()) session.answer(approval.id, 'once');
      });
    }
  });
}

/** Notes every change of the active editor, of tabs and of groups; that the own tab becomes dirty is none. */
async function watchEditors({ window }: Stage): Promise<void> {
  await window.run((vscode) => {
    const seen: string[] = [];
    Reflect.set(globalThis, 'editorEvents', seen);
    vscode.window.onDidChangeActiveTextEditor((editor) => seen.push(`active ${editor?.document.fileName}`));
    vscode.window.onDidChangeVisibleTextEditors((editors) => seen.push(`visible ${editors.length}`));
    vscode.window.tabGroups.onDidChangeTabs(({ opened, closed, changed }) => {
      for (const { label } of [...opened, ...closed]) seen.push(`tab ${label}`);
      for (const tab of changed) if (!tab.label.startsWith('own.txt')) seen.push(`changed ${tab.label}`);
    });
    vscode.window.onDidChangeActiveTerminal(() => seen.push('terminal'));
  });
}

/** What is selected and focused in the explorer. */
function explorerState({ window }: Stage): Promise<readonly string[]> {
  return window.page
    .locator('.explorer-folders-view .monaco-list-row')
    .evaluateAll((rows) =>
      rows.flatMap((row) =>
        /selected|focused/.test(row.className) ? [`${row.textContent} ${row.className.includes('selected')}`] : [],
      ),
    );
}
