import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '../unit/turn/rig.ts';
import { CodexRig, card, patch, run, said } from './codex-rig.ts';

describe('a session on codex app-server', () => {
  let codex: CodexRig;

  before(async () => {
    codex = await CodexRig.start();
  });

  beforeEach(() => codex.server.reset());

  after(() => codex.close());

  afterEach(() => {
    assert.deepEqual(
      codex.server.requests.flatMap((request) => request.invalid ?? []),
      [],
    );
  });

  it('starts a thread and a turn, and shows reasoning and answer as they come', async () => {
    codex.server.script({ steps: [{ reasoning: 'Hm.' }, { text: 'Hello' }, { text: ' there.' }] });
    const session = codex.session();
    session.send('Hi');
    const result = await session.settled();
    assert.equal(result.finalText, 'Hello there.');
    const deltas = session.events(0).flatMap((one) => (one.type === 'delta' ? [[one.part, one.text]] : []));
    assert.deepEqual(deltas, [
      ['reasoning', 'Hm.'],
      ['text', 'Hello'],
      ['text', ' there.'],
    ]);
    assert.deepEqual(said(await codex.server.request(0)), ['user: Hi']);
  });

  it('asks by a card when Codex asks, runs after a yes, and shows output and exit code', async () => {
    codex.server.script(
      { steps: [{ text: 'I look.' }, run('echo one; sleep 0.3; echo two; exit 3')] },
      { steps: [{ text: 'It failed.' }] },
    );
    const session = codex.session();
    session.send('Run it');
    const approval = await card(session);
    assert.equal(approval.command, 'echo one; sleep 0.3; echo two; exit 3');
    assert.equal(codex.server.requests.length, 1);
    session.answer(approval.id, 'once');
    const result = await session.settled();
    assert.equal(result.finalText, 'It failed.');
    const row = session.rows().find(({ role }) => role === 'tool');
    assert.equal(row?.status, 'error');
    assert.equal(row?.displayText, 'one\ntwo\n[exit 3]');
    assert.equal(row?.card?.detail, 'exit 3');
    assert.match(said(await codex.server.request(1)).at(-1) ?? '', /exited with code 3[\s\S]*one\ntwo/);
  });

  it('tells Codex of a no, with its reason, and lets it go on', async () => {
    codex.server.script({ steps: [run('touch never')] }, { steps: [{ text: 'Then not.' }] });
    const session = codex.session();
    session.send('Touch it');
    session.answer((await card(session)).id, 'deny', 'not in this folder');
    const result = await session.settled();
    assert.equal(result.finalText, 'Then not.');
    assert.equal(existsSync(join(codex.rig.folder, 'never')), false);
    const heard = said(await codex.server.request(1));
    assert.ok(heard.some((line) => /output .*[Rr]ejected/.test(line)));
    assert.ok(heard.some((line) => /user: .*not in this folder/.test(line)));
  });

  it('shows an edit before it is made, and what it changed', async () => {
    codex.rig.write('a.txt', 'one\ntwo\n');
    codex.server.script(
      { steps: [patch(['*** Update File: a.txt', '@@', ' one', '-two', '+three'])] },
      { steps: [{ text: 'Done.' }] },
    );
    const session = codex.session();
    session.send('Edit it');
    const approval = await card(session);
    assert.equal(approval.summary, 'Edit a.txt');
    assert.deepEqual([approval.diff?.before, approval.diff?.after], ['one\ntwo\n', 'one\nthree\n']);
    session.answer(approval.id, 'once');
    await session.settled();
    const row = session.rows().find(({ role }) => role === 'tool');
    assert.equal(row?.status, 'success');
    assert.equal(row?.card?.detail, '+1 −1');
    assert.equal(row?.card?.diff?.after, 'one\nthree\n');
  });

  it('streams the output of a command while it runs', async () => {
    codex.server.script({ steps: [run('sleep 0.3; echo first; sleep 30; echo never-streamed')] });
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    await event(session, 'tool', ({ output }) => output?.includes('first') === true);
    session.stop();
    await session.settled();
  });
});
