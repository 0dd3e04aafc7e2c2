/**
 * The ten worst races of the reports: those in which a product lost a text, ran something that had been stopped, or was
 * left dead, and in which the losing order is a matter of milliseconds.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEvent } from '../../../src/api.ts';
import { type Race, reloaded, said, stopped, stoppedAndSent, stoppedWithTexts } from '../races.ts';
import { allowAll, answersOnly, assertAccepted, assertTrue, call, idle } from '../replay.ts';

/** The nth event that fits, from 1. */
export interface Moment {
  readonly name: string;
  readonly nth: number;
  fits(event: SessionEvent): boolean;
}

export interface Case {
  readonly report: string;
  readonly why: string;
  readonly around: readonly Moment[];
  race(): Race;
}

/** Milliseconds between the steps of the model: the moments stand far enough apart to tell which one was raced. */
const PACE = 20;

const requested = (nth: number): Moment => ({
  name: `request ${nth}`,
  nth,
  fits: ({ type }) => type === 'request.started',
});
const firstText: Moment = { name: 'first text', nth: 1, fits: (event) => event.type === 'delta' };
const cardOpened: Moment = { name: 'approval opened', nth: 1, fits: ({ type }) => type === 'approval.opened' };
const toolRunning: Moment = { name: 'tool running', nth: 1, fits: (event) => isTool(event, 'running') };
const toolEnded = (nth: number): Moment => ({
  name: `tool ${nth} ended`,
  nth,
  fits: (event) => isTool(event, 'success'),
});
const turnEnded: Moment = { name: 'turn ended', nth: 1, fits: ({ type }) => type === 'turn.ended' };

export const cases: readonly Case[] = [
  {
    report: 'B002',
    why: 'a stop before the first byte: the button was gone and the prompt ran to its end',
    around: [requested(1), firstText],
    race: () => stopped(PACE),
  },
  {
    report: 'B025',
    why: 'a stop in a burst of short commands: 20 calls ended after it',
    around: [toolRunning, toolEnded(2), requested(3)],
    race: stoppedBurst,
  },
  {
    report: 'B047',
    why: 'a stop as a turn ends on results: the old task came back by itself',
    around: [toolEnded(3), turnEnded],
    race: () => stopped(PACE),
  },
  {
    report: 'B053',
    why: 'a stop as a call of several is allowed: it ran all the same',
    around: [cardOpened, toolRunning],
    race: () => stopped(PACE),
  },
  {
    report: 'B059',
    why: 'a steer as the last tool ends: lost between two owners',
    around: [toolEnded(3), turnEnded],
    race: () => said('steer', PACE),
  },
  {
    report: 'B067',
    why: 'a steer between the drain of the queue and the request: never sent, never saved',
    around: [requested(2), requested(3)],
    race: () => said('steer', PACE),
  },
  {
    report: 'B076',
    why: 'a steer that waits when a stop meets the end of a tool: drained into the aborted run',
    around: [toolRunning, toolEnded(1)],
    race: () => stoppedWithTexts(PACE),
  },
  {
    report: 'B095',
    why: 'a queued text when a stop meets the end of the turn: stranded, or run against the stop',
    around: [turnEnded],
    race: () => stoppedWithTexts(PACE),
  },
  {
    report: 'B098',
    why: 'a text typed right after a stop: cleared with the queue',
    around: [firstText, toolRunning, turnEnded],
    race: () => stoppedAndSent(PACE),
  },
  {
    report: 'B152',
    why: 'a reload in mid-turn: stuck in working for ever',
    around: [firstText, cardOpened, toolRunning],
    race: () => reloaded(PACE),
  },
];

function isTool(event: SessionEvent, state: 'running' | 'success'): boolean {
  return event.type === 'tool' && event.state === state && event.output === undefined;
}

/** One command after the other; whatever was cut, none may write a line once the turn has ended. */
function stoppedBurst(): Race {
  return {
    start(rig, session) {
      rmSync(join(rig.folder, 'rounds'), { force: true });
      allowAll(session);
      const round = { steps: [call('terminal', { command: 'echo x >> rounds' })] };
      rig.server.script(round, round, round, round);
      session.send('Loop', { id: 'first' });
    },
    act: (session) => session.stop(),
    async judge(rig, session) {
      await idle(session);
      const file = join(rig.folder, 'rounds');
      const rounds = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
      const before = rounds();
      const ended = session.events(0).find(({ type }) => type === 'turn.ended');
      assert.deepEqual(
        session.events(ended?.seq ?? 0).filter(({ type }) => type === 'tool'),
        [],
      );
      await answersOnly(rig, session, 'next');
      assert.equal(rounds(), before);
      assertTrue(session, rig, ['first']);
      assertAccepted(rig);
    },
  };
}
