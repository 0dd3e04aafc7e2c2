import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { agentText } from '../../../src/editor/agent-text.ts';
import { event, Rig } from './rig.ts';

/** The answer to the card; `stop` stops the turn while the command runs. */
const outcomes = [
  ['deny', 'echo one', 'denied', 'Not run: echo one'],
  ['once', 'echo one', 'success', 'Ran echo one'],
  ['once', 'exit 3', 'error', 'Ran exit 3'],
  ['stop', 'echo ready; sleep 60', 'stopped', 'Did not finish running echo ready; sleep 60'],
] as const;

describe('the words of a call in a session', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });

  afterEach(() => rig.close());

  for (const [how, command, status, words] of outcomes) {
    it(`J5e. follow its state in events, in the live view, on the card and in the transcript: ${status}`, async () => {
      rig.server.script(
        { steps: [{ call: { name: 'terminal', input: { command } } }] },
        { steps: [{ text: 'Done.' }] },
      );
      const session = rig.agent.create();
      const told: (string | undefined)[] = [];
      session.onDidEmit((seen) => {
        if (seen.type === 'tool') told.push(`${seen.state}: ${seen.label}`);
      });
      session.send('Run it');
      const { id } = await event(session, 'approval.opened');
      assert.equal(session.view()?.tools[0]?.label, `Run ${command}`);
      session.answer(id, how === 'deny' ? 'deny' : 'once');
      if (how === 'stop') {
        await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
        assert.equal(session.view()?.tools[0]?.label, `Running ${command}`);
        session.stop();
      }
      await session.settled();
      const row = session.rows().find(({ role }) => role === 'tool');
      assert.deepEqual([row?.status, row?.card?.label], [status, words]);
      assert.ok(told.includes(`approval: Run ${command}`), told.join('\n'));
      assert.ok(told.every((line) => line?.endsWith(` ${words}`) || !/: (?:Ran|Not run)/.test(line ?? '')));
      assert.match(agentText(session.rows()), new RegExp(`- ${words.slice(0, 12)}`));
    });
  }
});
