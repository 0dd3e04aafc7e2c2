import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import {
  allowAll,
  answersOnly,
  assertAccepted,
  assertTrue,
  call,
  idle,
  messagesOf,
  type Rig,
  sent,
  wires,
} from './replay.ts';
import { atEveryEvent } from './sweep.ts';

/** Thinking, text, reads beside a tool that asks, a second step and a final answer. */
function work(rig: Rig, session: LiveSession): void {
  rig.write('a.txt', 'one\n');
  for (const name of ['b.txt', 'two.txt']) rmSync(join(rig.folder, name), { force: true });
  rig.server.script(
    {
      steps: [
        { reasoning: 'Let me see.' },
        { text: 'I will look.' },
        call('read_file', { path: 'a.txt' }),
        call('list_files', {}),
        call('write_file', { path: 'b.txt', content: 'b' }),
      ],
    },
    { steps: [call('write_file', { path: 'two.txt', content: 'two' })] },
    { steps: [{ text: 'Done.' }] },
  );
  allowAll(session);
  session.send('Work', { id: 'first' });
}

function nothingStartedAfterStop(session: LiveSession): void {
  const events = session.events(0);
  const stopped = events.findIndex((seen) => seen.type === 'state' && seen.state === 'stopping');
  const ended = events.findIndex((seen) => seen.type === 'turn.ended');
  const after = events.slice(stopped === -1 ? ended : stopped);
  const started = after.filter(
    (seen) =>
      seen.type === 'delta' ||
      seen.type === 'request.started' ||
      (seen.type === 'tool' && seen.state === 'running' && seen.output === undefined),
  );
  assert.deepEqual(started, []);
}

for (const wire of wires) {
  describe(`races, swept over every event on the ${wire} wire`, () => {
    for (const when of ['inside', 'behind'] as const) {
      it(`B002, B007, B013, B025, B047, B053: a stop ${when} any event ends the turn, and nothing starts after it`, async () => {
        const events = await atEveryEvent(wire, {
          when,
          start: work,
          act: (session) => assert.notEqual(session.stop().outcome, 'refused'),
          async judge(rig, session) {
            await idle(session);
            const first = session.item('first')?.state;
            assert.ok(first);
            const stopped = first.is !== 'delivered' || session.turnResult(first.turnId)?.interrupted === true;
            if (stopped) nothingStartedAfterStop(session);
            const written = ['b.txt', 'two.txt'].map((name) => existsSync(join(rig.folder, name)));
            assertTrue(session, rig, ['first']);
            const next = messagesOf(await answersOnly(rig, session, 'next')).join();
            assert.deepEqual(
              written,
              ['b.txt', 'two.txt'].map((name) => existsSync(join(rig.folder, name))),
            );
            assert.equal(next.includes('stopped your previous turn'), stopped && first.is === 'delivered');
            assertTrue(session, rig, ['first']);
            assertAccepted(rig);
          },
        });
        assert.ok(events > 20);
      });
    }

    const modes = { steer: ['inside'], queue: ['behind'], redirect: ['inside', 'behind'] } as const;
    const verbs = wire === 'anthropic' ? (['steer', 'redirect', 'queue'] as const) : (['redirect'] as const);
    for (const verb of verbs) {
      it(`B059, B067, B086, B088, B094: a ${verb} at any event is read exactly once`, async () => {
        for (const when of modes[verb]) {
          await atEveryEvent(wire, {
            when,
            start: work,
            act: (session) => assert.notEqual(session[verb]('BY THE WAY', { id: 'extra' }).outcome, 'refused'),
            async judge(rig, session) {
              await idle(session);
              assert.equal(session.item('extra')?.state.is, 'delivered');
              assert.deepEqual(session.items(), []);
              assert.ok(sent(rig, rig.server.requests.length - 1).includes('BY THE WAY'));
              assertTrue(session, rig, ['first', 'extra']);
              assertAccepted(rig);
            },
          });
        }
      });
    }

    it('B076, B095: a steer and a queue entry, then a stop at any event: each is read, returned or held', async () => {
      await atEveryEvent(wire, {
        when: 'behind',
        start: (rig, session) => {
          work(rig, session);
          session.steer('ALSO', { id: 'steer' });
          session.queue('LATER', { id: 'queue' });
        },
        act: (session) => session.stop(),
        async judge(rig, session) {
          await idle(session);
          const [first, steer, queue] = ['first', 'steer', 'queue'].map((id) => session.item(id)?.state);
          assert.ok(first && steer && queue);
          const turnId = first.is === 'delivered' ? first.turnId : undefined;
          if (turnId === undefined || session.turnResult(turnId)?.interrupted) {
            // Nothing went into another turn by itself.
            assert.ok(steer.is === 'returned' || (steer.is === 'delivered' && steer.turnId === turnId), steer.is);
            assert.equal(queue.is, 'held');
          } else {
            assert.equal(steer.is, 'delivered');
            assert.ok(queue.is === 'delivered' || queue.is === 'held', queue.is);
          }
          assertTrue(session, rig, ['first', 'steer', 'queue']);
          await answersOnly(rig, session, 'next');
          assertAccepted(rig);
        },
      });
    });

    it('B152, B154, B155: a reload at any event loses no row, revives nothing and leaves a session that works', async () => {
      let again: LiveSession | undefined;
      let before: readonly unknown[] = [];
      await atEveryEvent(wire, {
        when: 'behind',
        start: work,
        act: (session, rig) => {
          before = session.rows();
          again = rig.reopen(session.id);
        },
        async judge(rig) {
          assert.ok(again);
          assert.equal(again.state, 'idle');
          assert.deepEqual(again.rows().slice(0, before.length), before);
          assert.ok(again.item('first'), 'the message was on disk');
          await answersOnly(rig, again, 'next');
          assertTrue(again, rig, ['first']);
          assertAccepted(rig);
        },
      });
    });

    // The rest is about order alone: one wire shows it.
    if (wire !== 'anthropic') return;

    it('B098: what is sent right after a stop at any event is answered', async () => {
      await atEveryEvent(wire, {
        when: 'behind',
        start: work,
        act: (session) => {
          session.stop();
          session.send('new plan', { id: 'plan' });
        },
        async judge(rig, session) {
          await idle(session);
          assert.equal(session.item('plan')?.state.is, 'delivered');
          assert.ok(sent(rig, rig.server.requests.length - 1).includes('new plan'));
          assertTrue(session, rig, ['first', 'plan']);
          assertAccepted(rig);
        },
      });
    });

    it('B004: a stop after this step at any event ends at a boundary, and a stop behind it at once', async () => {
      for (const hard of [false, true]) {
        await atEveryEvent(wire, {
          when: 'behind',
          start: work,
          act: (session) => {
            session.stopAfterStep();
            if (hard) session.stop();
          },
          async judge(rig, session) {
            await idle(session);
            assertTrue(session, rig, ['first']);
            await answersOnly(rig, session, 'next');
            assertAccepted(rig);
          },
        });
      }
    });
  });
}
