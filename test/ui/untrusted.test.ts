import assert from 'node:assert/strict';
import { type Editor, type EditorWindow, launchEditor } from '../harness/index.ts';
import { ModelServer } from '../model-server/index.ts';

describe('an untrusted workspace', function () {
  this.timeout(240_000);
  let editor: Editor;
  let window: EditorWindow;
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
    editor = await launchEditor({
      untrusted: true,
      machineSettings: {
        'midcourse.providers': { fake: { api: 'openai-chat', baseUrl: server.openAiBaseUrl } },
        'midcourse.model': 'fake/model',
      },
    });
    window = await editor.open({ folder: await editor.copyWorkspace('untrusted') });
  });
  after(async () => {
    await editor?.close();
    await server?.close();
  });

  it('can be chatted in, while no tool is offered and the chat says why', async () => {
    const { chat } = window;
    await chat.open();
    await chat.frame
      .getByText(/This workspace is not trusted, so tools are off/)
      .first()
      .waitFor();
    await chat.send('What can you do here?');
    const request = await server.nextRequest();
    const body = request.body as { readonly tools?: readonly unknown[]; readonly messages: readonly unknown[] };
    assert.deepEqual(body.tools ?? [], []);
    assert.match(JSON.stringify(body.messages[0]), /not trusted/);
    await request.closed;
  });

  it('runs no tool that the model calls all the same', async () => {
    server.script(
      { steps: [{ call: { name: 'terminal', input: { command: 'touch ran' } } }] },
      { steps: [{ text: 'It is off.' }] },
    );
    await window.chat.send('Run it anyway');
    await window.chat.frame.getByText('It is off.').first().waitFor();
    const ran = await window.run((vscode) => vscode.workspace.findFiles('ran').then((files) => files.length));
    assert.equal(ran, 0);
    window.problems.assertNone();
  });
});
