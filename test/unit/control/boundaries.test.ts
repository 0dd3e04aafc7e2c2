import assert from 'node:assert/strict';
import { Driver, during } from '../../sim/driver.ts';

const FILE = { kind: 'file', name: 'a.ts', ref: 'src/a.ts' } as const;

describe('a text', () => {
  it('that is blank and has no attachment is refused, and nothing changes', () => {
    for (const column of ['idle', 'model', 'tool', 'stopping'] as const) {
      const session = during(column);
      const receipt = session.send('blank', 'steer', { text: ' \n\t' });
      assert.deepEqual([receipt.outcome, 'reason' in receipt && receipt.reason], ['refused', 'empty']);
      assert.deepEqual([...session.writes, ...session.effects], []);
    }
  });

  it('that is blank is accepted with an attachment', () => {
    assert.equal(during('idle').send('image', 'steer', { text: '', attachments: [FILE] }).outcome, 'started');
  });

  it('may be sent again under an id that was refused', () => {
    const session = during('model');
    session.steer('s1', { text: '' });
    assert.equal(session.steer('s1').outcome, 'steering');
  });

  for (const verb of ['steer', 'redirect', 'send'] as const) {
    it(`with an image goes to the queue when it is sent by ${verb} to a model that sees none`, () => {
      const session = during('model');
      const options = { seesImages: false };
      const receipt = verb === 'send' ? session.send('new', 'steer', options) : session[verb]('new', options);
      assert.equal(receipt.outcome, 'queued');
      assert.equal('reason' in receipt && receipt.reason, 'no_vision');
      assert.equal(session.item('new')?.kind, 'queue');
      assert.deepEqual(session.effects, []);
    });
  }

  for (const verb of ['sendNow', 'redirectNow'] as const) {
    it(`with an image stays in the queue when ${verb} wants it in the turn of a model that sees none`, () => {
      const session = during('model');
      session.queue('q1', { attachments: [FILE] });
      session.queue('q2');
      const receipt = session[verb]('q1', { seesImages: false });
      assert.equal(receipt.outcome, 'queued');
      assert.equal('reason' in receipt && receipt.reason, 'no_vision');
      assert.equal('position' in receipt && receipt.position, 1);
      assert.equal(session.item('q1')?.kind, 'queue');
      assert.deepEqual(session.effects, []);
    });
  }

  it('with an image that leaves its place as guidance goes behind what else guides the turn, before the queue', () => {
    const session = during('tool');
    session.steer('s1', { attachments: [FILE] });
    session.steer('s2');
    session.queue('q1');
    assert.equal(session.redirectNow('s1', { seesImages: false }).outcome, 'queued');
    assert.deepEqual(
      session.state.items.map(({ id }) => id),
      ['s2', 's1', 'q1'],
    );
  });

  it('with an image that the model sees steers and redirects like any other', () => {
    const session = during('model');
    assert.equal(session.steer('s1', { attachments: [FILE] }).outcome, 'steering');
    assert.equal(session.redirect('r1', { attachments: [FILE] }).outcome, 'redirecting');
    assert.equal(session.lastUserRow, 's1+r1');
  });

  it('that was downgraded keeps its kind and number and goes before queue entries', () => {
    const session = during('finalizing');
    session.queue('q1');
    session.steer('s1');
    session.redirect('r1');
    assert.deepEqual(
      session.state.items.map(({ id, kind, sentAs }) => [id, kind, sentAs]),
      [
        ['s1', 'steer', 'steer'],
        ['r1', 'redirect', 'redirect'],
        ['q1', 'queue', 'queue'],
      ],
    );
    session.endWork();
    assert.equal(session.lastUserRow, 's1+r1');
  });
});

describe('a steer while an approval is open', () => {
  function withEveryCallState(): Driver {
    const session = during('model');
    session.answer(['done', 'runs', 'asks', 'begins', 'question'], 'waits');
    session.run('done', 'runs');
    session.result('done');
    session.approval('asks');
    session.question('question');
    return session;
  }

  it('closes all cards of the turn, lets nothing new start and waits for what runs', () => {
    const session = withEveryCallState();
    session.steer('s1');
    assert.deepEqual(
      session.did('closeCall').map(({ callId, status }) => [callId, status]),
      [
        ['asks', 'withdrawn'],
        ['begins', 'not_run'],
        ['question', 'withdrawn'],
        ['waits', 'not_run'],
      ],
    );
    assert.deepEqual(session.did('abortCall'), []);
    assert.equal(session.phase, 'tool');
    session.run('begins');
    session.allow('asks');
    assert.deepEqual(session.did('run'), []);
  });

  it('is delivered once they have finished, after one result for each call in call order', () => {
    const session = withEveryCallState();
    session.steer('s1');
    session.result('runs');
    assert.deepEqual(session.rows.slice(2), [
      'result done success',
      'result runs success',
      'result asks withdrawn',
      'result begins not_run',
      'result question withdrawn',
      'result waits not_run',
      'user s1',
    ]);
    assert.equal(session.did('request').length, 1);
  });

  it('that came before the card opened closes it as it opens', () => {
    const session = during('model');
    session.answer('c1');
    session.steer('s1');
    session.approval('c1');
    assert.deepEqual(session.rows.slice(2), ['result c1 withdrawn', 'user s1']);
  });

  it('also when it was a queue entry that is sent now', () => {
    const session = during('approval');
    session.queue('q1');
    assert.equal(session.phase, 'approval');
    session.sendNow('q1');
    assert.deepEqual(session.rows.slice(2), ['result c1 withdrawn', 'user q1']);
  });
});

describe('composer text while a question is open', () => {
  function asking(freeText: boolean): Driver {
    const session = during('model');
    session.answer('ask');
    session.question('ask', freeText);
    return session;
  }

  it('answers it when it takes free text, and the call goes on with the answer', () => {
    const session = asking(true);
    assert.equal(session.send('words').outcome, 'changed');
    assert.deepEqual(
      session.did('answerQuestion').map(({ callId, text }) => [callId, text]),
      [['ask', 'text words']],
    );
    assert.equal(session.did('run').length, 1);
    assert.equal(session.item('words'), undefined);
    session.result('ask');
    assert.deepEqual(session.rows, ['user first', 'answer', 'result ask success']);
  });

  it('answers it once: the next text is a steer and nothing of it is lost', () => {
    const session = asking(true);
    session.send('words');
    assert.equal(session.send('more').outcome, 'steering');
    assert.deepEqual(session.did('answerQuestion'), []);
    session.result('ask');
    assert.equal(session.lastUserRow, 'more');
  });

  it('gets the first receipt again when it is repeated, and answers nothing twice', () => {
    const session = asking(true);
    const receipt = session.send('words');
    assert.deepEqual(session.send('words'), receipt);
    assert.deepEqual(session.effects, []);
  });

  it('is a steer when it does not, and the question closes as unanswered', () => {
    const session = asking(false);
    assert.equal(session.send('words').outcome, 'steering');
    assert.deepEqual(session.did('answerQuestion'), []);
    assert.deepEqual(session.rows.slice(2), ['result ask withdrawn', 'user words']);
  });

  it('is a steer when it has attachments, which an answer could not carry', () => {
    const session = asking(true);
    session.send('words', 'steer', { attachments: [FILE] });
    assert.deepEqual(session.rows.slice(2), ['result ask withdrawn', 'user words']);
  });

  it('that was sent as a steer never answers it', () => {
    const session = asking(true);
    session.steer('words');
    assert.deepEqual(session.did('answerQuestion'), []);
    assert.equal(session.stateOf('words'), 'delivered');
  });
});

describe('a steer that waits while the model writes its final text', () => {
  it('leads the next turn: one user row, ahead of the queue, no idle state between', () => {
    const session = during('model');
    session.queue('q1');
    session.steer('s1');
    session.answer();
    session.steer('s2');
    session.endWork();
    const steps = session.effects.map((effect) => effect.do);
    assert.deepEqual(steps, ['turnEnded', 'turnStarted', 'prepare', 'request']);
    assert.equal(session.lastUserRow, 's1+s2');
    assert.equal(session.userRows.at(-1)?.kind, 'message');
    assert.equal(session.stateOf('q1'), 'pending');
  });

  it('goes in before the next request when an end-of-turn hook makes the agent go on', () => {
    const session = during('model');
    const { turnId } = session;
    session.steer('s1');
    session.answer();
    session.endWork('stop');
    assert.equal(session.turnId, turnId);
    assert.deepEqual(session.rows, ['user first', 'answer', 'goOn', 'user s1']);
    assert.deepEqual(
      session.did('request').map(({ request }) => request),
      [2],
    );
  });
});

describe('prompt hooks', () => {
  it('are asked for first messages, steers, redirects and queue entries', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    assert.deepEqual(asked(session), ['first']);
    session.hooks();
    session.steer('s1');
    session.queue('q1');
    session.redirect('r1');
    assert.deepEqual(asked(session), ['s1', 'r1']);
    session.hooks();
    session.answer();
    session.endWork();
    assert.deepEqual(asked(session), ['q1']);
  });

  it('that block a text return it with their reason, and the request follows without it', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    session.answer('c1');
    session.run('c1');
    session.steer('s1');
    session.steer('s2');
    session.result('c1');
    session.hooks('s1');
    assert.deepEqual(session.item('s1')?.state, { is: 'returned', why: 'blocked by a hook', acknowledged: false });
    assert.equal(session.lastUserRow, 's2');
    assert.equal(session.did('request').length, 1);
  });

  it('that block all that waits at a boundary let the request go out as it is', () => {
    const session = during('hook');
    session.hooks('early');
    assert.deepEqual(session.rows, ['user first']);
    assert.deepEqual(
      session.did('request').map(({ request }) => request),
      [1],
    );
  });

  it('that block the first message end the turn before it ran; the next in line starts', () => {
    const session = during('starting');
    session.queue('q1');
    session.hooks('first');
    assert.deepEqual(
      session.ends.map(({ exit, running }) => [exit, running]),
      [['interrupted_by_system(hook)', false]],
    );
    assert.deepEqual(session.rows, []);
    session.hooks();
    assert.deepEqual(session.rows, ['user q1']);
  });

  it('are asked about texts that came while they ran, and one row holds them all in order', () => {
    const session = during('hook');
    session.steer('s1');
    session.hooks();
    assert.deepEqual(asked(session), ['s1']);
    assert.deepEqual(session.rows, ['user first']);
    session.hooks();
    assert.deepEqual(session.rows, ['user first', 'user early+s1']);
  });

  it('let no other text pass than those they were asked about', () => {
    const session = during('hook');
    const { turnId } = session.attempt;
    session.steer('s1');
    session.hooks();
    session.feed({ type: 'prepared', turnId, itemIds: ['early'], blocked: [] });
    assert.deepEqual(session.rows, ['user first']);
    session.hooks('s1');
    assert.deepEqual(session.rows, ['user first', 'user early']);
  });

  it('end a turn as the user’s when its first text was withdrawn while they ran', () => {
    const session = during('starting');
    assert.equal(session.withdraw('first').outcome, 'changed');
    session.hooks();
    assert.deepEqual(
      session.ends.map(({ exit, running }) => [exit, running]),
      [['interrupted_by_user', false]],
    );
    assert.equal(session.stateOf('first'), 'withdrawn');
  });
});

describe('the step budget', () => {
  it('ends the turn before a request too many', () => {
    const session = new Driver({ stepBudget: 1 });
    session.send('first');
    session.answer('c1');
    session.result('c1', 'blocked');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['step_budget'],
    );
    assert.deepEqual(session.rows.slice(2), ['result c1 blocked', 'closing']);
  });

  it('that is used up lets waiting texts lead the next turn instead of burying them in this one', () => {
    const session = new Driver({ stepBudget: 1 });
    session.send('first');
    session.answer('c1');
    session.steer('s1');
    session.result('c1', 'blocked');
    assert.deepEqual(session.rows.slice(2), ['result c1 blocked', 'closing', 'user s1']);
    assert.deepEqual(
      session.did('request').map(({ request }) => request),
      [1],
    );
  });

  it('counts also when it was lowered while hooks ran', () => {
    const session = new Driver({ hooks: true, stepBudget: 2 });
    session.send('first');
    session.hooks();
    session.answer('c1');
    session.steer('s1');
    session.result('c1', 'blocked');
    session.feed({ type: 'configured', stepBudget: 1, reviews: false, wrapsUp: false });
    session.hooks();
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['step_budget'],
    );
    assert.equal(session.stateOf('s1'), 'pending');
    assert.equal(session.phase, 'starting');
  });
});

describe('a batch', () => {
  it('runs the calls of one segment together and the segments in order', () => {
    const session = during('model');
    session.answer(['a', 'b'], 'c');
    assert.deepEqual(
      session.did('begin').map(({ callId }) => callId),
      ['a', 'b'],
    );
    session.run('a', 'b');
    session.result('b');
    assert.deepEqual(session.did('begin'), []);
    session.result('a');
    assert.deepEqual(
      session.did('begin').map(({ callId }) => callId),
      ['c'],
    );
  });

  it('stores each result as soon as those before it are known, in call order', () => {
    const session = during('model');
    session.answer(['a', 'b', 'c']);
    session.run('a', 'b', 'c');
    session.result('b');
    assert.deepEqual(session.rows.slice(2), []);
    session.result('a');
    assert.deepEqual(session.rows.slice(2), ['result a success', 'result b success']);
    session.result('c', 'timeout');
    assert.deepEqual(session.rows.slice(4), ['result c timeout']);
  });

  it('stores that a call runs before it does', () => {
    const session = during('approval');
    session.allow('c1');
    assert.deepEqual(session.writes, [{ write: 'callStarted', turnId: session.turnId, callId: 'c1' }]);
    assert.deepEqual(
      session.effects.map((effect) => effect.do),
      ['run'],
    );
  });

  it('keeps the first result of a call and drops a second one', () => {
    const session = during('model');
    session.answer(['a', 'b']);
    session.run('a', 'b');
    session.result('b');
    session.result('b', 'error');
    session.result('a');
    assert.deepEqual(session.rows.slice(2), ['result a success', 'result b success']);
  });
});

function asked(session: Driver): readonly string[] {
  return session.did('prepare').flatMap(({ items }) => items.map(({ id }) => id));
}
