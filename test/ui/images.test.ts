import assert from 'node:assert/strict';
import { draftImageId, testIds } from '../../src/protocol/test-ids.ts';
import { png } from '../fixtures/images.ts';
import type { RecordedRequest } from '../model-server/index.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

const red = png(40, 30, [200, 60, 40]);
const blue = png(30, 40, [40, 60, 200]);

describe('images in the editor', function () {
  this.timeout(300_000);
  let stage: Stage;

  before(async () => {
    stage = await Stage.start('images', {
      wire: 'anthropic',
      settings: { 'midcourse.model': 'anthropic/claude-opus-4-5' },
    });
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('are pasted and dropped, reach the model as they are, and open in the editor', async () => {
    const { chat, server, window } = stage;
    server.script({ steps: [{ text: 'A red and a blue one.' }] });
    await give(stage, 'paste', 'red.png', red.base64);
    await ready(stage, 0);
    await give(stage, 'drop', 'blue.png', blue.base64);
    await ready(stage, 1);
    await chat.send('What is on them?');
    await chat.turnsEnded(1);
    const [request] = stage.modelRequests;
    assert.deepEqual(imagesIn(request), [red.base64, blue.base64]);
    assert.equal(request?.invalid, undefined);
    const sent = chat.userMessages.last().locator('img');
    assert.equal(await sent.count(), 2);
    await sent.first().click();
    await until(() =>
      window.run((vscode) =>
        vscode.window.tabGroups.all.some(({ tabs }) =>
          tabs.some(({ input }) => input instanceof vscode.TabInputCustom && input.uri.path.endsWith('/red.png')),
        ),
      ),
    );
    await window.run((vscode) => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  });

  it('stay with the draft through a reload of the window', async () => {
    const { chat, window } = stage;
    await chat.type('Look at this');
    await give(stage, 'paste', 'red.png', red.base64);
    await ready(stage, 0);
    await window.reload();
    await chat.open();
    await ready(stage, 0);
    assert.equal(await chat.composer.inputValue(), 'Look at this');
    stage.server.script({ steps: [{ text: 'I see it.' }] });
    await chat.composer.press('Enter');
    await chat.turnsEnded(1);
    assert.deepEqual(imagesIn(stage.modelRequests.at(-1)), [red.base64]);
  });

  it('come back with a text that a stop returned', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ text: 'Working' }, { pause: 'rest' }] });
    await chat.send('Begin');
    await chat.answers.filter({ hasText: 'Working' }).waitFor();
    await give(stage, 'paste', 'red.png', red.base64);
    await ready(stage, 0);
    await chat.send('Like this one');
    await chat.chips.filter({ hasText: 'Like this one' }).waitFor();
    await chat.byId(testIds.stop).click();
    await ready(stage, 0);
    assert.equal(await chat.composer.inputValue(), 'Like this one');
    await chat.byId(draftImageId(0)).getByTestId(testIds.removeImage).click();
    await chat.type('');
  });

  it('the effort that is chosen is what the next request asks for', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ text: 'Thought about it.' }] });
    await chat.byId(testIds.effortPicker).click();
    await chat.byId(testIds.effortMenu).getByText('High', { exact: true }).click();
    await chat.byId(testIds.effortPicker).filter({ hasText: 'High' }).waitFor();
    await chat.send('Think');
    await chat.turnsEnded(1);
    const body = stage.modelRequests.at(-1)?.body as { output_config?: { effort?: string }; thinking?: unknown };
    assert.ok(body.output_config?.effort === 'high' || body.thinking !== undefined, JSON.stringify(body).slice(0, 300));
  });

  it('what a turn cost is at its end, and the popover of the session says where it comes from', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ usage: { input: 2_000, cacheRead: 8_000, output: 100 } }, { text: 'Done.' }] });
    await chat.send('Do it');
    await chat.turnsEnded(1);
    await chat.byId(testIds.turnEnd).filter({ hasText: '1 request · 10k tokens (80 % cached)' }).waitFor();
    await chat.byId(testIds.cost).click();
    await chat.byId(testIds.costPopover).getByText('8.0k (80 %)').waitFor();
    await chat.composer.press('Escape');
  });
});

/** As the browser gives a file to the page. */
async function give({ chat }: Stage, how: 'paste' | 'drop', name: string, base64: string): Promise<void> {
  await chat.composer.evaluate(
    (element, given) => {
      const bytes = Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], given.name, { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        given.how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: transfer, ...options })
          : new DragEvent('drop', { dataTransfer: transfer, ...options }),
      );
    },
    { how, name, base64 },
  );
}

async function ready({ chat }: Stage, index: number): Promise<void> {
  await chat.byId(draftImageId(index)).locator('img').waitFor();
}

function imagesIn(request: RecordedRequest | undefined): readonly string[] {
  const text = request?.bytes.toString('utf8') ?? '';
  return [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, base64 = '']) => base64);
}
