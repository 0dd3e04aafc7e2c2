import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import { sharedEditor } from '../harness/index.ts';
import { resultTexts } from './requests.ts';
import { Stage } from './stage.ts';

/** A port on which nothing listens (discard). */
const nobody = 'http://127.0.0.1:9';

/** One way to be wrong, and what the chat says. */
interface Mistake {
  readonly name: string;
  make(stage: Stage): void | Promise<void>;
  readonly says: RegExp;
}

const mistakes: readonly Mistake[] = [
  {
    name: 'an endpoint that cannot be reached',
    make: (stage) => stage.configure('midcourse.model', 'nowhere/test-model'),
    says: /There is no connection to 127\.0\.0\.1:9.*Your message is kept/,
  },
  {
    name: 'a wrong key',
    make({ server }) {
      server.settings.apiKey = 'the-right-one';
    },
    says: /API key.*Your message is kept/,
  },
  {
    name: 'a web page instead of an answer',
    make({ server }) {
      server.fallback = {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<!doctype html><title>Sign in</title>',
      };
    },
    says: /no model answer, such as a web page.*Your message is kept/,
  },
  {
    name: 'a model that does not exist',
    make({ server }) {
      server.settings.models = ['another-model'];
    },
    says: /has no model named test-model.*Your message is kept/,
  },
  {
    name: 'a provider that does not exist',
    make: (stage) => stage.configure('midcourse.model', 'nobody/test-model'),
    says: /nobody\/test-model names no provider.*Your message is kept/,
  },
];

describe('bad input', () => {
  describe('of the model', () => {
    let stage: Stage;

    before(async function () {
      this.timeout(300_000);
      stage = await Stage.start('bad-input', { settings: { 'midcourse.retry.attempts': 1 } });
      await stage.configure('midcourse.providers', {
        'openai-chat': { api: 'openai-chat', baseUrl: stage.server.openAiBaseUrl },
        nowhere: { api: 'openai-chat', baseUrl: nobody },
      });
    });
    beforeEach(async () => {
      await stage.configure('midcourse.model', 'openai-chat/test-model');
      await stage.fresh();
    });
    after(() => stage.close());

    for (const { name, make, says } of mistakes) {
      it(`says what to do about ${name}, keeps the text, and goes on when it is mended`, async () => {
        const { chat, server } = stage;
        await make(stage);
        await chat.send('A text that I need');
        await chat.byId(testIds.turnFailed).filter({ hasText: says }).waitFor();
        await chat.byId(testIds.turnAction).waitFor();
        await chat.userMessages.filter({ hasText: 'A text that I need' }).waitFor();

        server.reset();
        await stage.configure('midcourse.model', 'openai-chat/test-model');
        await chat.send('Once more');
        await chat.turnsEnded(2);
        assert.equal(await chat.byId(testIds.turnFailed).count(), 1);
        assert.match(JSON.stringify(stage.modelRequests.at(-1)?.body), /A text that I need/);
      });
    }
  });

  it('names a setting that does not fit, and works with its default', async function () {
    this.timeout(300_000);
    const settings = { 'midcourse.retry.attempts': 'many', 'midcourse.busyInput': 'shout' };
    await using stage = await Stage.start('bad-settings', { settings });
    const { chat } = stage;
    const line = chat.byId(testIds.receiptLine);
    await line.filter({ hasText: 'The setting midcourse.retry.attempts does not fit' }).waitFor();
    await line.filter({ hasText: 'The setting midcourse.busyInput does not fit' }).waitFor();
    await chat.send('Hello');
    await chat.turnsEnded(1);
    assert.equal(await chat.byId(testIds.turnFailed).count(), 0);
  });

  it('talks without tools in a window without a folder, and says so', async function () {
    this.timeout(300_000);
    await using stage = await Stage.start('no-folder', { folder: null });
    const { chat } = stage;
    await chat.byId(testIds.empty).filter({ hasText: 'No folder is open, so tools are off' }).waitFor();
    await chat.send('What can you do?');
    await chat.turnsEnded(1);
    const body = stage.modelRequests.at(-1)?.body as { readonly tools?: readonly unknown[] };
    assert.deepEqual(body.tools ?? [], []);
  });

  it('goes on when nothing can be written in the folder, and says why on the card', async function () {
    this.timeout(300_000);
    await using stage = await Stage.start('read-only', { folder: await readOnlyFolder() });
    const { chat, server } = stage;
    server.script(
      { steps: [{ call: { id: 'write-1', name: 'write_file', input: { path: 'new.txt', content: 'new' } } }] },
      { steps: [{ text: 'I cannot write here.' }] },
    );
    await chat.send('Make a file');
    await chat.answer(chat.approval('write-1'), cardControls.allow);
    await chat.turnsEnded(1);
    await chat.tool('write-1').filter({ hasText: 'failed' }).waitFor();
    assert.match(resultTexts(stage.modelRequests.at(-1) ?? assert.fail()).at(-1) ?? '', /new\.txt/);
    await chat.send('Then tell me only');
    await chat.turnsEnded(2);
  });
});

/** Root may write wherever the permissions forbid it, but makes no files in the kernel's own file system either. */
async function readOnlyFolder(): Promise<string> {
  if (process.getuid?.() === 0) return '/sys/kernel/mm';
  const folder = await (await sharedEditor()).copyWorkspace('read-only');
  await chmod(folder, 0o555);
  return folder;
}
