/** Images in the page itself: what only a browser can paste, draw and shrink. */

import assert from 'node:assert/strict';
import { imageFacts } from '../../../src/agent/session/image-facts.ts';
import type { Attachment } from '../../../src/api.ts';
import type { ToHost } from '../../../src/protocol/index.ts';
import { draftImageId, testIds, thumbnailId } from '../../../src/protocol/index.ts';
import { item, snapshot, user } from '../../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';
import { png } from '../../fixtures/images.ts';

const model = { ...snapshot().model, vision: true, images: { longestEdge: 64, bytes: 2_000 } };
const kept = (ref: string, name = `${ref}.png`): Attachment => ({ kind: 'image', name, mime: 'image/png', ref });

interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly base64: string;
}

const file = (name: string, width = 8, height = 8, noise?: (index: number) => number): GivenFile => ({
  name,
  type: 'image/png',
  base64: png(width, height, [40, 90, 160], noise).base64,
});

describe('images in the page', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    chat = await stage.chat();
    await chat.send(snapshot({ model }));
  });
  afterEach(async () => {
    assert.deepEqual(chat.problems, []);
    await chat.page.close();
  });

  const composer = () => chat.testId(testIds.composer);
  const sent = async <T extends ToHost['type']>(type: T) =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: T }> => message.type === type);
  const waitFor = (type: ToHost['type'], count = 1) =>
    chat.page.waitForFunction(
      ({ name, least }) =>
        (globalThis as unknown as { posted: { type: string }[] }).posted.filter(({ type }) => type === name).length >=
        least,
      { name: type, least: count },
    );

  /** As the browser gives files to a page: none is read from a disk. */
  const give = (how: 'paste' | 'drop', files: readonly GivenFile[], text?: string) =>
    composer().evaluate(
      (element, given) => {
        const transfer = new DataTransfer();
        for (const { name, type, base64 } of given.files) {
          const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
          transfer.items.add(new File([bytes], name, { type }));
        }
        if (given.text !== undefined) transfer.setData('text/plain', given.text);
        const event =
          given.how === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
        element.dispatchEvent(event);
      },
      { how, files, text },
    );

  it('are pasted and dropped, kept by the host at once and go with the text', async () => {
    await give('paste', [file('one.png')]);
    await chat.reply('keepImage', kept('r1'));
    await give('drop', [file('two.png', 9, 9)]);
    await chat.reply('keepImage', kept('r2'));
    await chat.testId(thumbnailId('r2')).waitFor();
    const given = await sent('keepImage');
    assert.deepEqual(
      given.map(({ name, base64 }) => [name, base64]),
      [
        ['one.png', file('one.png').base64],
        ['two.png', png(9, 9, [40, 90, 160]).base64],
      ],
      'what fits is sent as it is',
    );
    await composer().fill('Look');
    await composer().press('Enter');
    const [{ verb } = {}] = await sent('verb');
    assert.deepEqual(verb && 'attachments' in verb && verb.attachments, [kept('r1'), kept('r2')]);
    assert.equal(await chat.testId(testIds.draftImages).count(), 0);
  });

  it('go without a text; the button is ready as soon as they are', async () => {
    assert.equal(await chat.testId(testIds.send).isDisabled(), true);
    await give('paste', [file('one.png')]);
    await chat.reply('keepImage', kept('r1'));
    await chat.testId(thumbnailId('r1')).waitFor();
    await chat.testId(testIds.send).click();
    const [{ verb } = {}] = await sent('verb');
    assert.deepEqual(verb && 'text' in verb && verb.text, '');
  });

  it('that are too large are made to fit: first by pixels, then by bytes', async () => {
    let seed = 1;
    const noise = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed & 127;
    };
    await give('paste', [file('long.png', 640, 160), file('noisy.png', 64, 64, noise)]);
    await waitFor('keepImage', 2);
    const facts = (await sent('keepImage')).map(({ name, base64 }) => {
      const bytes = Buffer.from(base64, 'base64');
      return { name, length: bytes.length, facts: imageFacts(bytes) };
    });
    const long = facts.find(({ name }) => name.startsWith('long'));
    assert.deepEqual(long?.facts, { mime: 'image/png', width: 64, height: 16 });
    const noisy = facts.find(({ name }) => name.startsWith('noisy'));
    assert.equal(noisy?.name, 'noisy.jpg');
    assert.ok((noisy?.length ?? Number.POSITIVE_INFINITY) <= 2_000, `${noisy?.length} bytes`);
  });

  it('that are none are refused in words, and what is typed stays', async () => {
    await composer().fill('Look');
    await give('drop', [{ name: 'notes.pdf', type: 'application/pdf', base64: 'JVBERi0=' }]);
    await chat.testId(testIds.receiptLine).getByText('notes.pdf is no image that can be read here').waitFor();
    assert.equal(await composer().inputValue(), 'Look');
    assert.equal(await chat.testId(testIds.draftImages).count(), 0);
  });

  it('of a copied table give way to its text', async () => {
    await give('paste', [file('table.png')], 'a\tb');
    assert.equal((await sent('keepImage')).length, 0);
  });

  it('of a file that was copied come with its name, and are taken', async () => {
    await give('paste', [file('table.png')], '/home/me/table.png');
    await waitFor('keepImage');
    assert.equal(await composer().inputValue(), '');
  });

  it('are chosen in the picker of the system', async () => {
    const { bytes } = png(8, 8);
    await chat.testId(testIds.attachInput).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: bytes });
    await chat.reply('keepImage', kept('r1'));
    await chat.testId(thumbnailId('r1')).waitFor();
  });

  it('are part of the draft: told to the host, and there again with it', async () => {
    await give('paste', [file('one.png')]);
    await chat.reply('keepImage', kept('r1'));
    await chat.testId(thumbnailId('r1')).waitFor();
    assert.deepEqual((await sent('draft')).at(-1)?.images, [kept('r1')]);
    await chat.send(snapshot({ session: { id: 's2', title: '' }, model, draft: 'other', draftImages: [kept('r2')] }));
    await chat.testId(thumbnailId('r2')).waitFor();
    assert.equal(await chat.testId(thumbnailId('r1')).count(), 0);
    assert.equal(await composer().inputValue(), 'other');
  });

  it('are removed by the keyboard, and the focus goes on', async () => {
    await chat.send(snapshot({ session: { id: 's2', title: '' }, model, draftImages: [kept('r1'), kept('r2')] }));
    await chat.testId(draftImageId(0)).getByTestId(testIds.removeImage).press('Enter');
    assert.equal(await chat.testId(thumbnailId('r1')).count(), 0);
    assert.equal(await focused(), 'Remove r2.png');
    await chat.page.keyboard.press('Enter');
    assert.equal(await chat.testId(testIds.draftImages).count(), 0);
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    assert.equal((await sent('draft')).at(-1)?.images, undefined);
  });

  it('of a message are drawn when the host has read them, open in the editor, and say when they are gone', async () => {
    const image = (ref: string) => ({ type: 'image', mime: 'image/png', ref, name: `${ref}.png` }) as const;
    const row = user('t1', 'Look');
    await chat.send(
      snapshot({ session: { id: 's2', title: '' }, rows: [{ ...row, parts: [image('here'), image('lost')] }] }),
    );
    await waitFor('readImage', 2);
    await chat.replyEach('readImage', ({ ref }) =>
      ref === 'here' ? { mime: 'image/png', base64: png(4, 3).base64 } : null,
    );
    const shown = chat.testId(thumbnailId('here')).locator('img');
    await shown.waitFor();
    assert.equal(await shown.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth)), 4);
    assert.equal(await shown.getAttribute('alt'), 'here.png');
    await chat.testId(thumbnailId('lost')).getByText('lost.png is no longer kept').waitFor();
    await chat.testId(thumbnailId('here')).click();
    assert.deepEqual(await sent('openImage'), [{ type: 'openImage', ref: 'here', name: 'here.png' }]);
  });

  it('come back into the composer with a text that was returned', async () => {
    const returned = item('steer', 'Like this', {
      attachments: [kept('r1')],
      state: { is: 'returned', why: 'the turn was stopped', acknowledged: false },
    });
    await chat.send(snapshot({ session: { id: 's2', title: '' }, model, items: [returned] }));
    await chat.testId(thumbnailId('r1')).waitFor();
    assert.equal(await composer().inputValue(), 'Like this');
    const draft = (await sent('draft')).at(-1);
    assert.deepEqual([draft?.text, draft?.images], ['Like this', [kept('r1')]]);
  });

  it('are said to be lost on a model that sees none', async () => {
    const blind = { ...model, label: 'DeepSeek', vision: false };
    await chat.send(snapshot({ session: { id: 's2', title: '' }, model: blind, draftImages: [kept('r1')] }));
    await chat.testId(testIds.noVision).getByText('DeepSeek sees no images').waitFor();
  });

  const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
});
