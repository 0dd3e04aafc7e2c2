import assert from 'node:assert/strict';
import { MAX_CONTINUATIONS } from '../../../src/agent/control/index.ts';
import { Driver } from '../../sim/driver.ts';

describe('an answer that was cut and can go on', () => {
  it('is stored as far as it came with a word to go on, and the next request follows', () => {
    const session = new Driver();
    session.send('a');
    session.cutShort('length');
    assert.deepEqual(session.rows, ['user a', 'fragment length', 'nudge length']);
    const [request] = session.did('request');
    assert.deepEqual([request?.request, request?.attempt, request?.continues], [2, 1, true]);
    session.answer();
    session.endWork();
    assert.deepEqual(session.rows, ['user a', 'fragment length', 'nudge length', 'answer']);
    assert.equal(session.ends[0]?.exit, 'answered');
  });

  it('goes on as often as it may; then one row stands for its pieces and the turn has failed', () => {
    const session = new Driver();
    session.send('a');
    session.queue('b');
    for (let cut = 0; cut < MAX_CONTINUATIONS; cut++) session.cutShort();
    assert.equal(session.phase, 'model');
    session.cutShort();
    assert.equal(session.rows.at(-1), 'stitched');
    assert.equal(session.ends[0]?.exit, 'model_error');
    assert.equal(session.stateOf('b'), 'held', 'nothing starts by itself after a failure');
  });

  it('counts anew once it has come to its end', () => {
    const session = new Driver();
    session.send('a');
    session.cutShort();
    session.cutShort();
    session.answer('c1');
    session.run('c1');
    session.result('c1');
    assert.equal(session.did('request')[0]?.continues, false);
    for (let cut = 0; cut < MAX_CONTINUATIONS; cut++) session.cutShort();
    assert.equal(session.phase, 'model');
  });

  it('goes on bare the first time when the model has only thought, and with a word from then on', () => {
    const session = new Driver();
    session.send('a');
    session.cutShort('incomplete');
    session.cutShort('incomplete');
    assert.deepEqual(session.rows, ['user a', 'fragment incomplete', 'fragment incomplete', 'nudge incomplete']);
  });

  it('lets in what the user has sent meanwhile, behind the word to go on', () => {
    const session = new Driver();
    session.send('a');
    session.steer('b');
    session.cutShort();
    assert.deepEqual(session.rows, ['user a', 'fragment length', 'nudge length', 'user b']);
  });

  it('does not go on after a stop', () => {
    const session = new Driver();
    session.send('a');
    const { attempt } = session;
    session.stop();
    session.feed({ type: 'continues', ...attempt, why: 'length' });
    assert.deepEqual(session.rows, ['user a', 'partial stop']);
    assert.deepEqual(session.effects, []);
  });

  it('does not go on when the turn was to stop after this step', () => {
    const session = new Driver();
    session.send('a');
    session.stopAfterStep();
    session.cutShort();
    assert.deepEqual(session.rows, ['user a', 'partial stop']);
    assert.equal(session.ends[0]?.exit, 'interrupted_by_user');
  });

  it('does not go on when the requests of the turn are used up', () => {
    const session = new Driver({ stepBudget: 2, wrapsUp: true });
    session.send('a');
    session.cutShort();
    session.cutShort();
    assert.deepEqual(session.rows, ['user a', 'fragment length', 'nudge length', 'partial stream_cut']);
    assert.equal(session.ends[0]?.exit, 'step_budget');
  });

  it('ends with its partial text at a redirect, and what follows is no continuation', () => {
    const session = new Driver();
    session.send('a');
    session.cutShort();
    session.redirect('b');
    assert.deepEqual(session.rows, ['user a', 'fragment length', 'nudge length', 'partial redirect', 'user b']);
    assert.equal(session.did('request')[0]?.continues, false);
  });
});

describe('the last word of a turn', () => {
  function usedUp(): Driver {
    const session = new Driver({ stepBudget: 1, wrapsUp: true });
    session.send('a');
    session.answer('c1');
    session.run('c1');
    return session;
  }

  it('is asked for behind the last batch, in one request more, and ends the turn', () => {
    const session = usedUp();
    session.result('c1');
    const [request] = session.did('request');
    assert.deepEqual([request?.request, request?.last], [2, true]);
    session.answer();
    assert.deepEqual(session.rows, ['user a', 'answer', 'result c1 success', 'nudge step_budget', 'answer']);
    assert.equal(session.ends[0]?.exit, 'step_budget');
    assert.deepEqual(session.did('finalize'), []);
  });

  it('is left out when a text waits, which leads the next turn', () => {
    const session = usedUp();
    session.steer('b');
    session.result('c1');
    assert.equal(session.ends[0]?.exit, 'step_budget');
    assert.equal(session.lastUserRow, 'b');
  });

  it('is not disturbed by what the user sends while it is written: that leads the next turn', () => {
    const session = usedUp();
    session.result('c1');
    for (const receipt of [session.steer('b'), session.redirect('c')]) {
      assert.equal(receipt.outcome, 'queued');
      assert.equal(receipt.outcome === 'queued' && receipt.reason, 'finalizing');
    }
    session.answer();
    assert.equal(session.lastUserRow, 'b+c');
  });

  it('that fails or is cut ends the turn as the budget does', () => {
    for (const how of ['fail', 'cutShort'] as const) {
      const session = usedUp();
      session.queue('b');
      session.result('c1');
      session[how]();
      assert.equal(session.ends[0]?.exit, 'step_budget', how);
      assert.equal(session.lastUserRow, 'b', 'the queue goes on');
    }
  });

  it('is ended by a stop like any request', () => {
    const session = usedUp();
    session.result('c1');
    session.stop();
    assert.equal(session.ends[0]?.exit, 'interrupted_by_user');
  });
});
