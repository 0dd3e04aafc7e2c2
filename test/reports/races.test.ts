import assert from 'node:assert/strict';
import { reloaded, said, stopped, stoppedAfterStep, stoppedAndSent, stoppedWithTexts } from './races.ts';
import { wires } from './replay.ts';
import { atEveryEvent } from './sweep.ts';

for (const wire of wires) {
  describe(`races, swept over every event on the ${wire} wire`, () => {
    for (const when of ['inside', 'behind'] as const) {
      it(`B002, B007, B013, B025, B047, B053: a stop ${when} any event ends the turn, and nothing starts after it`, async () => {
        assert.ok((await atEveryEvent(wire, stopped(), when)) > 20);
      });
    }

    const modes = { steer: ['inside'], queue: ['behind'], redirect: ['inside', 'behind'] } as const;
    const verbs = wire === 'anthropic' ? (['steer', 'redirect', 'queue'] as const) : (['redirect'] as const);
    for (const verb of verbs) {
      it(`B059, B067, B086, B088, B094: a ${verb} at any event is read exactly once`, async () => {
        for (const when of modes[verb]) await atEveryEvent(wire, said(verb), when);
      });
    }

    it('B076, B095: a steer and a queue entry, then a stop at any event: each is read, returned or held', async () => {
      await atEveryEvent(wire, stoppedWithTexts(), 'behind');
    });

    it('B152, B154, B155: a reload at any event loses no row, revives nothing and leaves a session that works', async () => {
      await atEveryEvent(wire, reloaded(), 'behind');
    });

    // The rest is about order alone: one wire shows it.
    if (wire !== 'anthropic') return;

    it('B098: what is sent right after a stop at any event is answered', async () => {
      await atEveryEvent(wire, stoppedAndSent(), 'behind');
    });

    it('B004: a stop after this step at any event ends at a boundary, and a stop behind it at once', async () => {
      for (const hard of [false, true]) await atEveryEvent(wire, stoppedAfterStep(hard), 'behind');
    });
  });
}
