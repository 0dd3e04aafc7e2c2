import assert from 'node:assert/strict';
import { testIds } from '../../../src/protocol/test-ids.ts';
import { type Editor, launchEditor } from '../../harness/index.ts';
import { ModelServer } from '../../model-server/index.ts';
import { writeHostile } from '../../security/hostile-files.ts';
import { until } from '../until.ts';
import { type HostTurn, hostTurns, watchHostTurns } from './host-turns.ts';

/** Milliseconds that one turn of the host's event loop may take. */
const CONTRACT = 20;

/** Readings of the whole repository: a machine that does other work as well is slower, and one of them has to hold. */
const READINGS = 3;

for (const untrusted of [true, false]) {
  describe(`a hostile repository of 2,000 files in the real editor, ${untrusted ? 'untrusted' : 'trusted'}`, function () {
    this.timeout(600_000);
    let editor: Editor;
    let server: ModelServer;

    before(async () => {
      server = await ModelServer.start();
      editor = await launchEditor({
        untrusted,
        machineSettings: {
          'midcourse.providers': { fake: { api: 'openai-chat', baseUrl: server.openAiBaseUrl } },
          'midcourse.model': 'fake/model',
          'git.enabled': false,
        },
      });
    });
    after(async () => {
      await editor?.close();
      await server?.close();
    });

    it(`C7${untrusted ? 'a' : 'b'}. reading it and a turn in it keep no turn of the host’s event loop over 20 ms`, async () => {
      const folder = await editor.copyWorkspace('hostile');
      assert.ok((await writeHostile(folder, { each: 285 })) >= 2_000);
      const window = await editor.open({ folder });
      await window.chat.open();
      const take = async (words: string): Promise<void> => {
        server.script({ steps: [{ text: words }] });
        await window.chat.send('Look around');
        await window.chat.frame.getByText(words, { exact: true }).first().waitFor();
      };
      // Code that runs for the first time is loaded and compiled, with any repository.
      await take('Looked for the first time.');
      let shortest: HostTurn | undefined;
      for (let reading = 1; reading <= READINGS && !(shortest && shortest.ours <= CONTRACT); reading++) {
        await window.run(watchHostTurns);
        await until(async () => {
          const hooks = (await window.command('midcourse.refreshHooks')) as readonly unknown[];
          return hooks.length > 1_000;
        });
        // The list of commands reads instructions, skills, agents and prompts again.
        await window.page.keyboard.type('/');
        await window.chat.byId(testIds.slashMenu).waitFor();
        await window.page.keyboard.press('Escape');
        await window.page.keyboard.press('Backspace');
        await take(`Looked, reading ${reading}.`);
        const [longest] = await window.run(hostTurns, 1);
        assert.ok(longest, 'our code ran in no turn');
        if (!shortest || longest.ours < shortest.ours) shortest = longest;
      }
      assert.ok(shortest && shortest.ours <= CONTRACT, `${shortest?.ours} ms:\n${shortest?.where.join('\n')}`);
      await window.close();
    });
  });
}
