import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { responsesEvent } from '../model-server/responses-frames.ts';
import { CodexRig, card, said } from './codex-rig.ts';

/** A call of a tool of an MCP server stands in a namespace. */
const say = (words: string) => {
  const item = {
    type: 'function_call',
    id: 'fc_mcp',
    call_id: 'call_mcp',
    namespace: 'mcp__echo',
    name: 'say',
    arguments: JSON.stringify({ words }),
    status: 'completed',
  };
  return { raw: responsesEvent('response.output_item.done', { sequence_number: 2, output_index: 0, item }) };
};

describe('a tool of an MCP server that Codex uses', () => {
  let codex: CodexRig;

  before(async () => {
    const server = `[mcp_servers.echo]\ncommand = "${process.execPath}"\nargs = ["${resolve('test/codex/echo-mcp.ts')}"]\n`;
    codex = await CodexRig.start({}, {}, server);
  });

  beforeEach(() => codex.server.reset());

  after(() => codex.close());

  it('asks by a card, and is shown with its answer', async () => {
    codex.server.script({ steps: [say('hello')] }, { steps: [{ text: 'Said.' }] });
    const session = codex.session();
    session.send('Say hello');
    const approval = await card(session);
    assert.match(approval.summary, /echo/);
    session.answer(approval.id, 'once');
    assert.equal((await session.settled()).finalText, 'Said.');
    const results = session.rows().filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ displayText, card: shown }) => [displayText, shown?.label]),
      [['said {"words":"hello"}', 'Used say of echo']],
    );
    assert.match(said(await codex.server.request(1)).at(-1) ?? '', /said .*hello/);
  });

  it('does not run after a no', async () => {
    codex.server.script({ steps: [say('hello')] }, { steps: [{ text: 'Not said.' }] });
    const session = codex.session();
    session.send('Say hello');
    session.answer((await card(session)).id, 'deny');
    assert.equal((await session.settled()).finalText, 'Not said.');
    assert.doesNotMatch(said(await codex.server.request(1)).join('\n'), /said .*hello/);
  });
});
