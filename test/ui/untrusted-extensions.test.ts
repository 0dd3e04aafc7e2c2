import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Editor, type EditorWindow, launchEditor } from '../harness/index.ts';
import { ModelServer } from '../model-server/index.ts';
import { bringEverything } from './everything-that-runs.ts';
import { processesWith } from './processes.ts';
import { until } from './until.ts';

/** Everything that a repository can bring along and that would run something. */
describe('hooks, plugins and servers of an untrusted workspace', function () {
  this.timeout(300_000);
  let editor: Editor;
  let window: EditorWindow;
  let server: ModelServer;
  /** Outside of the workspace; each thing that runs leaves a file there. */
  let marks: string;

  const ran = async (): Promise<readonly string[]> => (await readdir(marks)).sort();
  const mark = (name: string): string => `touch ${path.join(marks, name)}`;

  before(async () => {
    server = await ModelServer.start();
    editor = await launchEditor({
      untrusted: true,
      machineSettings: {
        'midcourse.providers': { fake: { api: 'openai-chat', baseUrl: server.openAiBaseUrl } },
        'midcourse.model': 'fake/model',
      },
    });
    marks = await editor.makeFolder('marks');
    const folder = await editor.copyWorkspace('untrusted-extensions');
    await bringEverything(folder, mark);
    window = await editor.open({ folder });
    await window.run((vscode) =>
      vscode.workspace.getConfiguration('midcourse').update('hooks.cline', true, vscode.ConfigurationTarget.Global),
    );
  });
  after(async () => {
    await editor?.close();
    await server?.close();
  });

  it('do not run while the chat is used, and are listed as untrusted', async () => {
    const { chat } = window;
    await chat.open();
    server.script(
      { steps: [{ call: { name: 'terminal', input: { command: 'true' } } }] },
      { steps: [{ text: 'No.' }] },
    );
    await chat.send('What can you do here?');
    await chat.frame.getByText('No.', { exact: true }).first().waitFor();
    await window.command('midcourse.manageHooks');
    const hooks = (await window.command('midcourse.refreshHooks')) as readonly { readonly state: string }[];
    assert.ok(hooks.length >= 6, JSON.stringify(hooks));
    assert.deepEqual(new Set(hooks.map(({ state }) => state)), new Set(['untrusted']));
    await chat.open();
    server.script({ steps: [{ text: 'Still no.' }] });
    await chat.send('And now?');
    await chat.frame.getByText('Still no.').first().waitFor();
    assert.deepEqual(await processesWith(marks), []);
    assert.deepEqual(await ran(), []);
  });

  it('run once the workspace is trusted and each of them is allowed', async () => {
    const { page, chat } = window;
    await window.command('workbench.trust.manage');
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    await until(() => window.run((vscode) => vscode.workspace.isTrusted));
    // The editor of trust lies over the window, as a dialog does.
    await window.command('workbench.action.closeModalEditor');
    await page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
    await until(async () => {
      const hooks = (await window.command('midcourse.refreshHooks')) as readonly { readonly state: string }[];
      return hooks.every(({ state }) => state === 'waiting');
    });
    await chat.open();
    server.script({ steps: [{ text: 'Trusted.' }] });
    await chat.send('Trusted?');
    await chat.frame.getByText('Trusted.', { exact: true }).first().waitFor();
    assert.deepEqual(await processesWith(marks), []);
    assert.deepEqual(await ran(), []);

    let reviewed = false;
    void window.command('midcourse.reviewWaiting').finally(() => {
      reviewed = true;
    });
    // *Allow* is the chosen answer of each question; nobody tells when the next one is there.
    await until(async () => {
      await window.command('workbench.action.acceptSelectedQuickOpenItem');
      return reviewed;
    });
    await chat.open();
    server.script(
      { steps: [{ call: { name: 'read_file', input: { path: 'package.json' } } }] },
      { steps: [{ text: 'Done.' }] },
    );
    await chat.send('Go');
    await chat.frame.getByText('Done.', { exact: true }).first().waitFor();
    await until(async () => {
      const now = await ran();
      return all.every((name) => now.includes(name));
    });
    window.problems.assertNone();
  });
});

/** The marks of what runs with a turn. */
const all = ['claude', 'claude-local', 'cline', 'codex', 'copilot', 'hermes', 'mcp', 'plugin', 'vscode'];
