import assert from 'node:assert/strict';
import { AgentsRig, call, delegate, sent, WIRES } from './agents-rig.ts';

for (const wire of WIRES) {
  describe(`an agent in the foreground on the ${wire} wire`, () => {
    let agents: AgentsRig;

    beforeEach(async () => {
      agents = await AgentsRig.start(wire);
    });

    afterEach(async () => assert.deepEqual(await agents.close(), []));

    it('gets its task alone, and its report is the result of the call', async () => {
      agents.rig.write('a.txt', 'one\n');
      agents.script(
        'Look into it',
        { steps: [delegate('reader', 'Read a.txt.')] },
        { steps: [{ text: 'It says one.' }] },
      );
      agents.script(
        'Read a.txt.',
        { steps: [call('read_file', { path: 'a.txt' })] },
        { steps: [{ text: 'One line: one.' }] },
      );
      agents.session.send('Look into it');
      const result = await agents.session.settled();
      assert.equal(result.finalText, 'It says one.');
      const [told] = agents.results();
      assert.equal(told?.status, 'success');
      assert.match(told?.text ?? '', /^One line: one\.\n\n\[The agent "reader" finished after 2 requests\.\]$/);
      assert.doesNotMatch(sent(agents.requests('Read a.txt.')[0]), /Look into it/);
      assert.match(sent(agents.requests('Read a.txt.')[0]), /You are an agent under test/);
      assert.match(sent(agents.requests('Look into it')[1]), /One line: one/);
    });

    it('is known by its card, with its own transcript and what it did', async () => {
      agents.rig.write('a.txt', 'one\n');
      agents.script('Go', { steps: [delegate('reader', 'Read a.txt.')] });
      agents.script(
        'Read a.txt.',
        { steps: [call('read_file', { path: 'a.txt' })] },
        { steps: [{ text: 'One line.' }] },
      );
      agents.session.send('Go');
      await agents.session.settled();
      const row = agents.session.rows().find((one) => one.kind === 'tool_result');
      const [child] = agents.session.children();
      assert.ok(child && row);
      assert.equal(row.card?.childId, child.id);
      assert.deepEqual([child.callId, child.turnId], [row.callId, row.turnId]);
      assert.deepEqual([child.state, child.mode, child.requests], ['finished', 'foreground', 2]);
      assert.deepEqual(child.activity, ['Read a.txt', 'One line.']);
      const rows = await child.transcript();
      assert.deepEqual(
        rows.map((one) => one.kind),
        ['message', 'text', 'tool_result', 'text'],
      );
    });

    it('has the tools but those that are not for it, and does not delegate further', async () => {
      agents.script('Go', { steps: [delegate('one', 'Delegate this.')] });
      agents.script('Delegate this.', { steps: [delegate('two', 'Deeper.')] }, { steps: [{ text: 'I could not.' }] });
      agents.session.send('Go');
      await agents.session.settled();
      const [first, second] = agents.requests('Delegate this.');
      assert.match(sent(first), /"read_file"/);
      assert.doesNotMatch(sent(first), /"(delegate|ask_user|todo)"/);
      assert.match(sent(second), /There is no tool/);
      assert.deepEqual(agents.requests('Deeper.'), []);
    });

    it('that fails is an error with the reason', async () => {
      agents.script('Go', { steps: [delegate('one', 'Fail.')] });
      agents.script('Fail.', { status: 401, body: { error: { message: 'Wrong key', type: 'authentication_error' } } });
      agents.session.send('Go');
      const { exitReason } = await agents.session.settled();
      assert.equal(exitReason, 'answered');
      const [told] = agents.results();
      assert.equal(told?.status, 'error');
      assert.match(told?.text ?? '', /The agent "one" did not finish its task: .*key/);
      assert.equal(agents.child('one').state, 'failed');
    });

    it('ends at its own budget of requests, with what it did', async () => {
      agents.rig.settings = { ...agents.rig.settings, agents: { max: 3, requests: 2 } };
      agents.script('Go', { steps: [delegate('one', 'Loop.')] });
      const list = { steps: [call('list_files', {})] };
      agents.script('Loop.', list, list, { steps: [{ text: 'Listed twice; nothing is left.' }] });
      agents.session.send('Go');
      await agents.session.settled();
      assert.equal(agents.requests('Loop.').length, 3, 'the last one is for its last word');
      const [told] = agents.results();
      assert.equal(told?.status, 'error');
      assert.match(told?.text ?? '', /it had used up the requests that an agent may make/);
      assert.match(told?.text ?? '', /Listed twice; nothing is left\./);
    });
  });
}

describe('agents of one answer', () => {
  let agents: AgentsRig;
  const hold = (text: string) => ({ steps: [{ text }], holdHead: true });

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });

  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('work side by side, three at once, and a fourth waits for a place', async () => {
    const names = ['a', 'b', 'c', 'd'];
    agents.script('Go', { steps: names.map((name) => delegate(name, `Task ${name}`)) });
    for (const name of names) agents.script(`Task ${name}`, hold(`Report ${name}`));
    agents.session.send('Go');
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => agents.request(`Task ${name}`, 0)));
    await agents.childIs('d', 'waiting');
    assert.deepEqual(agents.requests('Task d'), []);
    assert.equal(agents.session.state, 'running');
    b?.release();
    const d = await agents.request('Task d', 0);
    assert.equal(agents.child('b').state, 'finished');
    for (const request of [a, c, d]) request?.release();
    await agents.session.settled();
    assert.deepEqual(
      agents.results().map(({ text }) => text.slice(0, 8)),
      ['Report a', 'Report b', 'Report c', 'Report d'],
    );
    assert.deepEqual(
      agents.session.children().map(({ name }) => name),
      names,
    );
  });

  it('begin as soon as more are allowed at once', async () => {
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 1, requests: 5 } };
    agents.script('Go', { steps: ['a', 'b'].map((name) => delegate(name, `Task ${name}`)) });
    for (const name of ['a', 'b']) agents.script(`Task ${name}`, hold(name));
    agents.session.send('Go');
    const a = await agents.request('Task a', 0);
    await agents.childIs('b', 'waiting');
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 2, requests: 5 } };
    agents.rig.agent.settingsChanged();
    const b = await agents.request('Task b', 0);
    for (const request of [a, b]) request.release();
    await agents.session.settled();
  });

  it('a place is free again when its agent was stopped while it came into it', async () => {
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 1, requests: 5 } };
    agents.script('Go', { steps: ['a', 'b', 'c'].map((name) => delegate(name, `Task ${name}`)) });
    agents.script('Task a', hold('A'));
    agents.session.send('Go');
    const a = await agents.request('Task a', 0);
    const b = agents.session.children().find(({ name }) => name === 'b');
    // The place of `a` goes to `b` in the same step in which `b` is stopped.
    agents.session.onDidEmit((told) => {
      if (told.type === 'child' && told.name === 'a' && told.state === 'finished') b?.stop();
    });
    a.release();
    await agents.request('Task c', 0);
    await agents.session.settled();
    assert.deepEqual(
      agents.results().map(({ status }) => status),
      ['success', 'stopped', 'success'],
    );
    assert.deepEqual(agents.requests('Task b'), []);
  });

  it('their tokens count for the session and are kept apart', async () => {
    agents.script(
      'Go',
      { steps: [delegate('a', 'Task a'), { usage: { input: 10, output: 1 } }] },
      { steps: [{ text: 'Done.' }, { usage: { input: 20, output: 2 } }] },
    );
    agents.script('Task a', { steps: [{ text: 'A' }, { usage: { input: 300, output: 30 } }] });
    agents.session.send('Go');
    const result = await agents.session.settled();
    assert.equal(result.usage.input, 30);
    assert.equal(agents.child('a').usage.input, 300);
    assert.equal(agents.session.usage.input, 330);
    assert.equal(agents.session.contextTokens, 22);
    assert.equal(agents.reopen().usage.input, 330);
    assert.equal(agents.child('a').usage.output, 30);
  });

  it('a long report is cut in the result and whole in the transcript', async () => {
    const long = `begin ${'x'.repeat(50_000)} end`;
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [{ text: long }] });
    agents.session.send('Go');
    await agents.session.settled();
    const [told] = agents.results();
    assert.ok((told?.text.length ?? 0) < 31_000);
    assert.match(told?.text ?? '', /^begin x+\n\[… 20010 characters left out.*\nx+ end\n\n\[The agent "a" finished/);
    const rows = (await agents.session.children()[0]?.transcript()) ?? [];
    assert.equal(rows.at(-1)?.displayText, long);
  });

  it('are read and ended by their id, and no other session is', async () => {
    const other = agents.rig.agent.create();
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [{ text: 'A' }], holdHead: true });
    agents.session.send('Go');
    await agents.request('Task a', 0);
    const { id } = agents.child('a');
    assert.equal(agents.session.childTranscript(other.id), undefined);
    assert.equal(agents.session.stopChild(other.id, 'stop_button'), undefined);
    assert.equal(agents.session.stopChild(id, 'stop_button')?.outcome, 'stopping');
    await agents.session.settled();
    const transcript = agents.session.childTranscript(id);
    const [row] = transcript?.rows({ limit: 1 }) ?? [];
    assert.equal(row?.displayText, 'Task a');
    assert.equal(transcript?.turnResult(row?.turnId ?? '')?.exitReason, 'interrupted_by_user');
    assert.equal(agents.reopen().stopChild(id, 'stop_button')?.outcome, 'nothing_running');
  });

  it('keep their sessions out of the lists, and go with the session', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.session.send('Go');
    await agents.session.settled();
    const { id } = agents.child('a');
    assert.deepEqual(
      agents.rig.agent.list().map((one) => one.id),
      [agents.session.id],
    );
    agents.rig.agent.delete(agents.session.id);
    assert.equal(agents.rig.store.get(id), undefined);
  });

  it('tell of what they do in few events', async () => {
    const reads = Array.from({ length: 30 }, (_, index) => call('read_file', { path: `missing-${index}.txt` }));
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: reads }, { steps: [{ text: 'None is there.' }] });
    agents.session.send('Go');
    await agents.session.settled();
    const told = agents.session.events(0).filter((one) => one.type === 'child');
    const close = told.filter((one, index) => {
      const before = told[index - 1];
      return before?.state === one.state && one.at - before.at < 190;
    });
    assert.deepEqual(close, []);
    assert.ok(told.length < reads.length);
    const { activity } = agents.child('a');
    assert.equal(activity.length, 8);
    assert.equal(activity.at(-1), 'None is there.');
  });
});
