import assert from 'node:assert/strict';
import { testIds } from '../../src/protocol/test-ids.ts';
import { answer, snapshot, turnResult, user } from '../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../webview/dev/stage.ts';

describe('text of a model in the chat', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
    chat = await stage.chat();
  });
  after(() => stage.close());

  it('A3. a block of code after a heading, a block or a rule and blank lines: drawn as code, copied and inserted without its fences', async () => {
    const before = [
      '# Heading\n\n',
      '```\nfirst\n```\n\n',
      '~~~sh\nfirst\n~~~\n \n\n',
      '***\n\n\n',
      '- item\n\n',
      '## A\n\n## B\n\n',
    ];
    const fences = ['```', '~~~~'];
    const texts = before.flatMap((text) => fences.map((fence) => `${text}${fence}ts\nlet a = 1;\n${fence}\n`));
    const rows = texts.flatMap((text, at) => [user(`t${at}`, 'Go'), answer(`t${at}`, 1, text)]);
    const turnResults = texts.map((_, at) => turnResult(`t${at}`));
    await chat.send(snapshot({ rows, turnResults }));
    const messages = chat.testId(testIds.assistantText);
    await messages.nth(texts.length - 1).waitFor();
    for (const [at, text] of texts.entries()) {
      const message = messages.nth(at);
      assert.doesNotMatch((await message.textContent()) ?? '', /```|~~~/, text);
      const block = message.getByTestId(testIds.codeBlock).last();
      await block.getByTestId(testIds.copyCode).click();
      await block.getByTestId(testIds.insertCode).click();
    }
    const given = (await chat.posted()).filter(({ type }) => type === 'copy' || type === 'insertAtCursor');
    assert.deepEqual(
      given.map((message) => 'text' in message && message.text),
      texts.flatMap(() => ['let a = 1;', 'let a = 1;']),
    );
  });
});
