import assert from 'node:assert/strict';
import type { Session } from '../../../src/api.ts';
import { apiSession } from '../../../src/editor/api-session.ts';
import { Rig } from '../turn/rig.ts';

/** As an extension that is written in JavaScript may call it. */
type Loose = Record<keyof Session, (...passed: unknown[]) => unknown>;

describe('a session in the hands of another extension', () => {
  let rig: Rig;
  let session: Session;
  let loose: Loose;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    session = apiSession(rig.agent.create());
    loose = session as unknown as Loose;
  });

  afterEach(() => rig.close());

  it('does what its verbs say', async () => {
    assert.equal(session.send('Hello', { id: 'mine' }).outcome, 'started');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.equal((await session.transcript()).length, 2);
    assert.deepEqual([session.title, session.state], ['Hello', 'idle']);
  });

  const wrong: readonly (readonly [keyof Session, readonly unknown[], RegExp])[] = [
    ['send', [123], /session\.send: .*string.*text/s],
    ['steer', [undefined], /session\.steer: /],
    ['queue', ['x', { id: 'i'.repeat(129) }], /at most 128 characters/],
    ['redirect', ['x', { images: [{ mime: 'image/png', base64: '' }] }], /no PNG, JPEG, GIF or WebP/],
    ['stop', [{ reason: 5 }], /session\.stop: .*reason/s],
    ['edit', ['a', 5, 1], /session\.edit: /],
    ['answer', ['a', 'perhaps'], /session\.answer: /],
    ['rename', [null], /session\.rename: /],
    ['events', ['1'], /session\.events: /],
  ];
  for (const [call, passed, words] of wrong) {
    it(`refuses ${call}(${JSON.stringify(passed[0])}, …) in words, and nothing has happened`, () => {
      assert.throws(
        () => loose[call](...passed),
        (error) =>
          error instanceof TypeError && words.test(error.message) && error.message.endsWith('Nothing was done.'),
      );
      assert.deepEqual([session.state, session.items(), session.events(0)], ['idle', [], []]);
    });
  }

  it('checks what is passed to its agents', async () => {
    const input = { name: 'a', task: 'Task a' };
    rig.server.script({ steps: [{ call: { name: 'delegate', input } }] });
    session.send('Go');
    await session.settled();
    const [child] = session.children();
    assert.throws(() => child?.steer(5 as unknown as string), /^TypeError: child\.steer: .*Nothing was done\.$/s);
    assert.equal(child?.steer('Late').outcome, 'refused');
    assert.equal(child?.stop().outcome, 'nothing_running');
    assert.equal((await child?.transcript())?.length, 2);
  });

  it('rejects where it would have promised', async () => {
    await assert.rejects(async () => loose.export('pdf'), /session\.export: /);
    await assert.rejects(async () => loose.settled(5), /session\.settled: /);
  });
});
