import assert from 'node:assert/strict';
import { HookFailure, type HookRun, nativeHook } from '../../src/agent/hooks/index.ts';
import type { HookPayload, HookResult } from '../../src/hooks-api.ts';
import { callPayload, hangs, managerRig, never, payloadOf, testHook } from '../unit/hooks/manager-rig.ts';
import { Rig } from '../unit/turn/rig.ts';

describe('hooks: the dispatcher', () => {
  const guard = (name: string, handle: (payload: HookPayload) => unknown, timeout?: number) =>
    nativeHook({
      id: name,
      event: 'pre_tool_call',
      name,
      source: { is: 'extension' },
      handle,
      ...(timeout && { timeout }),
    });

  it('57. a hook that raises keeps no other from running, and one without an answer says nothing', async () => {
    const { manager, problems } = managerRig();
    const ran: string[] = [];
    const observer = (name: string, run: () => unknown) =>
      nativeHook({ id: name, event: 'pre_llm_call', name, source: { is: 'extension' }, handle: run });
    manager.register(
      observer('throws', () => {
        throw new Error('thrown');
      }),
    );
    manager.register(observer('rejects', () => Promise.reject(new Error('rejected'))));
    manager.register(observer('silent', () => void ran.push('silent')));
    manager.register(
      observer('null', () => {
        ran.push('null');
        return null;
      }),
    );
    manager.register(observer('speaks', () => ({ context: 'It rains.' })));
    const prompt = payloadOf('pre_llm_call', { user_message: '', kind: 'message', item_id: '', is_first_turn: true });
    assert.deepEqual(await manager.fire('pre_llm_call', prompt, never), { context: 'It rains.', contextBy: 'speaks' });
    assert.deepEqual(ran, ['silent', 'null']);
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['thrown', 'rejected'],
    );
  });

  it('58. of two answers of which the first is malformed the first valid one counts', async () => {
    const { manager, problems } = managerRig();
    manager.register(guard('empty', () => ({ block: '' }) satisfies HookResult));
    manager.register(guard('says why', () => ({ block: 'no secrets' }) satisfies HookResult));
    const { block } = await manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual([block?.by, block?.reason], ['says why', 'no secrets']);
    assert.match(problems[0]?.words ?? '', /empty.*block/);
  });

  it('58. a request to ask the user needs no message', async () => {
    const { manager } = managerRig();
    manager.register(guard('asks', () => ({ ask: '' }) satisfies HookResult));
    const { ask, block } = await manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual([ask?.by, block], ['asks', undefined]);
  });

  it('58. a guard that raises blocks the call, and the model is told why', async () => {
    const { manager } = managerRig();
    manager.register(
      guard('broken', () => {
        throw new Error('no such table');
      }),
    );
    const { block } = await manager.fire('pre_tool_call', callPayload, never);
    assert.equal(block?.by, 'broken');
    assert.match(block?.modelText ?? '', /was not run.*broken.*no such table/);
  });

  it('F26. a hook that hangs holds up the loop no longer than its own limit', async () => {
    const { manager, clock, problems } = managerRig();
    manager.register(guard('hangs', hangs, 2000));
    const transforms = nativeHook({
      id: 'transforms',
      event: 'transform_llm_output',
      name: 'transforms',
      source: { is: 'extension' },
      handle: hangs,
    });
    manager.register(transforms);
    const call = manager.fire('pre_tool_call', callPayload, never);
    const text = manager.fire('transform_llm_output', payloadOf('transform_llm_output', { response_text: '' }), never);
    clock.go(2000);
    assert.match((await call).block?.reason ?? '', /longer than 2 s/);
    clock.go(28_000);
    assert.deepEqual(await text, {});
    assert.deepEqual(
      ['hangs', 'transforms'].flatMap((id) => manager.runs(id).map(({ outcome }) => outcome)),
      ['timeout', 'timeout'],
    );
    assert.deepEqual(
      problems.map(({ kind }) => kind),
      ['timeout', 'timeout'],
    );
  });

  it('F26. a hook of a stopped turn has one second, and no more than three when it asks for them', async () => {
    const { manager, clock } = managerRig();
    const stopped = payloadOf('agent_loop_stopped', {
      reason: 'user_stop',
      invalidation_reason: 'stop_button',
      phase: 'tool',
      had_partial_text: false,
      open_tool_calls: 0,
    });
    for (const [name, timeout] of [
      ['unasked', 0],
      ['asks', 60_000],
    ] as const) {
      const source = { is: 'extension' } as const;
      manager.register(nativeHook({ id: name, event: 'agent_loop_stopped', name, source, timeout, handle: hangs }));
    }
    const fired = manager.fire('agent_loop_stopped', stopped, never);
    assert.deepEqual(clock.running(), [1000, 3000]);
    clock.go(3000);
    assert.deepEqual(await fired, {});
  });

  for (const calls of [2, 50]) {
    it(`F27. ${calls} calls at once of one hook are not taken for a hang: each is answered for itself`, async () => {
      const { manager, problems } = managerRig();
      const answers = new Map<string, () => void>();
      const handle = (payload: HookPayload) =>
        new Promise<HookResult | undefined>((resolve) => {
          const { tool_call_id: id } = payload as HookPayload<'pre_tool_call'>;
          answers.set(id, () => resolve(id === 'c1' ? { block: 'only this one' } : undefined));
        });
      manager.register(guard('slow', handle));
      const fired = Array.from({ length: calls }, (_, index) =>
        manager.fire('pre_tool_call', { ...callPayload, tool_call_id: `c${index}` }, never),
      );
      await Promise.resolve();
      assert.equal(answers.size, calls);
      for (const answer of [...answers.values()].reverse()) answer();
      const blocked = (await Promise.all(fired)).map(({ block }) => block?.reason);
      assert.deepEqual(
        blocked,
        Array.from({ length: calls }, (_, index) => (index === 1 ? 'only this one' : undefined)),
      );
      assert.deepEqual(problems, []);
    });
  }

  it('F27. a hook that took too long is asked again at the next call', async () => {
    const { manager, clock } = managerRig();
    let asked = 0;
    manager.register(guard('slow once', () => (asked++ === 0 ? hangs() : undefined), 1000));
    const first = manager.fire('pre_tool_call', callPayload, never);
    await Promise.resolve();
    clock.go(1000);
    assert.ok((await first).block);
    assert.deepEqual(await manager.fire('pre_tool_call', callPayload, never), {});
    assert.equal(asked, 2);
  });

  it('F28. a limit that a process or a plugin keeps by itself is never cut by the one outside of it', async () => {
    const { manager, clock } = managerRig();
    const source = { is: 'file', scope: 'user', path: '/hooks.json' } as const;
    let end = (_: Error) => {};
    const run = () => new Promise<never>((_, reject) => (end = reject));
    const timeout = 3_600_000;
    const hook = testHook({ event: 'pre_verify', kind: 'command', source, dialect: 'claude', answers: true, timeout });
    manager.register({ ...hook, run });
    const verify = payloadOf('pre_verify', { attempt: 0, final_response: '', changed_paths: [] });
    const fired = manager.fire('pre_verify', verify, never);
    clock.go(timeout + 100);
    assert.deepEqual(manager.runs('hook'), []);
    end(new HookFailure('timeout', 'It took longer than 3600 s and was ended.', { stderr: 'almost done' }));
    assert.deepEqual(await fired, {});
    assert.deepEqual(
      manager.runs('hook').map(({ outcome, stderr }) => [outcome, stderr]),
      [['timeout', 'almost done']],
    );
  });

  it('F28. an answer that comes within the hook’s own limit counts, however long that is', async () => {
    const { manager, clock } = managerRig();
    let answer = (_: HookResult) => {};
    const handle = () => new Promise<HookResult>((resolve) => (answer = resolve));
    manager.register(
      nativeHook({
        id: 'tests',
        event: 'pre_verify',
        name: 'tests',
        source: { is: 'extension' },
        timeout: 600_000,
        handle,
      }),
    );
    const verify = payloadOf('pre_verify', { attempt: 0, final_response: '', changed_paths: [] });
    const fired = manager.fire('pre_verify', verify, never);
    await Promise.resolve();
    clock.go(599_000);
    answer({ go_on: 'One test fails.' });
    assert.equal((await fired).goOn?.text, 'One test fails.');
  });

  it('F28. a limit that no timer could keep does not end the hook at once', async () => {
    const { manager, clock } = managerRig();
    manager.register(testHook({ event: 'pre_verify', timeout: 1e12, run: hangs }));
    const verify = payloadOf('pre_verify', { attempt: 0, final_response: '', changed_paths: [] });
    void manager.fire('pre_verify', verify, never);
    assert.deepEqual(clock.running(), [2 ** 31 - 1]);
  });
});

describe('hooks: the dispatcher in a real turn', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });
  afterEach(() => rig.close());
  const extension = { is: 'extension' } as const;

  it('F26. a turn goes on when a guard hangs: the call is refused, and the model reads why', async () => {
    const guard = { id: 'g', event: 'pre_tool_call', name: 'the guard', source: extension } as const;
    rig.hooks.manager.register(nativeHook({ ...guard, timeout: 50, handle: hangs }));
    rig.server.script({ steps: [{ call: { name: 'list_files', input: {} } }] }, { steps: [{ text: 'Then not.' }] });
    const session = rig.agent.create();
    session.send('Go');
    assert.equal((await session.settled()).finalText, 'Then not.');
    assert.match(JSON.stringify(rig.server.requests[1]?.body), /the guard.*could not decide.*longer than 50 ms/);
  });

  it('F26. a stop does not wait for a guard that hangs', async () => {
    let reached = () => {};
    const asked = new Promise<void>((resolve) => (reached = resolve));
    const handle = () => {
      reached();
      return hangs();
    };
    const guard = { id: 'g', event: 'pre_tool_call', name: 'the guard', source: extension } as const;
    rig.hooks.manager.register(nativeHook({ ...guard, timeout: 600_000, handle }));
    rig.server.script({ steps: [{ call: { name: 'list_files', input: {} } }] });
    const ran = new Promise<HookRun>((resolve) => rig.hooks.manager.onDidRun(resolve));
    const session = rig.agent.create();
    session.send('Go');
    await asked;
    session.stop();
    assert.equal(session.state, 'idle');
    assert.equal((await session.settled()).interrupted, true);
    assert.equal((await ran).outcome, 'cancelled');
  });

  it('57. a turn whose every hook throws goes as it would without them, and each is named once', async () => {
    const events = [
      'on_session_start',
      'pre_llm_call',
      'post_tool_call',
      'transform_tool_result',
      'pre_verify',
    ] as const;
    for (const event of [...events, 'post_llm_call', 'on_session_end'] as const) {
      const handle = () => {
        throw new Error(`no ${event}`);
      };
      rig.hooks.manager.register(nativeHook({ id: event, event, name: 'thrower', source: extension, handle }));
    }
    rig.server.script({ steps: [{ call: { name: 'list_files', input: {} } }] }, { steps: [{ text: 'Done.' }] });
    const session = rig.agent.create();
    session.send('Go');
    assert.equal((await session.settled()).finalText, 'Done.');
    const told = events.filter((event) => rig.hooks.problems.some((words) => words.includes(`no ${event}`)));
    assert.deepEqual(
      told,
      events.filter((event) => event !== 'pre_verify'),
    );
    assert.equal(new Set(rig.hooks.problems).size, rig.hooks.problems.length);
  });
});
