import assert from 'node:assert/strict';
import { approvalCardId, cardControls } from '../../../src/protocol/test-ids.ts';
import { setChatWidth, takePicture } from '../../harness/index.ts';
import { Stage } from '../stage.ts';

describe('cards in the real editor', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('cards');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  const proposes = async (id: string, command: string) => {
    stage.server.script(
      { steps: [{ call: { id, name: 'terminal', input: { command } } }] },
      { steps: [{ text: 'As you wish.' }] },
    );
    await stage.chat.send('Go');
    const card = stage.chat.approval(id);
    await card.waitFor();
    return card;
  };

  it('A5a. rm -rf … && git push --force … of a real turn: both dangers are named and marked, and only a click or the button itself allows', async () => {
    const { chat, window } = stage;
    const card = await proposes('danger-1', 'rm -rf packages/vue/dist && git push --force origin main');
    await card.getByText('Dangerous').waitFor();
    assert.ok((await card.locator('.dangers li').count()) >= 2);
    assert.ok((await card.locator('.danger-part').count()) >= 2);
    await chat.composer.focus();
    await window.page.keyboard.press('Alt+j');
    await chat.frame.locator(`[data-testid="${approvalCardId('danger-1')}"]:focus`).waitFor();
    await window.page.keyboard.type('a');
    assert.equal(await chat.composer.inputValue(), 'a');
    assert.ok(await card.isVisible());
    await takePicture(window, 'card-danger');
  });

  it('A1a. a key in a command of a real turn: masked at its length, and read by Show', async () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const card = await proposes('masked-1', `echo ${key} > key.txt; touch after-key`);
    await card.getByText('touch after-key').waitFor();
    assert.equal((await card.textContent())?.includes(key), false);
    await card.getByText('•'.repeat(key.length)).waitFor();
    await card.getByTestId(cardControls.revealSecrets).click();
    await card.getByText(key).waitFor();
  });

  it('A4i. sixty line breaks and bidi overrides in a command of a real turn at 285 px: what runs is in sight', async () => {
    const { window } = stage;
    await setChatWidth(window, 285);
    const card = await proposes('hidden-1', `npm --version # \u202e${'\n'.repeat(60)}touch MARK`);
    await card.getByText('60 line breaks').waitFor();
    await card.getByText('U+202E').waitFor();
    assert.equal(
      await card
        .locator('.command')
        .last()
        .evaluate((box) => {
          const { top, bottom } = box.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight && /touch MARK$/.test(box.textContent ?? '');
        }),
      true,
    );
    await takePicture(window, 'card-hidden-285');
  });
});
