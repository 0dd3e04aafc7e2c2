import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CodexRig, run } from '../codex/codex-rig.ts';
import { responsesEvent } from '../model-server/responses-frames.ts';

describe('hooks and the calls that Codex makes by itself', () => {
  let codex: CodexRig;
  before(async () => {
    codex = await CodexRig.start();
  });
  beforeEach(() => {
    codex.server.reset();
    codex.rig.hooks.set('pre_tool_call', () => ({ block: 'no commands here' }));
  });
  after(() => codex.close());

  it('F32. a hook refuses what Codex asks leave for; of what it does by itself, it is said that hooks cannot', async () => {
    const search = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'news' },
    };
    const searched = { sequence_number: 2, output_index: 0, item: search };
    codex.server.script(
      { steps: [run('touch never')] },
      { steps: [{ raw: responsesEvent('response.output_item.done', searched) }, { text: 'Done.' }] },
    );
    const session = codex.session();
    session.send('Look around');
    assert.equal((await session.settled()).finalText, 'Done.');
    assert.equal(existsSync(join(codex.rig.folder, 'never')), false);
    const [touched, found] = session.rows().filter(({ role }) => role === 'tool');
    assert.deepEqual([touched?.status, touched?.card?.blockedBy?.reason], ['blocked', 'no commands here']);
    assert.deepEqual([found?.status, found?.card?.blockedBy], ['success', undefined]);
    const notices = session.events(0).flatMap((one) => (one.type === 'notice' ? [one] : []));
    const late = notices.filter(({ kind }) => kind === 'hook_too_late');
    assert.equal(late.length, 1);
    assert.match(late[0]?.text ?? '', /The hook rig .*"Searching the web: news", but Codex made this call by itself/);
  });
});
