import assert from 'node:assert/strict';
import { type LiveSession, type Rig, startRig } from '../unit/plugins/plugged-rig.ts';
import { isAlive, type PluginRig } from '../unit/plugins/plugin-rig.ts';
import { event } from '../unit/turn/rig.ts';

describe('hooks: plugins that do harm', () => {
  let loop: Rig;
  let rig: PluginRig;
  let session: LiveSession;
  beforeEach(async () => {
    ({ loop, rig, session } = await startRig());
  });
  afterEach(async () => {
    await rig.close();
    await loop.close();
  });

  const listsFiles = { steps: [{ call: { name: 'list_files', input: {} } }] };
  const says = (text: string) => ({ steps: [{ text }] });
  /** What the user is told of the plugin itself, and of its hooks. */
  const told = () => [...rig.problems.map(({ plugin, words }) => `${plugin}: ${words}`), ...loop.hooks.problems];

  async function turn(): Promise<string> {
    session.send('Go');
    const { finalText } = await session.settled();
    return finalText;
  }

  it('that loops for ever in a guard: the call is blocked, the turn goes on, the process is ended and named', async () => {
    rig.copy('loops');
    await rig.load();
    const pid = Number(rig.pid('loops'));
    loop.server.script(listsFiles, says('Then not.'));
    assert.equal(await turn(), 'Then not.');
    assert.match(JSON.stringify(loop.server.requests[1]?.body), /was not run.*loops/);
    await rig.until(() => rig.problems.length > 0);
    assert.ok(
      told().some((words) => words.startsWith('loops: It was blocked')),
      told().join('\n'),
    );
    assert.ok(!isAlive(pid));
  });

  it('that loops for ever in a guard: a stop ends the turn in the same tick', async () => {
    rig.copy('loops');
    await rig.load();
    loop.server.script(listsFiles);
    session.send('Go');
    await event(session, 'state', ({ state, phase }) => state === 'running' && phase === 'hook');
    session.stop();
    assert.equal(session.state, 'idle');
    assert.equal((await session.settled()).interrupted, true);
    await rig.until(() => rig.problems.length > 0);
    assert.ok(
      told().some((words) => words.startsWith('loops: It was blocked')),
      told().join('\n'),
    );
    rig.disabled.add('loops');
    await rig.plugins.refresh();
    loop.server.script(says('Here.'));
    assert.equal(await turn(), 'Here.');
  });

  it('that throws in every hook: the turn is as without it, and each is named once', async () => {
    rig.copy('throws');
    await rig.load();
    for (const text of ['One.', 'Two.']) {
      loop.server.script(listsFiles, says(text));
      assert.equal(await turn(), text);
    }
    assert.ok(told().some((words) => /throws: Nobody caught.*thrown past everybody/s.test(words)));
    const ofPrompts = told().filter((words) => words.includes('thrown in pre_llm_call'));
    assert.equal(ofPrompts.length, 1, told().join('\n'));
    assert.match(ofPrompts[0] ?? '', /throws/);
    assert.ok(told().some((words) => words.includes('rejected in pre_tool_call')));
    assert.equal(rig.of('throws').process?.is, 'running');
  });

  it('that eats memory: it is ended at its limit and named, and the turn goes on', async () => {
    rig.settings = { ...rig.settings, memory: 32 };
    rig.copy('eats-memory');
    await rig.load();
    loop.server.script(says('Here.'));
    assert.equal(await turn(), 'Here.');
    assert.match(told()[0] ?? '', /^eats-memory: It needed more than the 32 MB/);
  });

  it('that takes memory outside of the heap: it is ended and named too', async () => {
    rig.settings = { ...rig.settings, memory: 32 };
    const eats = 'const kept = []; for (;;) kept.push(Buffer.alloc(8_000_000, 1));';
    rig.code('buffers', `ctx.registerHook('pre_llm_call', () => { ${eats} });`);
    await rig.load();
    loop.server.script(says('Here.'));
    assert.equal(await turn(), 'Here.');
    assert.match(told()[0] ?? '', /^buffers: It needed far more than the 32 MB/);
  });

  it('that floods: it is ended and named, and the turn goes on', async () => {
    rig.copy('floods');
    await rig.load();
    loop.server.script(says('Here.'));
    assert.equal(await turn(), 'Here.');
    assert.match(told()[0] ?? '', /^floods: It sent thousands of messages/);
  });

  for (const [name, words] of [
    ['exits', /^exits: It ended itself with exit code 7/],
    ['aborts', /^aborts: It crashed/],
  ] as const) {
    it(`that ${name}: it is named, the turn goes on, and after three times it is not started again`, async () => {
      rig.copy(name);
      await rig.load();
      for (const text of ['One.', 'Two.', 'Three.']) {
        loop.server.script(says(text));
        assert.equal(await turn(), text);
      }
      assert.match(told()[0] ?? '', words);
      assert.match(rig.state(name), /^broken: .*third time in a row/);
      assert.ok(rig.problems.some(({ isOver }) => isOver));
      assert.equal(loop.hooks.has('pre_llm_call'), false);
      await rig.plugins.reload(name);
      assert.equal(rig.state(name), 'active');
    });
  }
});
