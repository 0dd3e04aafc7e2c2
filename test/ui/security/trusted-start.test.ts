import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Editor, launchEditor } from '../../harness/index.ts';
import { ModelServer } from '../../model-server/index.ts';
import { bringEverything } from '../everything-that-runs.ts';
import { processesWith } from '../processes.ts';
import { until } from '../until.ts';

const execute = promisify(execFile);

/** A repository that the person trusts in general brings programs along; nobody was asked about them yet. */
describe('a trusted repository that was only opened', function () {
  this.timeout(300_000);
  let editor: Editor;
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
    editor = await launchEditor({
      machineSettings: {
        'midcourse.providers': { fake: { api: 'openai-chat', baseUrl: server.openAiBaseUrl } },
        'midcourse.model': 'fake/model',
        'midcourse.hooks.cline': true,
        // The editor's own git asks nobody in a trusted folder: what runs here has to be ours.
        'git.enabled': false,
      },
    });
  });
  after(async () => {
    await editor?.close();
    await server?.close();
  });

  it('P4. runs nothing before the first prompt, nor with the first turn, until each thing was allowed', async () => {
    const marks = await editor.makeFolder('marks');
    const mark = (name: string): string => `touch ${path.join(marks, name)}`;
    const folder = await editor.copyWorkspace('trusted-start');
    await bringEverything(folder, mark);
    await bringGit(folder, mark);
    const window = await editor.open({ folder });
    assert.equal(await window.run((vscode) => vscode.workspace.isTrusted), true);
    await window.chat.open();
    await until(async () => {
      const hooks = (await window.command('midcourse.refreshHooks')) as readonly { readonly state: string }[];
      return hooks.length >= 6 && hooks.every(({ state }) => state === 'waiting');
    });
    assert.deepEqual(await processesWith(marks), []);
    assert.deepEqual(await readdir(marks), []);

    server.script(
      { steps: [{ call: { name: 'search_files', input: { pattern: 'export' } } }] },
      { steps: [{ call: { name: 'list_files', input: {} } }] },
      { steps: [{ text: 'Looked.' }] },
    );
    await window.chat.send('Look around');
    await window.chat.frame.getByText('Looked.', { exact: true }).first().waitFor();
    assert.deepEqual(await processesWith(marks), []);
    assert.deepEqual(await readdir(marks), []);
    await window.close();
  });
});

/** Programs that git would start, and files that take the place of programs. */
async function bringGit(folder: string, mark: (name: string) => string): Promise<void> {
  const git = (...args: string[]) => execute('git', args, { cwd: folder });
  await git('init', '-q');
  for (const [name, value] of [
    ['core.fsmonitor', mark('fsmonitor')],
    ['core.pager', mark('pager')],
    ['core.editor', mark('editor')],
    ['core.sshCommand', mark('ssh')],
    ['diff.external', mark('diff')],
    ['filter.x.clean', mark('filter')],
    ['alias.status', `!${mark('alias')}`],
  ] as const) {
    await git('config', name, value);
  }
  await writeFile(path.join(folder, '.gitattributes'), '* filter=x\n');
  for (const name of ['rg', 'git', 'node', 'sh', 'bash', 'ps']) {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${mark(name)}\n`);
    await chmod(path.join(folder, name), 0o755);
  }
  await writeFile(path.join(folder, '.ripgreprc'), `--pre=${path.join(folder, 'rg')}\n`);
}
