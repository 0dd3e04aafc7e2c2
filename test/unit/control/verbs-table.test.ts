import assert from 'node:assert/strict';
import { type Column, type Driver, during } from '../../sim/driver.ts';

/** Columns of the first group: the turn prepares something, and no request or tool can be cut. */
const PREPARING = ['starting', 'hook', 'compaction'] as const;
const ASKING = ['model', 'backoff'] as const;
const CARDS = ['approval', 'question'] as const;
const BUSY: readonly Column[] = [...PREPARING, ...ASKING, 'tool', ...CARDS, 'finalizing'];

/** Lets everything outside answer until the first request of the given turn or the next one is asked. */
function untilRead(session: Driver, id: string): void {
  for (let steps = 0; session.stateOf(id) !== 'delivered'; steps += 1) {
    assert.ok(steps < 20, `${id} is never delivered; ${session.phase}`);
    goOn(session);
  }
}

function goOn(session: Driver): void {
  switch (session.phase) {
    case 'starting':
    case 'hook':
      return session.hooks();
    case 'compaction':
      return session.compacted();
    case 'backoff':
      return session.waited();
    case 'model':
      return session.answer('next');
    case 'finalizing':
      return session.endWork();
    default:
      if (session.state.turn?.activity.is === 'tool') {
        const open = session.state.turn.activity.calls.find((call) => call.state.is !== 'done');
        return session.result(open?.id ?? '', open?.state.is === 'running' ? 'success' : 'blocked');
      }
      return session.abandon();
  }
}

describe('send', () => {
  for (const column of BUSY) {
    for (const busyInput of ['steer', 'queue', 'redirect'] as const) {
      it(`during ${column} does what ${busyInput} does when the setting says so`, () => {
        const sent = during(column);
        const direct = during(column);
        const { verb: _send, ...receipt } = sent.send('new', busyInput);
        const { verb: _direct, ...expected } = direct[busyInput]('new');
        assert.deepEqual(receipt, expected);
        assert.equal(sent.phase, direct.phase);
        assert.deepEqual(sent.effects.map(withoutItems), direct.effects.map(withoutItems));
        const { sentAs, ...item } = sent.item('new') ?? assert.fail();
        const { sentAs: _other, ...other } = direct.item('new') ?? assert.fail();
        assert.equal(sentAs, 'message');
        assert.deepEqual(item, other);
      });
    }
  }

  it('while a turn is being stopped is queued in order, behind what was queued before it', () => {
    const session = during('stopping');
    session.queue('q1');
    const receipt = session.send('new');
    assert.equal(receipt.outcome, 'queued');
    assert.deepEqual(downgrade(receipt), { downgradedFrom: 'steer', reason: 'stopping' });
    assert.deepEqual(session.waiting, ['q1', 'new']);
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'q1');
  });

  it('starts a turn when idle', () => {
    const session = during('idle');
    const receipt = session.send('new');
    assert.equal(receipt.outcome, 'started');
    assert.equal(receipt.turnId, session.turnId);
    assert.deepEqual(session.rows, ['user new']);
    assert.equal(session.did('request').length, 1);
  });
});

describe('steer', () => {
  for (const column of PREPARING) {
    it(`during ${column} is kept and delivered at the first boundary`, () => {
      const session = during(column);
      const receipt = session.steer('new');
      assert.equal(receipt.outcome, 'steering');
      assert.deepEqual(session.effects, []);
      assert.equal(session.stateOf('new'), 'pending');
      untilRead(session, 'new');
      assert.equal(requestOf(session, 'new'), 1);
      assert.equal(session.ends.length, 0);
    });
  }

  for (const column of ASKING) {
    it(`during ${column} waits, cuts nothing and is delivered at the next boundary`, () => {
      const session = during(column);
      assert.equal(session.steer('new').outcome, 'steering');
      assert.deepEqual(session.effects, []);
      assert.equal(session.phase, column);
      untilRead(session, 'new');
      assert.equal(session.ends.length, 0);
      assert.equal(session.userRows.at(-1)?.kind, 'steer');
    });
  }

  it('between an answer and its tools is delivered after the batch', () => {
    const session = during('model');
    session.answer('c1', 'c2');
    session.steer('new');
    session.run('c1');
    session.result('c1');
    session.run('c2');
    session.result('c2');
    assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 success', 'result c2 success', 'user new']);
  });

  it('while tools run is delivered after the batch; nothing is cancelled and no tool is asked to yield', () => {
    const session = during('tool');
    assert.equal(session.steer('new').outcome, 'steering');
    assert.deepEqual(session.effects, []);
    session.result('c1');
    assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 success', 'user new']);
    assert.equal(session.did('request').length, 1);
  });

  for (const column of CARDS) {
    it(`while the card of an ${column} is open closes it and is delivered`, () => {
      const session = during(column);
      assert.equal(session.steer('new').outcome, 'steering');
      assert.deepEqual(
        session.did('closeCall').map(({ callId, status }) => [callId, status]),
        [['c1', 'withdrawn']],
      );
      assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 withdrawn', 'user new']);
    });
  }

  it('while the turn finalizes leads the next turn', () => {
    const session = during('finalizing');
    const receipt = session.steer('new');
    assert.equal(receipt.outcome, 'queued');
    assert.deepEqual(downgrade(receipt), { downgradedFrom: 'steer', reason: 'finalizing' });
    session.endWork();
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['answered'],
    );
    assert.equal(session.userRows.at(-1)?.kind, 'message');
    assert.equal(session.lastUserRow, 'new');
  });

  it('while a turn is being stopped is queued at the front', () => {
    const session = during('stopping');
    session.queue('q1');
    const receipt = session.steer('new');
    assert.equal(receipt.outcome, 'queued');
    assert.deepEqual(downgrade(receipt), { downgradedFrom: 'steer', reason: 'stopping' });
    assert.equal(receipt.position, 1);
    assert.deepEqual(session.waiting, ['new', 'q1']);
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'new');
  });

  it('starts a turn when idle', () => {
    const session = during('idle');
    assert.equal(session.steer('new').outcome, 'started');
    assert.deepEqual(session.rows, ['user new']);
  });
});

describe('redirect', () => {
  const reasons = { starting: 'starting', hook: 'no_request', compaction: 'compacting' } as const;
  for (const column of PREPARING) {
    it(`during ${column} is a steer, and says so`, () => {
      const session = during(column);
      const receipt = session.redirect('new');
      assert.equal(receipt.outcome, 'steering');
      assert.deepEqual(downgrade(receipt), { downgradedFrom: 'redirect', reason: reasons[column] });
      assert.deepEqual(session.effects, []);
      untilRead(session, 'new');
      assert.equal(session.item('new')?.kind, 'redirect');
      assert.equal(requestOf(session, 'new'), 1);
    });
  }

  for (const column of ASKING) {
    it(`during ${column} ends this request only and asks again in the same turn`, () => {
      const session = during(column);
      const { turnId } = session;
      const receipt = session.redirect('new');
      assert.equal(receipt.outcome, 'redirecting');
      assert.deepEqual(downgrade(receipt), {});
      assert.deepEqual(
        session.did('abortRequest').map(({ request, attempt }) => [request, attempt]),
        [[1, 1]],
      );
      assert.deepEqual(
        session.did('request').map(({ request, attempt }) => [request, attempt]),
        [[1, 2]],
      );
      assert.equal(session.turnId, turnId);
      assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user new']);
    });
  }

  it('while tools run becomes a steer and asks those that run to yield', () => {
    const session = during('model');
    session.answer(['c1', 'c2'], 'c3');
    session.run('c1');
    const receipt = session.redirect('new');
    assert.equal(receipt.outcome, 'steering');
    assert.deepEqual(downgrade(receipt), { downgradedFrom: 'redirect', reason: 'tools_running' });
    assert.deepEqual(
      session.effects.map((effect) => [effect.do, 'callId' in effect && effect.callId]),
      [['askYield', 'c1']],
    );
    assert.equal(session.item('new')?.kind, 'redirect');
  });

  for (const column of CARDS) {
    it(`while the card of an ${column} is open closes it as a steer does`, () => {
      const session = during(column);
      const receipt = session.redirect('new');
      assert.deepEqual(downgrade(receipt), { downgradedFrom: 'redirect', reason: 'tools_running' });
      assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 withdrawn', 'user new']);
    });
  }

  it('while the turn finalizes leads the next turn', () => {
    const session = during('finalizing');
    assert.deepEqual(downgrade(session.redirect('new')), { downgradedFrom: 'redirect', reason: 'finalizing' });
    session.endWork();
    assert.equal(session.lastUserRow, 'new');
    assert.equal(session.ends.length, 1);
  });

  it('while a turn is being stopped is queued at the front', () => {
    const session = during('stopping');
    session.queue('q1');
    assert.deepEqual(downgrade(session.redirect('new')), { downgradedFrom: 'redirect', reason: 'stopping' });
    assert.deepEqual(session.waiting, ['new', 'q1']);
  });

  it('starts a turn when idle', () => {
    const session = during('idle');
    assert.equal(session.redirect('new').outcome, 'started');
    assert.equal(session.item('new')?.kind, 'message');
  });
});

describe('queue', () => {
  for (const column of BUSY) {
    it(`during ${column} gets a turn of its own after this one, and touches nothing`, () => {
      const session = during(column);
      const { turnId, phase } = session;
      const receipt = session.queue('new');
      assert.equal(receipt.outcome, 'queued');
      assert.equal(receipt.position, 1);
      assert.deepEqual(session.effects, []);
      assert.equal(session.phase, phase);
      untilEnded(session);
      assert.notEqual(session.turnId, turnId);
      if (session.phase === 'starting') session.hooks();
      assert.equal(session.lastUserRow, 'new');
      assert.equal(session.userRows.at(-1)?.kind, 'message');
    });
  }

  it('while a turn is being stopped runs after it has ended', () => {
    const session = during('stopping');
    assert.equal(session.queue('new').outcome, 'queued');
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'new');
  });

  it('starts a turn when idle', () => {
    assert.equal(during('idle').queue('new').outcome, 'started');
  });
});

describe('stop', () => {
  for (const column of [...PREPARING, ...ASKING, 'finalizing'] as const) {
    it(`during ${column} ends the turn in the same step`, () => {
      const session = during(column);
      const { turnId } = session;
      const receipt = session.stop();
      assert.equal(receipt.outcome, 'stopping');
      assert.equal(receipt.turnId, turnId);
      assert.equal(session.phase, 'idle');
      assert.deepEqual(
        session.ends.map(({ exit, phase }) => [exit, phase]),
        [['interrupted_by_user', column]],
      );
    });
  }

  for (const column of CARDS) {
    it(`while the card of an ${column} is open withdraws it and ends the turn`, () => {
      const session = during(column);
      session.stop();
      assert.equal(session.phase, 'idle');
      assert.deepEqual(
        session.ends.map(({ exit, phase }) => [exit, phase]),
        [['interrupted_by_user', column]],
      );
      assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 withdrawn', 'closing']);
    });
  }

  it('while tools run aborts each that runs and ends the turn when they have given way', () => {
    const session = during('tool');
    session.stop();
    assert.equal(session.phase, 'stopping');
    assert.deepEqual(
      session.did('abortCall').map(({ callId }) => callId),
      ['c1'],
    );
    session.result('c1', 'stopped');
    assert.equal(session.phase, 'idle');
    assert.deepEqual(
      session.ends.map(({ exit, phase }) => [exit, phase]),
      [['interrupted_by_user', 'tool']],
    );
  });

  it('while a turn is being stopped skips to kill', () => {
    const session = during('stopping');
    const receipt = session.stop({ after: 300 });
    assert.equal(receipt.outcome, 'stopping');
    assert.deepEqual(
      session.effects.map((effect) => effect.do),
      ['killCall'],
    );
    assert.equal(session.phase, 'stopping');
  });

  it('when idle ends what runs in the background, and no turn', () => {
    const session = during('idle');
    assert.equal(session.stop().outcome, 'nothing_running');
    assert.deepEqual(session.effects, []);
    assert.deepEqual(session.writes, []);
  });
});

describe('stop after step', () => {
  for (const column of PREPARING) {
    it(`during ${column} is a stop`, () => {
      const session = during(column);
      assert.equal(session.stopAfterStep().outcome, 'stopping');
      assert.equal(session.phase, 'idle');
      assert.deepEqual(
        session.ends.map(({ exit }) => exit),
        ['interrupted_by_user'],
      );
    });
  }

  for (const column of ASKING) {
    it(`during ${column} ends the turn after this request's answer, before its tools`, () => {
      const session = during(column);
      session.stopAfterStep();
      assert.deepEqual(session.effects, []);
      assert.equal(session.phase, column);
      if (column === 'backoff') session.waited();
      session.answer('c1');
      assert.equal(session.phase, 'idle');
      assert.deepEqual(session.did('begin'), []);
      assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 not_run', 'closing']);
    });
  }

  it('during the model ends the turn after a text without end-of-turn work', () => {
    const session = during('model');
    session.stopAfterStep();
    session.answer();
    assert.deepEqual(session.did('finalize'), []);
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['interrupted_by_user'],
    );
  });

  it('while tools run ends the turn after the batch, also after the calls that have not started', () => {
    const session = during('model');
    session.answer('c1', 'c2');
    session.run('c1');
    session.stopAfterStep();
    assert.deepEqual(session.effects, []);
    session.result('c1');
    session.run('c2');
    assert.equal(session.phase, 'tool');
    session.result('c2');
    assert.equal(session.phase, 'idle');
    assert.deepEqual(session.rows.slice(2), ['result c1 success', 'result c2 success', 'closing']);
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['interrupted_by_user'],
    );
  });

  for (const column of CARDS) {
    it(`while the card of an ${column} is open withdraws it, then ends the turn`, () => {
      const session = during(column);
      session.stopAfterStep();
      assert.equal(session.phase, 'idle');
      assert.deepEqual(session.rows.slice(2), ['result c1 withdrawn', 'closing']);
    });
  }

  for (const column of ['finalizing', 'stopping'] as const) {
    it(`during ${column} changes nothing`, () => {
      const session = during(column);
      assert.equal(session.stopAfterStep().outcome, 'nothing_running');
      assert.deepEqual(session.effects, []);
      assert.equal(session.phase, column);
      assert.equal(session.state.turn?.stopAfterStep, undefined);
    });
  }

  it('when idle is harmless', () => {
    const session = during('idle');
    assert.equal(session.stopAfterStep().outcome, 'nothing_running');
    assert.deepEqual([...session.effects, ...session.writes], []);
  });
});

describe('stop and send', () => {
  for (const column of [...PREPARING, ...ASKING, ...CARDS] as const) {
    it(`during ${column} ends the turn, and its text starts the next one at once`, () => {
      const session = during(column);
      const { turnId } = session;
      const receipt = session.stopAndSend('new');
      assert.equal(receipt.outcome, 'stopping');
      assert.equal(receipt.turnId, turnId);
      assert.deepEqual(
        session.ends.map(({ exit }) => exit),
        ['interrupted_by_user'],
      );
      if (session.phase === 'starting') session.hooks();
      assert.equal(session.lastUserRow, 'new');
      assert.equal(session.ends.length, 1);
    });
  }

  it('while tools run stops them; its text starts the next turn when they have given way', () => {
    const session = during('tool');
    session.queue('older');
    session.stopAndSend('new');
    assert.equal(session.phase, 'stopping');
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'new');
    assert.equal(session.stateOf('older'), 'held');
  });

  it('while the turn finalizes leads the next turn', () => {
    const session = during('finalizing');
    session.queue('q1');
    const receipt = session.stopAndSend('new');
    assert.deepEqual(downgrade(receipt), { downgradedFrom: 'stopAndSend', reason: 'finalizing' });
    session.endWork();
    assert.equal(session.lastUserRow, 'new');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['answered'],
    );
  });

  it('while a turn is being stopped is queued at the front', () => {
    const session = during('stopping');
    session.queue('q1');
    assert.deepEqual(downgrade(session.stopAndSend('new')), { downgradedFrom: 'stopAndSend', reason: 'stopping' });
    assert.deepEqual(session.waiting, ['new', 'q1']);
  });

  it('starts a turn when idle', () => {
    const session = during('idle');
    assert.equal(session.stopAndSend('new').outcome, 'started');
    assert.deepEqual(session.ends, []);
  });
});

describe('the verbs on items', () => {
  for (const column of [...BUSY, 'stopping'] as const) {
    it(`work during ${column}`, () => {
      const session = during(column);
      for (const id of ['q1', 'q2', 'q3']) session.queue(id);
      assert.equal(session.edit('q1', 'better').outcome, 'changed');
      assert.equal(session.item('q1')?.text, 'better');
      assert.equal(session.move('q3', 'q1').outcome, 'changed');
      assert.deepEqual(session.waiting.slice(-3), ['q3', 'q1', 'q2']);
      assert.equal(session.withdraw('q3').outcome, 'changed');
      assert.equal(session.stateOf('q3'), 'withdrawn');
      assert.notEqual(session.sendNow('q2').outcome, 'refused');
      assert.equal(session.item('q2')?.kind, 'steer');
      assert.equal(session.clearQueue().outcome, 'changed');
      assert.equal(session.stateOf('q1'), 'withdrawn');
      assert.equal(session.resumeQueue().outcome, 'changed');
    });
  }

  it('work on held entries when idle', () => {
    const session = during('model');
    for (const id of ['q1', 'q2', 'q3', 'q4']) session.queue(id);
    session.stop();
    assert.equal(session.edit('q1', 'better').outcome, 'changed');
    assert.equal(session.move('q4', 'q1').outcome, 'changed');
    assert.equal(session.withdraw('q2').outcome, 'changed');
    assert.deepEqual(session.waiting, ['q4', 'q1', 'q3']);
    assert.equal(session.phase, 'idle');
    assert.equal(session.sendNow('q3').outcome, 'started');
    assert.equal(session.lastUserRow, 'q3');
    assert.equal(session.resumeQueue().outcome, 'changed');
    assert.deepEqual([session.stateOf('q1'), session.stateOf('q4')], ['pending', 'pending']);
  });

  it('send now of a queue entry makes it a steer of the running turn', () => {
    const session = during('tool');
    session.queue('q1');
    assert.equal(session.sendNow('q1').outcome, 'steering');
    session.result('c1');
    assert.equal(session.lastUserRow, 'q1');
    assert.equal(session.ends.length, 0);
  });

  it('redirect now makes a waiting steer a redirect', () => {
    const session = during('model');
    session.steer('s1');
    const receipt = session.redirectNow('s1');
    assert.equal(receipt.outcome, 'redirecting');
    assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user s1']);
  });

  it('resume queue starts the first entry when idle', () => {
    const session = during('model');
    session.queue('q1');
    session.queue('q2');
    session.stop();
    assert.equal(session.resumeQueue().outcome, 'started');
    assert.equal(session.lastUserRow, 'q1');
    session.answer();
    session.endWork();
    assert.equal(session.lastUserRow, 'q2');
  });
});

function downgrade(receipt: object): object {
  const picked = Object.entries(receipt).filter(([key]) => key === 'downgradedFrom' || key === 'reason');
  return Object.fromEntries(picked);
}

function withoutItems(effect: object): object {
  return { ...effect, items: undefined };
}

function requestOf(session: Driver, id: string): number | undefined {
  const state = session.item(id)?.state;
  return state?.is === 'delivered' ? state.request : undefined;
}

/** Lets everything outside answer until the turn that runs now is over. */
function untilEnded(session: Driver): void {
  for (let steps = 0; session.ends.length === 0; steps += 1) {
    assert.ok(steps < 20, `the turn does not end: ${session.phase}`);
    if (session.phase === 'model') session.answer();
    else goOn(session);
  }
}
