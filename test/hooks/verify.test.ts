import assert from 'node:assert/strict';
import { MAX_GO_ONS } from '../../src/agent/control/index.ts';
import type { HookAnswer } from '../../src/agent/hooks/index.ts';
import { allowAll, answersOnly, call, event, replay, sent } from '../reports/replay.ts';
import type { Rig } from '../unit/turn/rig.ts';

/** A Stop hook of another system. */
function stopHook(rig: Rig, answer: (attempt: number) => HookAnswer | Promise<HookAnswer>): void {
  rig.hooks.register({
    event: 'pre_verify',
    name: 'checks',
    run: async (payload) => ({ answer: await answer('attempt' in payload ? Number(payload.attempt) : 0) }),
  });
}

const goOn = (text: string): HookAnswer => ({ goOn: { text, by: 'checks' } });
const write = (name: string) => call('write_file', { path: name, content: 'x' });

describe('hooks: before a turn ends', () => {
  const at = replay('openai-chat');
  const asked = () => at().rig.fired.filter((one) => one.event === 'pre_verify');
  const attempts = () => asked().map(({ payload }) => payload.attempt);
  const notices = () =>
    at()
      .session.events(0)
      .flatMap((seen) => (seen.type === 'notice' ? [seen.text] : []));

  it('a Stop hook has the agent go on in the same turn; its words are a row of their own', async () => {
    const { rig, session } = at();
    stopHook(rig, (attempt) => (attempt === 0 ? goOn('Run the tests.') : {}));
    rig.server.script({ steps: [{ text: 'Done.' }] }, { steps: [{ text: 'Tested.' }] });
    session.send('Go');
    const result = await session.settled();
    assert.deepEqual([result.exitReason, result.finalText, result.requests], ['answered', 'Tested.', 2]);
    assert.match(sent(rig, 1), /The hook checks .*Run the tests\./);
    assert.deepEqual(
      session.rows().map(({ role }) => role),
      ['user', 'assistant', 'notice', 'assistant'],
    );
    assert.match(session.rows()[2]?.displayText ?? '', /checks/);
    assert.deepEqual(
      asked().map(({ payload }) => [payload.attempt, payload.final_response]),
      [
        [0, 'Done.'],
        [1, 'Tested.'],
      ],
    );
  });

  it('a Stop hook is not followed for ever: after eight times in a row the turn ends, and the user is told', async () => {
    const { rig, session } = at();
    stopHook(rig, () => goOn('More.'));
    session.send('Go');
    const result = await session.settled();
    assert.deepEqual([result.exitReason, result.requests], ['answered', MAX_GO_ONS.stop + 1]);
    assert.deepEqual(attempts(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.match(notices().join(), /checks has had the agent go on 8 times in a row/);
  });

  it('a word of the user ends the row of go-ons', async () => {
    const { rig, session } = at();
    stopHook(rig, (attempt) => {
      if (attempt === 1 && asked().length === 2) session.steer('And mine.');
      return asked().length < 4 ? goOn('More.') : {};
    });
    session.send('Go');
    await session.settled();
    assert.deepEqual(attempts(), [0, 1, 0, 1]);
  });

  it('a hook of Midcourse is asked only when files were changed in the turn, at most three times', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.hooks.set('pre_verify', () => ({ go_on: 'Check it.' }));
    await answersOnly(rig, session, 'nothing changed');
    assert.deepEqual(asked(), []);
    rig.server.script({ steps: [write('a.txt')] });
    session.send('Go');
    const result = await session.settled();
    assert.equal(result.exitReason, 'answered');
    assert.deepEqual(attempts(), [0, 1, 2]);
    assert.deepEqual(asked()[0]?.payload.changed_paths, [`${rig.folder}/a.txt`]);
    assert.match(notices().join(), /go on 3 times in this turn/);
  });

  it('a hook that wants the turn to end is heard before those that want it to go on', async () => {
    const { rig, session } = at();
    stopHook(rig, () => goOn('More.'));
    stopHook(rig, () => ({ stopTurn: { reason: 'enough', by: 'budget' } }));
    session.send('Go');
    const result = await session.settled();
    assert.deepEqual([result.exitReason, result.requests], ['answered', 1]);
  });

  it('a steer that waits goes in before the request that a hook asked for', async () => {
    const { rig, session } = at();
    stopHook(rig, (attempt) => {
      if (attempt > 0) return {};
      session.steer('STEERED');
      return goOn('HOOKED');
    });
    session.send('Go');
    await session.settled();
    assert.match(sent(rig, 1), /HOOKED[\s\S]*STEERED/);
  });

  it('a stop while a Stop hook runs ends the turn at once; what it says later counts for nothing', async () => {
    const { rig, session } = at();
    const answer = Promise.withResolvers<HookAnswer>();
    let aborted = false;
    rig.hooks.register({
      event: 'pre_verify',
      run: async (_payload, signal) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return { answer: await answer.promise };
      },
    });
    session.send('Go');
    await event(session, 'state', ({ phase, label }) => phase === 'finalizing' && label === 'a file');
    session.stop();
    assert.equal(session.state, 'idle');
    answer.resolve(goOn('More.'));
    assert.deepEqual([(await session.settled()).phase, rig.server.requests.length], ['finalizing', 1]);
    assert.deepEqual([asked().length, aborted], [1, true]);
  });

  it('F21. a Stop hook that has the agent go on uses what the turn has: its processes, its model and its tools', async () => {
    const { rig, session } = at();
    allowAll(session);
    stopHook(rig, (attempt) => (attempt === 0 ? goOn('Look at it.') : {}));
    rig.server.script(
      { steps: [call('terminal', { command: 'sleep 60', background: true })] },
      { steps: [{ text: 'Started.' }] },
      { steps: [call('process', { action: 'list' })] },
    );
    session.send('Go');
    const result = await session.settled();
    assert.equal(result.exitReason, 'answered');
    assert.equal(rig.processes.length, 1);
    assert.match(
      session.rows().find(({ request, role }) => request === 3 && role === 'tool')?.displayText ?? '',
      /sleep 60/,
    );
  });

  it('the last answer of a turn can be changed before it is stored, and not once the turn was stopped', async () => {
    const { rig, session } = at();
    rig.hooks.set('transform_llm_output', ({ response_text }) => `${response_text} (checked)`);
    rig.server.script({ steps: [{ text: 'Done.' }] });
    session.send('Go');
    assert.equal((await session.settled()).finalText, 'Done. (checked)');
    assert.equal(session.rows().at(-1)?.displayText, 'Done. (checked)');

    const answer = Promise.withResolvers<string>();
    rig.hooks.set('transform_llm_output', () => answer.promise);
    rig.server.script({ steps: [{ text: 'Half.' }] });
    const since = session.seq;
    session.send('Again');
    await event(session, 'delta', () => true, since);
    while (!rig.fired.some(({ payload }) => payload.response_text === 'Half.')) await new Promise(setImmediate);
    session.stop();
    answer.resolve('Changed.');
    await session.settled();
    assert.equal(session.rows().at(-1)?.displayText, 'Half.');
  });
});
