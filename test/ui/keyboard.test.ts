import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cardControls, chipControls, testIds } from '../../src/protocol/test-ids.ts';
import { userTexts } from './requests.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

describe('the keyboard', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('keyboard');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('does the whole main job: open, send, allow, steer, redirect, queue, stop', async function () {
    this.timeout(300_000);
    const { chat, server, window } = stage;
    const { keyboard } = window.page;
    server.script(
      { steps: [terminal('keys-1', 'until [ -e keys ]; do sleep 0.1; done')] },
      { steps: [{ text: 'Wrong way' }, { pause: 'rest' }] },
      { steps: [{ text: 'Right way' }, { pause: 'rest' }] },
      { steps: [{ text: 'The queued one' }, { pause: 'rest' }] },
    );
    await window.command('workbench.action.focusFirstEditorGroup');
    await keyboard.press('F1');
    await keyboard.type('Midcourse: Open Chat');
    await window.page
      .locator('.quick-input-list .focused')
      .filter({ hasText: 'Midcourse: Open Chat' })
      .first()
      .waitFor();
    await keyboard.press('Enter');
    await focusedIn(stage, testIds.composer);
    await keyboard.type('Wait for a file');
    await keyboard.press('Enter');

    await chat.approval('keys-1').waitFor();
    await tabTo(stage, cardControls.allow, 'Shift+Tab');
    await until(async () => {
      if ((await chat.approval('keys-1').count()) === 0) return true;
      await keyboard.press('a');
      return false;
    });
    await chat.byId(cardControls.stopCommand).waitFor();
    await tabTo(stage, testIds.composer, 'Tab');
    await keyboard.type('a hint');
    await keyboard.press('Enter');
    await chat.chips.filter({ hasText: 'a hint' }).filter({ hasText: 'after until' }).waitFor();
    await writeFile(path.join(stage.folder, 'keys'), '');
    await chat.answers.filter({ hasText: 'Wrong way' }).waitFor();
    await chat.byId(testIds.deliveryMark).filter({ hasText: 'steer · read in request 2' }).waitFor();
    await keyboard.type('the other way');
    await keyboard.press('Control+Enter');
    await chat.answers.filter({ hasText: 'Right way' }).waitFor();
    await keyboard.type('and then this');
    await keyboard.press('Alt+Enter');
    await chat.chips.filter({ hasText: 'and then this' }).waitFor();
    stage.modelRequests.at(-1)?.release('rest');
    await chat.answers.filter({ hasText: 'The queued one' }).waitFor();
    await keyboard.press('Escape');
    await chat.byId(testIds.turnStopped).filter({ hasText: 'Stopped by you' }).waitFor();
    const [, second, third, fourth] = stage.modelRequests;
    assert.deepEqual(userTexts(second ?? assert.fail()), ['Wait for a file', 'a hint']);
    assert.match(userTexts(third ?? assert.fail()).at(-1) ?? '', /the other way$/);
    assert.equal(userTexts(fourth ?? assert.fail()).at(-1), 'and then this');
  });

  it('takes a waiting text back, edits it and moves it, all on its chip', async () => {
    const { chat, server, window } = stage;
    const { keyboard } = window.page;
    server.script({ steps: [{ text: 'Working' }, { pause: 'rest' }] });
    await chat.send('Work');
    await chat.answers.waitFor();
    for (const text of ['one', 'two', 'three']) {
      await chat.send(text, 'Alt+Enter');
      await chat.chips.filter({ hasText: text }).waitFor();
    }
    await chat.chips.filter({ hasText: 'two' }).focus();
    await keyboard.press('Alt+ArrowUp');
    await until(async () => (await chat.chips.first().textContent())?.includes('two'));
    await chat.chips.filter({ hasText: 'three' }).focus();
    await keyboard.press('Delete');
    await chat.chips.filter({ hasText: 'three' }).waitFor({ state: 'hidden' });
    await chat.chips.filter({ hasText: 'one' }).focus();
    await keyboard.press('Enter');
    await focusedIn(stage, chipControls.editor);
    await keyboard.type(', edited');
    await keyboard.press('Enter');
    await chat.chips.and(chat.frame.locator(':focus')).filter({ hasText: 'one, edited' }).waitFor();
  });

  it('opens the help by Alt+F1, closes it by Escape and goes back to where it was', async () => {
    const { chat, window } = stage;
    await chat.composer.press('Alt+F1');
    const help = chat.byId(testIds.help);
    await help.filter({ hasText: 'Keys and accessibility help' }).waitFor();
    await window.page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await focusedIn(stage, testIds.composer);
  });

  it('moves between messages by arrow keys', async () => {
    const { chat, window } = stage;
    const { keyboard } = window.page;
    await chat.send('The first');
    await chat.turnsEnded(1);
    await chat.send('The second');
    await chat.turnsEnded(2);
    await tabTo(stage, testIds.transcript, 'Shift+Tab');
    const seen: string[] = [];
    for (const key of ['End', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'Home']) {
      await keyboard.press(key);
      seen.push(await focusedText(stage));
    }
    const [last = '', , , first = '', second = '', home = ''] = seen;
    assert.match(last, /The second/);
    assert.equal(first, 'The first');
    assert.notEqual(second, first);
    assert.equal(home, first);
  });

  it('leaves Enter and Escape to an input method while it composes', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ text: 'Working' }, { pause: 'rest' }] });
    await chat.send('Work');
    await chat.answers.waitFor();
    await chat.type('にほん');
    await chat.composer.dispatchEvent('compositionstart', { data: '' });
    await compositionKey(stage, 'Enter', true);
    await compositionKey(stage, 'Escape', true);
    await chat.composer.dispatchEvent('compositionend', { data: 'にほん' });
    assert.equal(await chat.composer.inputValue(), 'にほん');
    await chat.byId(testIds.stop).waitFor();
    assert.equal(await chat.chips.count(), 0);

    await compositionKey(stage, 'Enter', false);
    await chat.chips.filter({ hasText: 'にほん' }).waitFor();
    await compositionKey(stage, 'Escape', false);
    await chat.byId(testIds.turnStopped).waitFor();
  });

  it('brings back earlier texts by Up in an empty composer', async () => {
    const { chat } = stage;
    await chat.send('An earlier text');
    await chat.turnsEnded(1);
    await chat.send('A later text');
    await chat.turnsEnded(2);
    await chat.composer.press('ArrowUp');
    assert.equal(await chat.composer.inputValue(), 'A later text');
    await chat.composer.press('ArrowUp');
    assert.equal(await chat.composer.inputValue(), 'An earlier text');
    await chat.composer.press('ArrowDown');
    await chat.composer.press('ArrowDown');
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('is focused in the order of reading, and every control has a name', async () => {
    const { chat, server, window } = stage;
    server.script({ steps: [terminal('order-1', 'touch ordered')] });
    await chat.send('Make a file');
    await chat.approval('order-1').waitFor();
    await chat.send('and then', 'Alt+Enter');
    await chat.chips.waitFor();
    await chat.type('a draft');

    await chat.byId(testIds.title).focus();
    const order: string[] = [];
    for (let id = await focusedId(stage); !order.includes(id); id = await focusedId(stage)) {
      order.push(id);
      if (id === testIds.sendMenuButton) break;
      await window.page.keyboard.press('Tab');
    }
    const landmarks = [
      testIds.title,
      testIds.newSession,
      testIds.sessions,
      testIds.overflow,
      testIds.transcript,
      cardControls.allow,
      cardControls.deny,
      testIds.composer,
      testIds.modelPicker,
      testIds.stop,
      testIds.send,
      testIds.sendMenuButton,
    ];
    assert.deepEqual(
      order.filter((id) => landmarks.some((landmark) => landmark === id)),
      landmarks,
    );
    for (const id of [testIds.overflow, testIds.sessions, testIds.sendMenuButton, testIds.modelPicker]) {
      await chat.byId(id).click();
      assert.deepEqual(await namelessControls(stage), [], `with ${id} open`);
      await window.page.keyboard.press('Escape');
    }
    await chat.byId(testIds.stop).waitFor();
  });

  it('tells a screen reader what happens, and not every word', async () => {
    const { chat, server } = stage;
    const region = chat.byId(testIds.liveRegion);
    await region.evaluate((element) => {
      const heard: string[] = [];
      Reflect.set(window, 'heard', heard);
      new MutationObserver(() => heard.push(element.textContent)).observe(element, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    server.script({ steps: [{ text: 'Many words of an answer' }, terminal('heard-1', 'touch heard')] });
    await chat.send('Tell me');
    await chat.answer(chat.approval('heard-1'), cardControls.allow);
    await chat.turnsEnded(1);
    server.script({ steps: [{ text: 'Working' }, { pause: 'rest' }] });
    await chat.send('Work');
    await chat.answers.filter({ hasText: 'Working' }).waitFor();
    await chat.composer.press('Escape');
    await chat.byId(testIds.turnStopped).waitFor();
    const heard: readonly string[] = await region.evaluate(() => Reflect.get(window, 'heard'));
    const told = ['Turn started.', 'Needs your approval: Run: touch heard', 'Answer finished.', 'Stopped by you'];
    const at = told.map((words) => heard.findIndex((sentence) => sentence.startsWith(words)));
    assert.ok(
      at.every((index, n) => index >= 0 && (n === 0 || index > (at[n - 1] ?? 0))),
      heard.join('\n'),
    );
    assert.equal(heard.join().includes('Many words'), false);
  });
});

function terminal(id: string, command: string) {
  return { call: { id, name: 'terminal', input: { command } } };
}

/** Presses the key until the control with that test id has the focus. */
async function tabTo(stage: Stage, id: string, key: 'Tab' | 'Shift+Tab'): Promise<void> {
  const passed: string[] = [];
  while ((await focusedId(stage)) !== id) {
    passed.push(await focusedId(stage));
    assert.ok(passed.length < 60, `${id} is not reached by ${key}: ${passed.join(', ')}`);
    await stage.window.page.keyboard.press(key);
  }
}

/** The test id of what has the focus, or what it is. */
function focusedId({ chat }: Stage): Promise<string> {
  return chat.byId(testIds.root).evaluate(() => {
    const focused = document.activeElement;
    return focused?.getAttribute('data-testid') ?? focused?.outerHTML.slice(0, 80) ?? '';
  });
}

function focusedText({ chat }: Stage): Promise<string> {
  return chat.byId(testIds.root).evaluate(() => (document.activeElement as HTMLElement).textContent);
}

async function focusedIn({ chat }: Stage, id: string): Promise<void> {
  await chat.frame.locator(`[data-testid="${id}"]:focus`).waitFor();
}

function compositionKey({ chat }: Stage, key: 'Enter' | 'Escape', composing: boolean): Promise<void> {
  const keyCode = composing ? 229 : key === 'Enter' ? 13 : 27;
  return chat.composer.dispatchEvent('keydown', { key, code: key, keyCode, isComposing: composing });
}

/** Lines of the accessibility tree that show a control without a name. */
async function namelessControls({ chat }: Stage): Promise<readonly string[]> {
  const tree = await chat.byId(testIds.root).ariaSnapshot();
  const control = /^\s*- (button|link|textbox|combobox|checkbox|radio|menuitem\w*|option|slider|switch|tab)\b(?! ")/;
  return tree.split('\n').filter((line) => control.test(line));
}
