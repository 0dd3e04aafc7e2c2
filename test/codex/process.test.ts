import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCodexWire, type ModelPart } from '../../src/agent/model/index.ts';
import { event } from '../unit/turn/rig.ts';
import { COMMAND, CodexRig, card, processes, run, said } from './codex-rig.ts';

const request = {
  model: 'gpt-fake',
  system: 'S',
  messages: [{ role: 'user', text: 'Hi' }] as const,
  tools: [{ name: 'any', description: 'Stands for all.', inputSchema: { type: 'object' } }],
  cacheKey: 's1',
};

async function last(parts: AsyncIterable<ModelPart>): Promise<ModelPart | undefined> {
  let newest: ModelPart | undefined;
  for await (const part of parts) newest = part;
  return newest;
}

describe('the process of codex app-server', () => {
  it('that is not installed is named, with how to install it', async () => {
    const wire = createCodexWire({ command: join(tmpdir(), 'no-such-codex') });
    const part = await last(wire.stream(request, new AbortController().signal));
    assert.ok(part?.type === 'error');
    assert.match(part.error.message, /npm install -g @openai\/codex/);
    assert.match(part.error.message, /Your message is kept/);
    await wire.dispose();
  });

  it('that is not signed in says how to sign in, and is ended', async () => {
    const home = mkdtempSync(join(tmpdir(), 'midcourse-codex-'));
    writeFileSync(
      join(home, 'config.toml'),
      '[features]\nplugins = false\napps = false\n[analytics]\nenabled = false\n',
    );
    const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home };
    const wire = createCodexWire({ command: COMMAND, env });
    const part = await last(wire.stream(request, new AbortController().signal));
    assert.ok(part?.type === 'error');
    assert.equal(part.error.kind, 'auth');
    assert.match(part.error.message, /codex login/);
    assert.equal(wire.pid, undefined);
    await wire.dispose();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  describe('while it works', () => {
    let codex: CodexRig;

    beforeEach(async () => {
      codex = await CodexRig.start();
    });

    afterEach(() => codex.close());

    it('that ends in mid-answer is followed by another one, which goes on with the same thread', async () => {
      codex.server.script({ steps: [{ text: 'Begun' }, { pause: 'there' }] }, { steps: [{ text: 'Back.' }] });
      const session = codex.session();
      session.send('First');
      await event(session, 'delta', ({ text }) => text === 'Begun');
      process.kill(-(codex.wire.pid ?? 0), 'SIGKILL');
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      assert.match(result.finalText, /Begun\s*Back\./);
      const heard = said(await codex.server.request(1));
      assert.equal(heard.filter((line) => /user: First/.test(line)).length, 1);
    });

    it('that ends during a command takes the command along, and the turn goes on with another process', async () => {
      codex.server.script(
        { steps: [run('sleep 65.3 & while :; do echo up; sleep 0.2; done')] },
        { steps: [{ text: 'Back.' }] },
      );
      const session = codex.session();
      session.send('Run it');
      session.answer((await card(session)).id, 'once');
      await event(session, 'tool', ({ output }) => output?.includes('up') === true);
      process.kill(-(codex.wire.pid ?? 0), 'SIGKILL');
      const result = await session.settled();
      assert.equal(result.finalText, 'Back.');
      assert.deepEqual(processes('sleep 65.3'), []);
      const row = session.rows().find(({ role }) => role === 'tool');
      assert.equal(row?.status, 'error');
      assert.match(row?.displayText ?? '', /its end is not known: Codex ended first/);
      assert.ok(said(await codex.server.request(1)).includes('user: Run it'));
    });

    it('that does not react is ended, and says so', async () => {
      await codex.close();
      codex = await CodexRig.start({}, { patience: 8000 });
      codex.server.script({ steps: [{ text: 'One.' }] }, { steps: [{ text: 'Two.' }] });
      const session = codex.session();
      session.send('First');
      await session.settled();
      const { pid } = codex.wire;
      assert.ok(pid);
      process.kill(-pid, 'SIGSTOP');
      session.send('Second');
      const result = await session.settled();
      assert.match(result.error?.message ?? '', /did not react for 8 seconds/);
      session.send('Third');
      assert.equal((await session.settled()).finalText, 'Two.');
      const heard = said(await codex.server.request(1));
      assert.deepEqual(heard, ['user: First', 'assistant: One.', 'user: Second|Third']);
    });

    it('is gone with the wire, and so is what it runs', async () => {
      codex.server.script({ steps: [run('sleep 66.1 & while :; do echo up; sleep 0.2; done')] });
      const session = codex.session();
      session.send('Run it');
      session.answer((await card(session)).id, 'once');
      await event(session, 'tool', ({ output }) => output?.includes('up') === true);
      const { pid } = codex.wire;
      assert.ok(pid);
      await codex.wire.dispose();
      assert.deepEqual(processes('sleep 66.1'), []);
      assert.throws(() => process.kill(-pid, 0), /ESRCH/);
    });

    it('tells what its model refused in the words for every model', async () => {
      codex.server.script({ status: 429, body: { error: { type: 'usage_limit_reached', message: 'No more.' } } });
      const session = codex.session();
      session.send('Hi');
      const result = await session.settled();
      assert.equal(result.exitReason, 'model_error');
      assert.match(result.error?.message ?? '', /Codex/);
      assert.equal(codex.server.requests.length, 1);
    });
  });
});
