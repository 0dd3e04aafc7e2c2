import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { testIds } from '../../../src/protocol/test-ids.ts';
import { Stage } from '../stage.ts';

const sentences = 200;
const sentencesPerTurn = 10;
const seed = 20_260_611;
/** Words made of the keys that cards give a meaning to, and of others. */
const words = [
  'a',
  'd',
  'add',
  'and',
  'All',
  'dad',
  'Deny',
  'always',
  '1',
  '2',
  '12',
  '3.',
  'what',
  'are',
  'you',
  'doing?',
  'yes,',
  'no',
  "don't",
  'é',
];

describe('typing in the real editor', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('typing');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it(`J1. ${sentences} sentences (seed ${seed}) are typed at random moments of turns that ask for approval and ask questions: nothing is allowed, denied or answered, and every letter is in the composer`, async function () {
    this.timeout(600_000);
    const { chat, server, window } = stage;
    const random = generator(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] ?? assert.fail();
    const sentence = () => Array.from({ length: 3 + Math.floor(random() * 3) }, () => pick(words)).join(' ');
    /** Where somebody may have left the focus; the first letter leads back to the composer. */
    const places: readonly (() => Promise<void>)[] = [
      () => chat.composer.focus(),
      () => chat.byId(testIds.transcript).focus(),
      () => chat.byId(testIds.newSession).focus(),
      () => chat.userMessages.last().focus(),
      () => chat.byId(testIds.root).evaluate(() => (document.activeElement as HTMLElement | null)?.blur()),
    ];

    for (let turn = 0; turn < sentences / sentencesPerTurn; turn++) {
      const asked = turn % 2 === 0 ? approvals(turn) : question(turn);
      server.script({ steps: [{ text: 'Let me see.' }, { pause: 'ask' }, ...asked.calls] });
      await chat.send(`Turn ${turn}`);
      const request = await stage.nextRequest();
      const opensIn = Math.floor(random() * 3);
      let typed = '';
      for (let at = 0; at < sentencesPerTurn; at++) {
        // Between words, so that the first letter after the move is the first of a sentence.
        await pick(places)();
        const text = `${sentence()}${at === sentencesPerTurn - 1 ? '' : ' '}`;
        const opensAt = at === opensIn ? Math.floor(random() * text.length) : text.length;
        await window.page.keyboard.type(text.slice(0, opensAt));
        if (at === opensIn) request.release('ask');
        await window.page.keyboard.type(text.slice(opensAt));
        if (at === opensIn) await asked.card(stage).waitFor();
        typed += text;
        assert.equal(await chat.composer.inputValue(), typed);
      }
      assert.ok(await asked.card(stage).isVisible(), 'the card is still open');
      assert.equal(await chat.frame.locator('.ask-card :is(.deny-form, [aria-pressed=true])').count(), 0);
      assert.equal(stage.modelRequests.length, 1, 'nothing was answered');
      await chat.composer.fill('');
      await chat.byId(testIds.stop).click();
      await chat.turnsEnded((turn % 5) + 1);
      for (const marker of asked.markers) await assert.rejects(access(path.join(stage.folder, marker)), /ENOENT/);
      server.reset();
      if (turn % 5 === 4) await chat.newSession();
    }
  });
});

interface Asked {
  readonly calls: readonly { readonly call: { readonly id: string; readonly name: string; readonly input: unknown } }[];
  readonly card: (stage: Stage) => Locator;
  /** Files that exist if it was allowed. */
  readonly markers: readonly string[];
}

function approvals(turn: number): Asked {
  const numbers = [1, 2];
  return {
    calls: numbers.map((n) => ({
      call: { id: `type-${turn}-${n}`, name: 'terminal', input: { command: `touch typed-${turn}-${n}` } },
    })),
    card: ({ chat }) => chat.approval(`type-${turn}-1`),
    markers: numbers.map((n) => `typed-${turn}-${n}`),
  };
}

function question(turn: number): Asked {
  const input = { question: 'Which one?', choices: ['A', 'B', 'C'] };
  return {
    calls: [{ call: { id: `type-${turn}`, name: 'ask_user', input } }],
    card: ({ chat }) => chat.question(`type-${turn}`),
    markers: [],
  };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
