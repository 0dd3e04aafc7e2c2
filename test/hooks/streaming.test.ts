import assert from 'node:assert/strict';
import { nativeHook, type StreamEvent } from '../../src/agent/hooks/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import { hangs, managerRig, payloadOf } from '../unit/hooks/manager-rig.ts';
import { Rig } from '../unit/turn/rig.ts';

const of = { iteration: 1, provider: 'fake', surface: 'chat' } as const;

function delta(text: string, kind: 'text' | 'reasoning' = 'text', session = 's1'): HookPayload<'on_stream_delta'> {
  return payloadOf('on_stream_delta', { ...of, delta: text, kind }, session);
}

/** A consumer whose calls end when they are told to; `seen` is what it was given. */
function consumer(name: string) {
  const seen: string[] = [];
  const ends: (() => void)[] = [];
  const handle = (payload: HookPayload) => {
    seen.push((payload as HookPayload<'on_stream_delta'>).delta);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const hook = nativeHook({ id: name, event: 'on_stream_delta', name, source: { is: 'extension' }, handle });
  return {
    hook,
    seen,
    /** Ends the call that runs. */
    end: () => ends.shift()?.(),
    async has(count: number): Promise<readonly string[]> {
      while (seen.length < count) await new Promise(setImmediate);
      return seen;
    },
  };
}

/** A consumer whose calls are over at once. */
function quickConsumer(name: string, event: StreamEvent = 'on_stream_delta') {
  const seen: string[] = [];
  const handle = (payload: HookPayload) => {
    const { delta: text = '', text: message = '' } = payload as { delta?: string; text?: string };
    seen.push(text || message);
  };
  const hook = nativeHook({ id: name, event, name, source: { is: 'extension' }, handle });
  const has = async (count: number): Promise<readonly string[]> => {
    while (seen.length < count) await new Promise(setImmediate);
    return seen;
  };
  return { hook, seen, has };
}

/** Until everything that can happen without a clock has happened. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}

describe('hooks: streams', () => {
  it('41. a slow consumer does not keep a fast one from getting everything', async () => {
    const { manager } = managerRig();
    const [slow, fast] = [consumer('slow'), quickConsumer('fast')];
    manager.register(slow.hook);
    manager.register(fast.hook);
    const texts = Array.from({ length: 100 }, (_, index) => `d${index}`);
    for (const text of texts) manager.stream('on_stream_delta', delta(text));
    assert.deepEqual(await fast.has(100), texts);
    assert.deepEqual(slow.seen, ['d0']);
    slow.end();
    assert.deepEqual(await slow.has(2), ['d0', 'd1']);
  });

  it('41. nothing of a consumer runs in the tick of the token, and none of them holds it up', () => {
    const { manager } = managerRig();
    const { hook, seen } = quickConsumer('busy');
    manager.register(hook);
    manager.stream('on_stream_delta', delta('a'));
    assert.deepEqual(seen, []);
  });

  it('42. an event of more than 16 KiB is left out whole, and the next one arrives', async () => {
    const { manager, problems } = managerRig();
    const { hook, has } = quickConsumer('hook');
    manager.register(hook);
    manager.stream('on_stream_delta', delta('x'.repeat(17 * 1024)));
    manager.stream('on_stream_delta', delta('next'));
    assert.deepEqual(await has(1), ['next']);
    assert.equal(manager.dropped('hook'), 1);
    assert.match(problems[0]?.words ?? '', /more than 16 KiB was left out/);
  });

  it('the size of an event is that of its bytes, and what is no JSON is left out too', async () => {
    const { manager } = managerRig();
    const { hook, has } = quickConsumer('hook');
    manager.register(hook);
    manager.stream('on_stream_delta', delta('€'.repeat(6 * 1024)));
    const loop: { self?: unknown } = {};
    loop.self = loop;
    manager.stream('on_stream_delta', { ...delta('loop'), model: loop as unknown as string });
    manager.stream('on_stream_delta', delta('x'.repeat(15 * 1024)));
    assert.equal((await has(1))[0]?.length, 15 * 1024);
    assert.equal(manager.dropped('hook'), 2);
  });

  it('the oldest is dropped when 1,024 wait, which is counted and told once', async () => {
    const { manager, problems } = managerRig();
    const { hook, has, end, seen } = consumer('slow');
    manager.register(hook);
    manager.stream('on_stream_delta', delta('first'));
    await has(1);
    for (let index = 0; index < 1024 + 10; index++) manager.stream('on_stream_delta', delta(`d${index}`));
    assert.equal(manager.dropped('slow'), 10);
    end();
    await has(2);
    assert.deepEqual(seen, ['first', 'd10']);
    assert.equal(problems.length, 1);
  });

  it('43. tells no reasoning without the setting, and a change counts from the next stream on', async () => {
    let setting = false;
    const { manager } = managerRig({}, () => setting);
    const { hook, has } = quickConsumer('hook');
    manager.register(hook);
    const stream = (iteration: number, change: boolean) => {
      manager.stream('on_stream_start', payloadOf('on_stream_start', { ...of, iteration }));
      const tell = (text: string, kind: 'text' | 'reasoning') =>
        manager.stream('on_stream_delta', { ...delta(text, kind), iteration });
      tell(`text ${iteration}`, 'text');
      setting = change;
      tell(`thought ${iteration}`, 'reasoning');
    };
    stream(1, true);
    stream(2, false);
    stream(3, false);
    manager.stream('on_stream_delta', { ...delta('end'), iteration: 3 });
    assert.deepEqual(await has(5), ['text 1', 'text 2', 'thought 2', 'text 3', 'end']);
  });

  it('43. a hook of deltas alone has the loop tell of the start, which settles what it is told', () => {
    const { manager } = managerRig();
    assert.equal(manager.has('on_stream_start'), false);
    manager.register(quickConsumer('hook').hook);
    assert.equal(manager.has('on_stream_start'), true);
  });

  it('44. after an unload in a burst no call starts any more', async () => {
    const { manager } = managerRig();
    const { hook, has, end, seen } = consumer('hook');
    const registration = manager.register(hook);
    for (let index = 0; index < 50; index++) manager.stream('on_stream_delta', delta(`d${index}`));
    await has(1);
    registration.dispose();
    manager.stream('on_stream_delta', delta('late'));
    end();
    await quiet();
    assert.deepEqual(seen, ['d0']);
  });

  it('44. a burst that has not been begun when it is unloaded is not begun', async () => {
    const { manager } = managerRig();
    const { hook, seen } = quickConsumer('hook');
    const registration = manager.register(hook);
    for (let index = 0; index < 50; index++) manager.stream('on_stream_delta', delta(`d${index}`));
    registration.dispose();
    await quiet();
    assert.deepEqual(seen, []);
  });

  it('what waits for a hook that is loaded again goes to the new one', async () => {
    const { manager } = managerRig();
    const [before, after] = [consumer('hook'), quickConsumer('hook')];
    manager.replace('file', [before.hook]);
    for (const text of ['a', 'b', 'c']) manager.stream('on_stream_delta', delta(text));
    await before.has(1);
    manager.replace('file', [after.hook]);
    before.end();
    assert.deepEqual(await after.has(2), ['b', 'c']);
    assert.deepEqual(before.seen, ['a']);
  });

  it('the order within a hook is kept, also where the first calls take longer', async () => {
    const { manager } = managerRig();
    const seen: string[] = [];
    const handle = async (payload: HookPayload) => {
      const { delta: text } = payload as HookPayload<'on_stream_delta'>;
      for (let turns = text === 'a' ? 5 : 0; turns > 0; turns--) await new Promise(setImmediate);
      seen.push(text);
    };
    const source = { is: 'extension' } as const;
    manager.register(nativeHook({ id: 'h', event: 'on_stream_delta', name: 'h', source, handle }));
    for (const text of ['a', 'b', 'c']) manager.stream('on_stream_delta', delta(text));
    while (seen.length < 3) await new Promise(setImmediate);
    assert.deepEqual(seen, ['a', 'b', 'c']);
  });

  it('a hook of interim messages alone causes no work for streams', async () => {
    const { manager } = managerRig();
    const { hook, has } = quickConsumer('hook', 'on_interim_message');
    manager.register(hook);
    assert.deepEqual(
      (['on_stream_start', 'on_stream_delta', 'on_stream_end', 'on_interim_message'] as const).map((event) =>
        manager.has(event),
      ),
      [false, false, false, true],
    );
    const text = { ...of, text: 'Looking.', already_streamed: true, final: false };
    manager.stream('on_interim_message', payloadOf('on_interim_message', text));
    assert.deepEqual(await has(1), ['Looking.']);
  });

  it('46. a shutdown with a hung consumer returns in bounded time', async () => {
    const { manager, clock } = managerRig();
    const source = { is: 'extension' } as const;
    let started = false;
    const handle = () => {
      started = true;
      return hangs();
    };
    manager.register(nativeHook({ id: 'h', event: 'on_stream_delta', name: 'h', source, handle }));
    manager.stream('on_stream_delta', delta('a'));
    while (!started) await new Promise(setImmediate);
    const closed = manager.close();
    assert.ok(clock.running().includes(1000));
    clock.go(1000);
    await closed;
  });

  it('46. a shutdown lets a consumer have what waits for it', async () => {
    const { manager } = managerRig();
    const { hook, seen } = quickConsumer('hook');
    manager.register(hook);
    for (const text of ['a', 'b', 'c']) manager.stream('on_stream_delta', delta(text));
    await manager.close();
    assert.deepEqual(seen, ['a', 'b', 'c']);
    manager.stream('on_stream_delta', delta('late'));
    await quiet();
    assert.deepEqual(seen, ['a', 'b', 'c']);
  });

  it('47. each window’s consumer sees the streams of its own sessions, and each stream has its own setting', async () => {
    const windows = [true, false].map((reasoning) => {
      const { manager } = managerRig({}, () => reasoning);
      const { hook, has } = quickConsumer('hook');
      manager.register(hook);
      return { manager, has };
    });
    for (const [index, { manager }] of windows.entries()) {
      manager.stream('on_stream_delta', delta(`thought of ${index}`, 'reasoning', `s${index}`));
      manager.stream('on_stream_delta', delta(`text of ${index}`, 'text', `s${index}`));
    }
    assert.deepEqual(await windows[0]?.has(2), ['thought of 0', 'text of 0']);
    assert.deepEqual(await windows[1]?.has(1), ['text of 1']);
  });

  it('47. streams of two sessions at once are told apart', async () => {
    let setting = true;
    const { manager } = managerRig({}, () => setting);
    const { hook, has } = quickConsumer('hook');
    manager.register(hook);
    manager.stream('on_stream_start', payloadOf('on_stream_start', of, 'one'));
    setting = false;
    manager.stream('on_stream_start', payloadOf('on_stream_start', of, 'two'));
    manager.stream('on_stream_delta', delta('thought of one', 'reasoning', 'one'));
    manager.stream('on_stream_delta', delta('thought of two', 'reasoning', 'two'));
    manager.stream('on_stream_delta', delta('end', 'text', 'two'));
    assert.deepEqual(await has(2), ['thought of one', 'end']);
  });

  it('a consumer that fails is told of once, and gets the next', async () => {
    const { manager, problems } = managerRig();
    const seen: string[] = [];
    const handle = (payload: HookPayload) => {
      seen.push((payload as HookPayload<'on_stream_delta'>).delta);
      throw new Error('oh');
    };
    const source = { is: 'extension' } as const;
    manager.register(nativeHook({ id: 'h', event: 'on_stream_delta', name: 'h', source, handle }));
    for (const text of ['a', 'b', 'c']) manager.stream('on_stream_delta', delta(text));
    while (manager.runs('h').length < 3) await new Promise(setImmediate);
    assert.deepEqual([seen, problems.length], [['a', 'b', 'c'], 1]);
  });

  it('a consumer that hangs goes on with the next event after its limit', async () => {
    const { manager, clock } = managerRig();
    const { hook, has } = consumer('hook');
    manager.register(hook);
    for (const text of ['a', 'b']) manager.stream('on_stream_delta', delta(text));
    await has(1);
    clock.go(30_000);
    assert.deepEqual(await has(2), ['a', 'b']);
    assert.equal(manager.runs('hook')[0]?.outcome, 'timeout');
  });
});

describe('hooks: streams of a real turn', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });
  afterEach(() => rig.close());

  it('41. the answer comes and the turn ends while a consumer still hangs in its first delta', async () => {
    const [slow, fast] = [consumer('slow'), quickConsumer('fast')];
    rig.hooks.manager.register(slow.hook);
    rig.hooks.manager.register(fast.hook);
    rig.server.script({ steps: ['one ', 'two ', 'three'].map((text) => ({ text })) });
    const session = rig.agent.create();
    session.send('Go');
    const { finalText, completed } = await session.settled();
    assert.deepEqual([finalText, completed], ['one two three', true]);
    assert.deepEqual(await fast.has(3), ['one ', 'two ', 'three']);
    assert.deepEqual(await slow.has(1), ['one ']);
  });

  it('43. what the model thinks is told to nobody without the setting', async () => {
    const { hook, has } = quickConsumer('hook');
    rig.hooks.manager.register(hook);
    rig.server.script({ steps: [{ reasoning: 'Hm.' }, { text: 'Yes.' }] });
    const session = rig.agent.create();
    session.send('Go');
    await session.settled();
    assert.deepEqual(await has(1), ['Yes.']);
  });

  it('a hook of interim messages is told of the text beside a call and of the last one', async () => {
    const { hook, has } = quickConsumer('hook', 'on_interim_message');
    rig.hooks.manager.register(hook);
    rig.server.script(
      { steps: [{ text: 'Looking.' }, { call: { name: 'list_files', input: {} } }] },
      { steps: [{ text: 'Nothing there.' }] },
    );
    const session = rig.agent.create();
    session.send('Go');
    await session.settled();
    assert.deepEqual(await has(2), ['Looking.', 'Nothing there.']);
  });
});
