import assert from 'node:assert/strict';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { Answer } from '../../model-server/index.ts';
import { Rig } from './rig.ts';

const price = { input: 1_000, output: 10_000 };
const answer = (input: number, output: number) => ({ steps: [{ usage: { input, output } }, { text: 'Done.' }] });

describe('what a session has spent', () => {
  let rig: Rig;
  let session: LiveSession;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    session = rig.agent.create();
  });
  afterEach(() => rig.close());

  async function ask(text: string, ...script: readonly Answer[]) {
    rig.server.script(...script);
    session.send(text);
    return session.settled();
  }

  it('is told by model, also of earlier windows, and what is unknown of one is unknown of that one alone', async () => {
    rig.model = { ref: 'fake/dear', label: 'Dear', price };
    const first = await ask('One', answer(1_000, 10));
    assert.deepEqual(
      first.byModel?.map(({ ref, requests, usage }) => [ref, requests, usage.costUsd]),
      [['fake/dear', 1, 1.1]],
    );
    rig.model = { ref: 'fake/local', label: 'Local' };
    await ask('Two', answer(500, 50));
    session = rig.reopen(session.id);
    rig.model = { ref: 'fake/dear', label: 'Dear', price };
    await ask('Three', answer(1_000, 0));
    const { byModel } = session.spending;
    assert.deepEqual(
      byModel.map(({ label, requests, usage }) => [label, requests, usage.input, usage.costUsd]),
      [
        ['Dear', 2, 2_000, 2.1],
        ['Local', 1, 500, undefined],
      ],
    );
    assert.equal(session.usage.costUsd, undefined);
  });

  it('is told of each budget that is set', async () => {
    rig.model = { price };
    rig.settings = { ...rig.settings, budget: { perSession: 4, perDay: 10 } };
    await ask('One', answer(1_000, 0));
    assert.deepEqual(
      session.spending.budgets.map(({ of, spent, limit }) => [of, spent, limit]),
      [
        ['session', 1, 4],
        ['day', 1, 10],
      ],
    );
  });

  it('stands beside what the provider says is left, for the model that was asked', async () => {
    const headers = {
      'x-ratelimit-limit-requests': '50',
      'x-ratelimit-remaining-requests': '12',
    };
    await ask('One', { ...answer(10, 1), headers });
    const [window] = session.rateLimits('fake/model')?.windows ?? [];
    assert.deepEqual([window?.of, window?.remaining, window?.limit], ['requests', 12, 50]);
    assert.equal(session.rateLimits('fake/other'), undefined);
  });

  it('of its window is told in parts that make up the whole', async () => {
    assert.equal(session.contextFills.length, 0);
    await ask('One', answer(9_000, 1_000));
    const fills = session.contextFills;
    assert.deepEqual(
      fills.map(({ id }) => id),
      ['system_prompt', 'tool_definitions', 'conversation'].filter((id) => fills.some((fill) => fill.id === id)),
    );
    assert.equal(
      fills.reduce((sum, { tokens }) => sum + tokens, 0),
      session.contextTokens,
    );
    assert.equal(fills.at(-1)?.id, 'conversation', 'which is always told');
  });
});
