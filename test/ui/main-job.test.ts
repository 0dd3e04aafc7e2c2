import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import type { Answer, RecordedRequest } from '../model-server/index.ts';
import { processesWith } from './processes.ts';
import { assistantTexts, resultTexts, userTexts } from './requests.ts';
import { Stage, wires } from './stage.ts';
import { until } from './until.ts';

/** Ends when the test has made the file `go`. */
const untilGo = 'until [ -e go ]; do sleep 0.1; done; echo went';

for (const wire of wires) {
  describe(`the main job in the editor (${wire})`, function () {
    this.timeout(300_000);
    let stage: Stage;

    before(async () => {
      stage = await Stage.start(`main-job-${wire}`, { wire });
    });
    beforeEach(() => stage.fresh());
    after(() => stage.close());

    it('takes a task, asks, edits a file, runs a command and reads the problems the editor finds', async () => {
      const { chat, server, window } = stage;
      await showFormatFile(stage);
      server.script(
        { steps: [{ text: 'I read it.' }, call('read-1', 'read_file', { path: 'src/format.ts' })] },
        {
          steps: [
            { text: 'The type is wrong.' },
            call('edit-1', 'patch', {
              path: 'src/format.ts',
              old_string: 'const euros: number =',
              new_string: 'const euros: boolean =',
            }),
          ],
        },
        { steps: [call('run-1', 'terminal', { command: 'echo "files: $(ls src | wc -l)"' })] },
      );
      server.fallback = askForProblems;

      await chat.send('Mend the type in src/format.ts');
      await chat.approval('edit-1').waitFor();
      assert.match(await stage.file('src/format.ts'), /euros: number/, 'nothing is changed before the answer');
      await chat.approval('edit-1').getByTestId(cardControls.openDiff).click();
      await window.page.locator('.monaco-diff-editor').first().waitFor();
      await diffTab(stage);
      await chat.answer(chat.approval('edit-1'), cardControls.allow);
      await chat.answer(chat.approval('run-1'), cardControls.allow);
      await chat.turnsEnded(1);

      assert.match(await stage.file('src/format.ts'), /const euros: boolean =/);
      const results = resultTexts(last(stage));
      assert.ok(
        results.some((text) => /files: 2/.test(text)),
        'the output of the command',
      );
      assert.ok(
        results.some((text) => /'string' is not assignable to type 'boolean'/.test(text)),
        'the problem that the TypeScript server sees after the edit',
      );
      await chat.answers.filter({ hasText: 'I have read the problems' }).waitFor();
      await chat.tool('edit-1').getByTestId(cardControls.openDiff).waitFor();
      assertLegal(stage);
    });

    it('steers while a command runs: the chip says what it waits for, the next request holds the words', async () => {
      const { chat, server } = stage;
      server.script(
        { steps: [call('wait-1', 'terminal', { command: untilGo })] },
        { steps: [{ text: 'In German, then.' }] },
      );
      await chat.send('Run it');
      await chat.answer(chat.approval('wait-1'), cardControls.allow);
      await chat.tool('wait-1').getByTestId(cardControls.stopCommand).waitFor();
      await chat.send('and answer in German');
      await chat.chips.filter({ hasText: 'and answer in German' }).filter({ hasText: 'after until' }).waitFor();
      await writeFile(path.join(stage.folder, 'go'), '');
      await chat.turnsEnded(1);

      const request = last(stage);
      assert.deepEqual(userTexts(request), ['Run it', 'and answer in German']);
      assert.match(resultTexts(request).join(), /went/);
      await chat.byId(testIds.deliveryMark).filter({ hasText: 'steer · read in request 2' }).waitFor();
      assert.equal(await chat.chips.count(), 0);
      assertLegal(stage);
    });

    it('redirects in the middle of a text: the socket closes, what was read stays, the same turn goes on', async () => {
      const { chat, server } = stage;
      server.script(
        { steps: [{ text: 'The wrong half' }, { pause: 'rest' }] },
        { steps: [{ text: 'The right way.' }] },
      );
      await chat.send('Tell me the way');
      await chat.answers.filter({ hasText: 'The wrong half' }).waitFor();
      const cut = await stage.nextRequest();
      await chat.send('No, the other one', 'Control+Enter');
      assert.equal((await cut.closed).by, 'client');
      await chat.answers.filter({ hasText: 'The right way.' }).waitFor();
      await chat.turnsEnded(1);

      assert.equal(await chat.byId(testIds.turnEnd).count(), 1, 'one turn');
      await chat.answers.filter({ hasText: 'The wrong half' }).waitFor();
      await chat.byId(testIds.deliveryMark).filter({ hasText: 'redirect · request 1 asked again' }).waitFor();
      const request = last(stage);
      assert.deepEqual(assistantTexts(request), ['The wrong half']);
      assert.match(userTexts(request).at(-1) ?? '', /No, the other one$/);
      assertLegal(stage);
    });

    it('queues a text for a turn of its own', async () => {
      const { chat, server } = stage;
      server.script({ steps: [{ text: 'First' }, { pause: 'rest' }] }, { steps: [{ text: 'Second.' }] });
      await chat.send('The first task');
      await chat.answers.filter({ hasText: 'First' }).waitFor();
      const first = await stage.nextRequest();
      await chat.send('The second task', 'Alt+Enter');
      await chat.chips.filter({ hasText: 'The second task' }).filter({ hasText: 'after this turn' }).waitFor();
      first.release('rest');
      await chat.turnsEnded(2);

      assert.equal((await first.closed).by, 'finished');
      assert.deepEqual(userTexts(last(stage)), ['The first task', 'The second task']);
      assert.equal(await chat.byId(testIds.deliveryMark).count(), 0, 'it became an ordinary message');
      assertLegal(stage);
    });

    it('stops a command by Escape with everything it had started', async () => {
      const { chat, server } = stage;
      const seconds = wire === 'anthropic' ? 7301 : 7302;
      const tree = `sleep ${seconds} & (setsid sh -c 'sleep ${seconds}; true' &) ; sh -c 'sleep ${seconds}; true'; wait`;
      server.script({ steps: [call('long-1', 'terminal', { command: tree })] }, { steps: [{ text: 'As you say.' }] });
      await chat.send('Start something long');
      await chat.answer(chat.approval('long-1'), cardControls.allow);
      await chat.byId(testIds.stop).waitFor();
      await until(async () => (await processesWith(`sleep ${seconds}`)).length >= 3);
      await chat.composer.press('Escape');
      await chat.byId(testIds.turnStopped).filter({ hasText: 'Stopped by you while a tool ran.' }).waitFor();

      assert.deepEqual(await processesWith(`sleep ${seconds}`), []);
      await chat.tool('long-1').filter({ hasText: 'stopped' }).waitFor();
      await chat.send('Go on with something else');
      await chat.turnsEnded(2);
      assert.match(userTexts(last(stage)).at(-1) ?? '', /stopped your previous turn while tools were running/);
      assertLegal(stage);
    });

    it('shows the same conversation after the window was reloaded', async () => {
      const { chat, server, window } = stage;
      server.script(
        { steps: [{ text: 'I **look**.' }, call('read-2', 'read_file', { path: 'package.json' })] },
        { steps: [{ text: 'A list:\n\n- one\n- two\n\n```ts\nconst a = 1;\n```' }] },
      );
      await chat.send('Tell me about it');
      await chat.turnsEnded(1);
      await chat.type('a draft that stays');
      await chat.newSession();
      await chat.byId(testIds.sessions).click();
      await chat.byId(testIds.sessionsList).getByText('Tell me about it').click();
      await chat.turnsEnded(1);
      const before = await chat.byId(testIds.transcript).textContent();
      await window.reload();
      await chat.open();
      await chat.turnsEnded(1);

      assert.equal(await chat.byId(testIds.transcript).textContent(), before);
      assert.equal(await chat.composer.inputValue(), 'a draft that stays');
      await chat.send('And on');
      await chat.turnsEnded(2);
      assertLegal(stage);
    });

    it('keeps what was written when the window is reloaded in the middle of a text', async () => {
      const { chat, server, window } = stage;
      server.script({ steps: [{ text: 'Half of an answer' }, { pause: 'rest' }] });
      await chat.send('Write something');
      await chat.answers.filter({ hasText: 'Half of an answer' }).waitFor();
      await window.reload();
      await chat.open();

      await chat.answers.filter({ hasText: 'Half of an answer' }).waitFor();
      await chat.byId(testIds.turnStopped).filter({ hasText: 'the window was closed or reloaded' }).waitFor();
      await chat.send('Go on');
      await chat.turnsEnded(2);
      assert.match(userTexts(last(stage)).at(-1) ?? '', /Go on$/);
      assertLegal(stage);
    });

    it('runs nothing that waited for an approval when the window was reloaded', async () => {
      const { chat, server, window } = stage;
      server.script({ steps: [call('make-1', 'write_file', { path: `made-${wire}.txt`, content: 'made' })] });
      await chat.send('Make a file');
      await chat.approval('make-1').waitFor();
      await window.reload();
      await chat.open();

      await chat.tool('make-1').filter({ hasText: 'not run' }).waitFor();
      assert.equal(await chat.approval('make-1').count(), 0);
      await assert.rejects(stage.file(`made-${wire}.txt`), /ENOENT/);
      await chat.send('Go on');
      await chat.turnsEnded(2);
      assert.match(resultTexts(last(stage)).join(), /[Nn]ot run/);
      assertLegal(stage);
    });
  });
}

function call(id: string, name: string, input: unknown) {
  return { call: { id, name, input } };
}

/** The TypeScript server needs a while for its first look at a project; `diagnostics` waits 3 s, so the model asks again. */
function askForProblems(request: RecordedRequest): Answer {
  const seen = /is not assignable to type 'boolean'/.test(resultTexts(request).at(-1) ?? '');
  if (seen) return { steps: [{ text: 'I have read the problems.' }] };
  return { steps: [call(`problems-${request.index}`, 'diagnostics', { paths: ['src/format.ts'] })] };
}

/** Opens the file and waits until the TypeScript server has looked at it once. */
async function showFormatFile({ window, folder }: Stage): Promise<void> {
  await window.run(
    async (vscode, file) => {
      const uri = vscode.Uri.file(file);
      await vscode.window.showTextDocument(uri);
      await new Promise<void>((resolve) => {
        const look = () => {
          if (vscode.languages.getDiagnostics(uri).length === 0) return;
          subscription.dispose();
          resolve();
        };
        const subscription = vscode.languages.onDidChangeDiagnostics(look);
        look();
      });
    },
    path.join(folder, 'src/format.ts'),
  );
}

/** Resolves when the extension host knows of the tab: it hears of it a moment after the editor shows it. */
function diffTab({ window }: Stage): Promise<void> {
  return window.run(
    (vscode) =>
      new Promise<void>((resolve) => {
        const { tabGroups } = vscode.window;
        const look = (): void => {
          const tabs = tabGroups.all.flatMap((group) => group.tabs);
          if (!tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff)) return;
          listening.dispose();
          resolve();
        };
        const listening = tabGroups.onDidChangeTabs(look);
        look();
      }),
  );
}

function last(stage: Stage): RecordedRequest {
  const request = stage.modelRequests.at(-1);
  assert.ok(request, 'a request');
  return request;
}

/** No request was one that the real API would refuse. */
function assertLegal(stage: Stage): void {
  for (const request of stage.modelRequests) assert.equal(request.invalid, undefined);
}
