/** Reports of users (test/reports/README.md) that are about what the chat shows and takes. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import { processesWith } from './processes.ts';
import { resultTexts, userTexts } from './requests.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

describe('reports, in the chat', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('reports');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('B011: Escape stops also while texts wait and a process runs in the background', async () => {
    const { chat, server } = stage;
    const [behind, inFront] = ['sleep 7521', 'sleep 7522'];
    server.script(
      { steps: [call('behind-1', 'terminal', { command: behind, background: true })] },
      { steps: [call('front-1', 'terminal', { command: inFront })] },
    );
    await chat.send('Start both');
    await chat.answer(chat.approval('behind-1'), cardControls.allow);
    await chat.answer(chat.approval('front-1'), cardControls.allow);
    await until(async () => (await processesWith(inFront)).length > 0);
    await chat.send('x', 'Alt+Enter');
    await chat.chips.filter({ hasText: 'after this turn' }).waitFor();
    await chat.composer.press('Escape');
    await chat.byId(testIds.turnStopped).filter({ hasText: 'Stopped by you while a tool ran.' }).waitFor();
    await chat.byId(testIds.held).waitFor();
    assert.deepEqual(await processesWith(inFront), []);
    assert.equal(stage.modelRequests.length, 2, 'nothing starts by itself');
    await endProcesses(stage);
  });

  it('B020: a view that was away in the middle of a turn shows what happened and what happens', async () => {
    const { chat, server, window } = stage;
    server.script({ steps: [{ text: 'Before. ' }, { pause: 'away' }, { text: 'Meanwhile. ' }, { pause: 'back' }] });
    await chat.send('Talk');
    await chat.answers.filter({ hasText: 'Before.' }).waitFor();
    await window.command('workbench.action.closeAuxiliaryBar');
    await chat.composer.waitFor({ state: 'hidden' });
    const request = await stage.nextRequest();
    request.release('away');
    await request.paused('back');
    await chat.open();
    await chat.answers.filter({ hasText: 'Before. Meanwhile.' }).waitFor();
    await chat.byId(testIds.stop).waitFor();
    request.release('back');
    await chat.turnsEnded(1);
  });

  it('B091: a draft stays as it is, caret and focus too, when a queued text goes out', async () => {
    const { chat, server } = stage;
    server.script(
      { steps: [{ text: 'First' }, { pause: 'rest' }] },
      { steps: [{ text: 'Second' }, { pause: 'rest' }] },
    );
    await chat.send('One');
    await chat.answers.filter({ hasText: 'First' }).waitFor();
    await chat.send('Q', 'Alt+Enter');
    await chat.chips.filter({ hasText: 'Q' }).waitFor();
    await chat.composer.pressSequentially('draft 123');
    await chat.composer.press('ArrowLeft');
    await chat.composer.press('ArrowLeft');
    (await stage.nextRequest()).release('rest');
    await chat.answers.filter({ hasText: 'Second' }).waitFor();
    const draft = await chat.composer.evaluate((element) => {
      const { value, selectionStart } = element as HTMLTextAreaElement;
      return { value, selectionStart, focused: document.activeElement === element };
    });
    assert.deepEqual(draft, { value: 'draft 123', selectionStart: 7, focused: true });
  });

  it('B107: an edit is allowed and denied alike when its diff tab was closed', async () => {
    const { chat, server, window } = stage;
    const before = await stage.file('src/format.ts');
    for (const [id, way] of [
      ['closed-deny', 'deny'],
      ['closed-allow', 'allow'],
    ] as const) {
      const edit = { path: 'src/format.ts', old_string: 'const euros', new_string: 'const euro' };
      server.script({ steps: [call(id, 'patch', edit)] });
      await chat.send('Edit it');
      const card = chat.approval(id);
      await card.getByTestId(cardControls.openDiff).click();
      await window.page.locator('.monaco-diff-editor').first().waitFor();
      await window.command('workbench.action.closeActiveEditor');
      await window.page.locator('.monaco-diff-editor').first().waitFor({ state: 'detached' });
      assert.equal(await stage.file('src/format.ts'), before);
      if (way === 'allow') await chat.answer(card, cardControls.allow);
      else await chat.answer(card, cardControls.deny, cardControls.denyConfirm);
      await chat.turnsEnded(way === 'deny' ? 1 : 2);
    }
    assert.equal(await stage.file('src/format.ts'), before.replace('const euros', 'const euro'));
  });

  it('B109: closing the chat decides nothing: the file and what the user has not saved stay as they are', async () => {
    const { chat, server, window } = stage;
    const file = path.join(stage.folder, 'README.md');
    const before = await stage.file('README.md');
    // The web editor saves by itself.
    await stage.configure('files.autoSave', 'off');
    server.script(
      { steps: [call('look', 'read_file', { path: 'README.md' })] },
      { steps: [call('undecided', 'write_file', { path: 'README.md', content: 'the model’s' })] },
    );
    await chat.send('Write it anew');
    await chat.approval('undecided').getByTestId(cardControls.openDiff).click();
    await window.page.locator('.monaco-diff-editor').first().waitFor();
    await window.command('workbench.action.closeActiveEditor');
    await window.run(async (vscode, name) => {
      const document = await vscode.workspace.openTextDocument(name);
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((change) => change.insert(new vscode.Position(0, 0), 'mine, one\nmine, two\n'));
    }, file);
    const assertUntouched = async () => {
      const buffer = await window.run(
        async (vscode, name) => (await vscode.workspace.openTextDocument(name)).getText(),
        file,
      );
      assert.equal(buffer, `mine, one\nmine, two\n${before}`);
      assert.equal(await stage.file('README.md'), before);
    };
    await window.command('workbench.action.closeAuxiliaryBar');
    await chat.composer.waitFor({ state: 'hidden' });
    await assertUntouched();
    await chat.open();
    await chat.answer(chat.approval('undecided'), cardControls.allow);
    await chat.turnsEnded(1);
    await assertUntouched();
    assert.match(resultTexts(stage.modelRequests.at(-1) ?? assert.fail()).join(), /unsaved changes of the user/);
    await window.command('workbench.action.revertAndCloseActiveEditor');
    await stage.configure('files.autoSave', undefined);
  });

  it('B112: after an answered question the next words of the model are shown', async () => {
    const { chat, server } = stage;
    const question = { question: 'Which one?', choices: ['The left', 'The right'] };
    server.script(
      { steps: [call('ask-1', 'ask_user', question)] },
      { steps: [{ text: 'Left it is' }, { pause: 'rest' }] },
    );
    await chat.send('Decide with me');
    await chat.answer(
      chat.frame.locator('article.question'),
      chat.frame.locator('article.question').getByText('The left'),
    );
    await chat.answers.filter({ hasText: 'Left it is' }).waitFor();
    await chat.byId(testIds.stop).waitFor();
    assert.match(resultTexts(stage.modelRequests.at(-1) ?? assert.fail()).join(), /The left/);
  });

  it('B199: a held Enter, and Send with Enter in one tick, send once', async () => {
    const { chat, server, window } = stage;
    const { keyboard } = window.page;
    server.script({ steps: [{ text: 'One' }, { pause: 'rest' }] }, { steps: [{ text: 'Two' }, { pause: 'rest' }] });
    await chat.type('held');
    await chat.composer.focus();
    for (let repeat = 0; repeat < 5; repeat++) await keyboard.down('Enter');
    await keyboard.up('Enter');
    await chat.answers.filter({ hasText: 'One' }).waitFor();
    assert.equal(await chat.composer.inputValue(), '');
    assert.equal(await chat.chips.count(), 0);
    (await stage.nextRequest()).release('rest');
    await chat.turnsEnded(1);

    await chat.type('both');
    await chat.composer.evaluate((composer, send) => {
      document.querySelector<HTMLElement>(`[data-testid="${send}"]`)?.click();
      composer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true }));
    }, testIds.send);
    await chat.answers.filter({ hasText: 'Two' }).waitFor();
    assert.equal(await chat.chips.count(), 0);
    assert.equal(await chat.userMessages.count(), 2);
    assert.deepEqual(userTexts(stage.modelRequests.at(-1) ?? assert.fail()), ['held', 'both']);
    assert.equal(stage.modelRequests.length, 2);
  });

  it('B203, B206: code blocks with calls between them keep their own text, and are copied whole', async () => {
    const { chat, server, window } = stage;
    await window.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const codes = ['A', 'B', 'C'].map((name) =>
      Array.from({ length: 60 }, (_, line) => `const ${name}${line} = "${name} ${line}";\n`).join(''),
    );
    const [first, second, third] = codes.map(fragments);
    const read = call('between', 'read_file', { path: 'package.json' });
    server.script(
      { steps: [...(first ?? []), read] },
      { steps: [...(second ?? []), read] },
      { steps: [...(third ?? [])] },
    );
    await chat.send('Three pieces');
    await chat.turnsEnded(1);
    const blocks = chat.byId(testIds.codeBlock);
    const copied: string[] = [];
    for (const index of [2, 0, 1, 2]) {
      await window.run((vscode) => vscode.env.clipboard.writeText(''));
      await blocks.nth(index).hover();
      await blocks.nth(index).getByTestId(testIds.copyCode).click();
      copied.push(
        await until(async () => (await window.run((vscode) => vscode.env.clipboard.readText())) || undefined),
      );
    }
    assert.deepEqual(
      copied.map((text) => text.trimEnd()),
      [2, 0, 1, 2].map((index) => codes[index]?.trimEnd()),
    );
  });
});

function call(id: string, name: string, input: unknown) {
  return { call: { id, name, input } };
}

/** A code block as a model streams it: in pieces of a few letters, its last lines in one. */
function fragments(code: string) {
  const lines = code.split(/(?<=\n)/);
  const last = lines.splice(-3).join('');
  const pieces = `\`\`\`js\n${lines.join('')}`.match(/.{1,12}/gs) ?? [];
  return [...pieces, `${last}\`\`\`\n`].map((text) => ({ text }));
}

/** Ends what runs in the background, through the API. */
async function endProcesses({ window }: Stage): Promise<void> {
  await window.run(async (vscode) => {
    const api = await vscode.extensions.getExtension('midcourse.midcourse')?.activate();
    const [newest] = await api.sessions.list();
    const session = await api.sessions.open(newest.id);
    for (const running of session.processes()) await session.killProcess(running.id);
  });
}
