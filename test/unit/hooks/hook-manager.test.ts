import assert from 'node:assert/strict';
import { HookFailure, type HookRun, nativeHook } from '../../../src/agent/hooks/index.ts';
import { callPayload, hangs, managerRig, never, payloadOf, testHook } from './manager-rig.ts';

const ended = payloadOf('on_session_end', { completed: true, interrupted: false, failed: false, turn_exit_reason: '' });
const result = payloadOf('post_tool_call', {
  tool_call_id: 'c1',
  tool_name: 'terminal',
  tool_input: {},
  tool_result: 'done',
  status: 'success',
  duration_ms: 1,
});

describe('the dispatcher of hooks', () => {
  it('knows which events have a hook, and which of them answer', () => {
    const { manager } = managerRig();
    const first = manager.register(testHook({ event: 'post_tool_call' }));
    assert.deepEqual([manager.has('post_tool_call'), manager.answers('post_tool_call')], [true, false]);
    manager.register(testHook({ event: 'post_tool_call', id: 'claude', dialect: 'claude', answers: true }));
    assert.equal(manager.answers('post_tool_call'), true);
    assert.equal(
      manager.answers('post_tool_call', ({ dialect }) => dialect === 'midcourse'),
      false,
    );
    first.dispose();
    first.dispose();
    assert.deepEqual(
      manager.list().map(({ id }) => id),
      ['claude'],
    );
    assert.equal(manager.has('pre_tool_call'), false);
  });

  it('hears code first, then files of the user, the workspace and plugins, then webhooks', () => {
    const { manager } = managerRig();
    const event = 'post_llm_call';
    manager.replace('webhooks', [testHook({ event, id: 'webhook', kind: 'webhook', source: { is: 'webhook' } })]);
    const plugin = { is: 'plugin', plugin: 'p' } as const;
    manager.replace('p', [
      testHook({ event, id: 'plugin file', kind: 'command', source: plugin }),
      testHook({ event, id: 'plugin code', source: plugin }),
    ]);
    for (const scope of ['workspace', 'user'] as const) {
      const source = { is: 'file', scope, path: `/${scope}` } as const;
      manager.replace(`/${scope}`, [testHook({ event, id: scope, kind: 'command', source })]);
    }
    assert.deepEqual(
      manager.list().map(({ id }) => id),
      ['plugin code', 'user', 'workspace', 'plugin file', 'webhook'],
    );
  });

  it('swaps the hooks of an owner at once, and tells of it', () => {
    const { manager } = managerRig();
    const seen: string[] = [];
    manager.onDidChange(() =>
      seen.push(
        manager
          .list()
          .map(({ id }) => id)
          .join(),
      ),
    );
    manager.replace('file', [testHook({ event: 'pre_tool_call', id: 'a' })]);
    manager.replace('other', [testHook({ event: 'pre_tool_call', id: 'z' })]);
    manager.replace('file', [testHook({ event: 'pre_tool_call', id: 'b' })]);
    assert.deepEqual(seen, ['a', 'a,z', 'b,z']);
  });

  it('starts all hooks of an event in the tick in which it fires', async () => {
    const { manager } = managerRig();
    const started: string[] = [];
    for (const name of ['a', 'b']) {
      const run = () => {
        started.push(name);
        return hangs();
      };
      manager.register(testHook({ event: 'pre_tool_call', name, answers: true, run }));
    }
    void manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual(started, ['a', 'b']);
    assert.deepEqual(manager.waitingFor('s1'), ['a', 'b']);
    assert.deepEqual(manager.waitingFor('s2'), []);
  });

  it('runs only the hooks that match, and those alone that were asked for', async () => {
    const { manager } = managerRig();
    const ran: string[] = [];
    const run = (name: string) => async () => {
      ran.push(name);
      return { answer: {} };
    };
    manager.register(testHook({ event: 'pre_tool_call', name: 'no', matches: () => false, run: run('no') }));
    manager.register(testHook({ event: 'pre_tool_call', name: 'own', run: run('own') }));
    manager.register(testHook({ event: 'pre_tool_call', name: 'claude', dialect: 'claude', run: run('claude') }));
    await manager.fire('pre_tool_call', callPayload, never, ({ dialect }) => dialect === 'claude');
    assert.deepEqual(ran, ['claude']);
  });

  it('gives each hook a payload of its own that nobody can change, deep down', async () => {
    const { manager, problems } = managerRig();
    const handle = (payload: unknown) => {
      const { tool_input } = payload as { tool_input: { command: string } };
      tool_input.command = 'rm';
    };
    const source = { is: 'extension' } as const;
    manager.register(nativeHook({ id: 'h', event: 'pre_tool_call', name: 'h', source, failClosed: false, handle }));
    await manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual(callPayload.tool_input, { command: 'ls', timeout: 5 });
    assert.equal(problems.length, 1);
  });

  it('answers a stop at once, ends the hooks whose answer it waited for, and lets observers go on', async () => {
    const { manager } = managerRig();
    const signals: AbortSignal[] = [];
    const run = (_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return hangs();
    };
    manager.register(testHook({ event: 'pre_tool_call', name: 'guard', answers: true, failClosed: true, run }));
    manager.register(testHook({ event: 'pre_tool_call', name: 'watch', run }));
    const stop = new AbortController();
    const fired = manager.fire('pre_tool_call', callPayload, stop.signal);
    stop.abort();
    assert.deepEqual(await fired, {});
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
    assert.deepEqual(
      manager.runs('guard').map(({ outcome }) => outcome),
      ['cancelled'],
    );
    assert.deepEqual(manager.waitingFor('s1'), []);
  });

  it('goes on with what was told of something that happened, whatever is stopped', async () => {
    const { manager } = managerRig();
    let told: AbortSignal | undefined;
    const run = async (_: unknown, signal: AbortSignal) => {
      told = signal;
      return { answer: {} };
    };
    manager.register(testHook({ event: 'post_tool_call', answers: true, run }));
    manager.register(testHook({ event: 'pre_tool_call', id: 'pre', answers: true, run: hangs }));
    const aborted = AbortSignal.abort();
    await manager.fire('post_tool_call', result, aborted);
    assert.equal(told?.aborted, false);
    assert.deepEqual(await manager.fire('pre_tool_call', callPayload, aborted), {});
    assert.deepEqual(manager.runs('pre'), []);
  });

  it('waits for nobody any more after a stop, also where a hook goes on by itself', async () => {
    const { manager } = managerRig();
    manager.register(testHook({ event: 'post_tool_call', name: 'format', answers: true, run: hangs }));
    const stop = new AbortController();
    const fired = manager.ask('post_tool_call', result, stop.signal);
    assert.deepEqual(manager.waitingFor('s1'), ['format']);
    stop.abort();
    await fired;
    assert.deepEqual(manager.waitingFor('s1'), []);
  });

  it('does not wait for observers where it only asks', async () => {
    const { manager } = managerRig();
    manager.register(testHook({ event: 'post_tool_call', name: 'slow', run: hangs }));
    const run = async () => ({ answer: { context: 'see' } });
    manager.register(testHook({ event: 'post_tool_call', name: 'quick', answers: true, run }));
    const answer = await manager.ask('post_tool_call', result, never);
    assert.deepEqual([answer.context, answer.contextBy], ['see', 'quick']);
  });

  it('does not hear an observer', async () => {
    const { manager } = managerRig();
    const run = async () => ({ answer: { context: 'see' } });
    manager.register(testHook({ event: 'post_tool_call', run }));
    assert.deepEqual(await manager.fire('post_tool_call', result, never), {});
    assert.match(manager.runs('hook')[0]?.decided ?? '', /^nothing: an answer does not count/);
  });

  it('blocks the call when a guard that fails closed is unloaded while it decides', async () => {
    const { manager } = managerRig();
    const guard = testHook({ event: 'pre_tool_call', answers: true, failClosed: true, run: hangs });
    const registration = manager.register(guard);
    const fired = manager.fire('pre_tool_call', callPayload, never);
    registration.dispose();
    assert.match((await fired).block?.reason ?? '', /unloaded/);
  });

  it('lets a run go on when its definition is loaded again', async () => {
    const { manager } = managerRig();
    let answer = (_: { answer: object }) => {};
    const run = () => new Promise<{ answer: object }>((resolve) => (answer = resolve));
    const hook = testHook({ event: 'pre_llm_call', answers: true, run });
    manager.replace('file', [hook]);
    const prompt = payloadOf('pre_llm_call', { user_message: '', kind: 'message', item_id: '', is_first_turn: true });
    const fired = manager.fire('pre_llm_call', prompt, never);
    manager.replace('file', [{ ...hook }]);
    answer({ answer: { context: 'kept' } });
    assert.equal((await fired).context, 'kept');
  });

  it('runs nothing while hooks are switched off', async () => {
    const { manager } = managerRig();
    manager.register(testHook({ event: 'on_session_end' }));
    manager.enabled = false;
    assert.equal(manager.has('on_session_end'), false);
    await manager.fire('on_session_end', ended, never);
    assert.deepEqual(manager.runs('hook'), []);
    manager.enabled = true;
    assert.equal(manager.has('on_session_end'), true);
  });

  it('keeps the newest 20 runs of a hook, newest first, with at most 10,000 characters of each output', async () => {
    const { manager, clock } = managerRig();
    const run = async () => ({ answer: {}, exitCode: 0, stdout: 'x'.repeat(20_000), stderr: 'y'.repeat(20_000) });
    manager.register(testHook({ event: 'on_session_end', kind: 'command', run }));
    for (let turn = 0; turn < 25; turn++) {
      clock.go(1);
      await manager.fire('on_session_end', ended, never);
    }
    const runs = manager.runs('hook');
    assert.equal(runs.length, 20);
    assert.ok((runs[0]?.startedAt ?? 0) > (runs[1]?.startedAt ?? 0));
    assert.deepEqual([runs[0]?.stdout?.length, runs[0]?.stderr?.length, runs[0]?.exitCode], [10_000, 10_000, 0]);
  });

  it('forgets the runs of a hook that is gone', async () => {
    const { manager } = managerRig();
    const registration = manager.register(testHook({ event: 'on_session_end' }));
    await manager.fire('on_session_end', ended, never);
    assert.equal(manager.runs('hook').length, 1);
    registration.dispose();
    assert.deepEqual(manager.runs('hook'), []);
  });

  it('gives every run one outcome, with what its process said before it failed', async () => {
    const { manager } = managerRig();
    const outcomes: HookRun[] = [];
    manager.onDidRun((run) => outcomes.push(run));
    const failure = new HookFailure('exit', 'It ended with exit code 3.', { exitCode: 3, stderr: 'oh' });
    manager.register(testHook({ event: 'on_session_end', name: 'fails', run: () => Promise.reject(failure) }));
    manager.register(testHook({ event: 'on_session_end', name: 'works' }));
    await manager.fire('on_session_end', ended, never);
    const [fails, works] = ['fails', 'works'].map((id) => outcomes.filter(({ hookId }) => hookId === id));
    assert.equal(outcomes.length, 2);
    assert.deepEqual(
      fails?.map(({ outcome, exitCode, stderr, problem }) => [outcome, exitCode, stderr, problem]),
      [['failed', 3, 'oh', 'It ended with exit code 3.']],
    );
    assert.deepEqual([works?.[0]?.outcome, works?.[0]?.decided], ['ok', 'nothing']);
  });

  it('tells of each distinct problem once, in words that say what it means, and then only logs it', async () => {
    const { manager, problems, logged } = managerRig();
    let words = 'first';
    const run = () => Promise.reject(new Error(words));
    manager.register(testHook({ event: 'pre_tool_call', name: 'guard', answers: true, failClosed: true, run }));
    for (words of ['first', 'first', 'second', 'first']) await manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['first', 'second'],
    );
    assert.match(problems[0]?.words ?? '', /guard.*pre_tool_call.*failed: first.*The call was blocked/);
    assert.equal(logged.length, 2);
  });

  it('passes on what a hook says to the user, and what was wrong with its answer', async () => {
    const { manager, problems } = managerRig();
    const said: string[] = [];
    manager.onDidSay(({ hook, sessionId, message }) => said.push(`${hook.name} ${sessionId} ${message}`));
    const run = async () => ({ answer: {}, message: 'Well done.', warnings: ['It has no use for x.'] });
    manager.register(testHook({ event: 'on_session_end', run }));
    await manager.fire('on_session_end', ended, never);
    assert.deepEqual(said, ['hook s1 Well done.']);
    assert.deepEqual(
      problems.map(({ kind }) => kind),
      ['warning'],
    );
  });

  it('passes on no more of it than people can read', async () => {
    const { manager, problems } = managerRig();
    const said: number[] = [];
    manager.onDidSay(({ message }) => said.push(message.length));
    const warnings = Array.from({ length: 5000 }, (_, field) => `f${field} is not known. ${'x'.repeat(2000)}`);
    const run = async () => ({ answer: {}, message: 'x'.repeat(100_000), warnings });
    manager.register(testHook({ event: 'on_session_end', run }));
    await manager.fire('on_session_end', ended, never);
    assert.deepEqual(said, [10_000]);
    assert.deepEqual([problems.length, problems[0]?.message.length], [11, 1000]);
    assert.equal(problems.at(-1)?.message, 'There is more of this kind (4990).');
    assert.equal(manager.runs('hook')[0]?.warnings?.length, 11);
  });

  it('takes whatever is thrown for a failure, also what has no words or too many', async () => {
    const { manager, problems } = managerRig();
    const thrown: unknown[] = [
      Object.create(null),
      { toString: () => ({}) },
      new Error('x'.repeat(100_000)),
      undefined,
    ];
    for (const [at, what] of thrown.entries()) {
      const run = () => Promise.reject(what);
      manager.register(testHook({ event: 'pre_tool_call', name: `guard ${at}`, answers: true, failClosed: true, run }));
    }
    const { block } = await manager.fire('pre_tool_call', callPayload, never);
    assert.match(block?.reason ?? '', /could not decide\. It failed with something that has no words/);
    assert.deepEqual(
      problems.map(({ message }) => message.length),
      [43, 43, 2000, 9],
    );
  });

  it('shows a run whose work goes on when that is over', async () => {
    const { manager, problems } = managerRig();
    let fail = (_: Error) => {};
    const later = new Promise<never>((_, reject) => (fail = reject));
    const ran = new Promise<HookRun>((resolve) => manager.onDidRun(resolve));
    manager.register(testHook({ event: 'on_session_end', run: async () => ({ answer: {}, later }) }));
    await manager.fire('on_session_end', ended, never);
    assert.deepEqual(manager.runs('hook'), []);
    fail(new HookFailure('http', 'HTTP 500'));
    assert.deepEqual([(await ran).problem, problems[0]?.message], ['HTTP 500', 'HTTP 500']);
  });

  it('is told of a new session alone, as hooks of our own are', async () => {
    const { manager } = managerRig();
    const sources: unknown[] = [];
    const handle = (payload: unknown) => void sources.push((payload as { source: unknown }).source);
    manager.register(
      nativeHook({ id: 'h', event: 'on_session_start', name: 'h', source: { is: 'extension' }, handle }),
    );
    for (const source of ['startup', 'resume', 'compact', 'clear'] as const) {
      await manager.fire('on_session_start', payloadOf('on_session_start', { source }), never);
    }
    assert.deepEqual(sources, ['startup', 'clear']);
  });

  it('ends what runs when the window closes, and waits for it no longer than its limit', async () => {
    const { manager, clock } = managerRig();
    let aborted = false;
    const run = (_: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return hangs();
    };
    manager.register(testHook({ event: 'on_session_end', kind: 'command', run }));
    void manager.fire('on_session_end', ended, never);
    const closed = manager.close();
    while (!aborted) await new Promise(setImmediate);
    await new Promise(setImmediate);
    clock.go(1000);
    await closed;
    assert.equal(manager.has('on_session_end'), false);
  });
});
