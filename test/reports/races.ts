/**
 * What can happen at an awkward moment of a turn, and what has to be true afterwards. `races.test.ts` lets it happen at
 * every event; `soak/main.ts` around events by the clock.
 */

import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { allowAll, answersOnly, assertAccepted, assertTrue, call, idle, messagesOf, type Rig, sent } from './replay.ts';

export interface Race {
  /** Scripts the server and starts the work. */
  start(rig: Rig, session: LiveSession): void;
  /** What happens at the moment. */
  act(session: LiveSession, rig: Rig): void;
  /** Judges; gets the session once `act` has happened. Has to wait by itself until nothing runs. */
  judge(rig: Rig, session: LiveSession): Promise<void>;
}

const WRITTEN = ['b.txt', 'two.txt'] as const;

/**
 * Thinking, text, reads beside a tool that asks, a second step and a final answer.
 *
 * @param pace milliseconds between the steps of the model: 0 for races over events
 */
export function work(rig: Rig, session: LiveSession, pace = 0): void {
  rig.write('a.txt', 'one\n');
  for (const name of WRITTEN) rmSync(join(rig.folder, name), { force: true });
  const wait = pace === 0 ? [] : [{ delay: pace }];
  rig.server.script(
    {
      steps: [
        ...wait,
        { reasoning: 'Let me see.' },
        ...wait,
        { text: 'I will look.' },
        ...wait,
        call('read_file', { path: 'a.txt' }),
        call('list_files', {}),
        call('write_file', { path: 'b.txt', content: 'b' }),
      ],
    },
    { steps: [...wait, call('write_file', { path: 'two.txt', content: 'two' }), ...wait] },
    { steps: [...wait, { text: 'Done.' }, ...wait] },
  );
  allowAll(session);
  session.send('Work', { id: 'first' });
}

/** B002, B007, B013, B025, B047, B053: a stop ends the turn, and nothing starts after it. */
export function stopped(pace = 0): Race {
  return {
    start: (rig, session) => work(rig, session, pace),
    act: (session) => assert.notEqual(session.stop().outcome, 'refused'),
    async judge(rig, session) {
      await idle(session);
      const first = session.item('first')?.state;
      assert.ok(first);
      const wasStopped = first.is !== 'delivered' || session.turnResult(first.turnId)?.interrupted === true;
      if (wasStopped) nothingStartedAfterStop(session);
      const written = WRITTEN.map((name) => existsSync(join(rig.folder, name)));
      assertTrue(session, rig, ['first']);
      const next = messagesOf(await answersOnly(rig, session, 'next')).join();
      assert.deepEqual(
        WRITTEN.map((name) => existsSync(join(rig.folder, name))),
        written,
      );
      assert.equal(next.includes('stopped your previous turn'), wasStopped && first.is === 'delivered');
      assertTrue(session, rig, ['first']);
      assertAccepted(rig);
    },
  };
}

/** B059, B067, B086, B088, B094: the text is read exactly once. */
export function said(verb: 'steer' | 'redirect' | 'queue', pace = 0): Race {
  return {
    start: (rig, session) => work(rig, session, pace),
    act: (session) => assert.notEqual(session[verb]('BY THE WAY', { id: 'extra' }).outcome, 'refused'),
    async judge(rig, session) {
      await idle(session);
      assert.equal(session.item('extra')?.state.is, 'delivered');
      assert.deepEqual(session.items(), []);
      assert.ok(sent(rig, rig.server.requests.length - 1).includes('BY THE WAY'));
      assertTrue(session, rig, ['first', 'extra']);
      assertAccepted(rig);
    },
  };
}

/** B076, B095: of a steer and a queue entry that wait when a stop comes, each is read, returned or held. */
export function stoppedWithTexts(pace = 0): Race {
  return {
    start: (rig, session) => {
      work(rig, session, pace);
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
  };
}

/** B152, B154, B155: a reload loses no row, revives nothing and leaves a session that works. */
export function reloaded(pace = 0): Race {
  let again: LiveSession | undefined;
  let before: readonly unknown[] = [];
  return {
    start: (rig, session) => work(rig, session, pace),
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
  };
}

/** B098: what is sent right after a stop is answered. */
export function stoppedAndSent(pace = 0): Race {
  return {
    start: (rig, session) => work(rig, session, pace),
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
  };
}

/** B004: a stop after this step ends at a boundary, and a stop behind it at once. */
export function stoppedAfterStep(hard: boolean): Race {
  return {
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
  };
}

export function nothingStartedAfterStop(session: LiveSession): void {
  const events = session.events(0);
  const stopping = events.findIndex((seen) => seen.type === 'state' && seen.state === 'stopping');
  const ended = events.findIndex((seen) => seen.type === 'turn.ended');
  const after = events.slice(stopping === -1 ? ended : stopping);
  const started = after.filter(
    (seen) =>
      seen.type === 'delta' ||
      seen.type === 'request.started' ||
      (seen.type === 'tool' && seen.state === 'running' && seen.output === undefined),
  );
  assert.deepEqual(started, []);
}
