import assert from 'node:assert/strict';
import { createBuiltinTools, ToolRegistry } from '../../../src/agent/tools/index.ts';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { Script } from '../../model-server/index.ts';
import { event, Rig } from './rig.ts';

/** A dollar for a million tokens in, and as much out: the usage below costs what it says. */
const PRICE = { input: 1, output: 1 };
const costing = (dollars: number) => ({ usage: { input: dollars * 1_000_000, output: 0 } });
const answer = (text: string, dollars: number): Script => ({ steps: [costing(dollars), { text }] });
const waiting: Script = { steps: [{ text: 'So far' }, { pause: 'p' }] };
const read = (dollars: number): Script => ({
  steps: [costing(dollars), { call: { name: 'read_file', input: { path: 'a.txt' } } }],
});

describe('a budget', () => {
  let rig: Rig;
  let session: LiveSession;

  async function open(budget: Rig['settings']['budget']): Promise<void> {
    rig = await Rig.start('openai-chat', { budget, compactionThreshold: 0 });
    rig.model = { price: PRICE, contextWindow: 100_000_000 };
    rig.write('a.txt', 'a');
    session = rig.agent.create();
  }

  afterEach(() => rig.close());

  async function turn(text: string, ...scripts: Script[]) {
    rig.server.script(...scripts);
    const { turnId } = session.send(text);
    return await session.settled(turnId);
  }

  const notices = (kind: string) => session.events(0).filter((one) => one.type === 'notice' && one.kind === kind);

  it('for the turn warns once at 80 %, and stops it as the system before the request that would be too much', async () => {
    await open({ perTurn: 1 });
    const result = await turn('Work', read(0.5), read(0.35), read(0.1), read(0.1), answer('never', 1));
    assert.equal(result.exitReason, 'interrupted_by_system(budget)');
    assert.equal(result.stoppedBy, 'budget');
    assert.equal(rig.server.requests.length, 4);
    assert.equal(result.usage.costUsd?.toFixed(2), '1.05');
    assert.match(result.error?.message ?? '', /\$1\.00 for this turn is used up: \$1\.05.*kept.*perTurn/s);
    assert.equal(notices('budget_warning').length, 1);
    assert.match(JSON.stringify(notices('budget_warning')), /\$0\.85 of the \$1\.00 for this turn/);
    const next = await turn('Again', answer('Fine.', 0.1));
    assert.equal(next.exitReason, 'answered', 'the next turn has its own');
  });

  it('holds what waits when it stops a turn, as any stop does', async () => {
    await open({ perTurn: 1 });
    rig.server.script({
      steps: [costing(2), { call: { name: 'read_file', input: { path: 'a.txt' } } }, { pause: 'p' }],
    });
    const { turnId } = session.send('Work');
    const request = await rig.server.nextRequest();
    await request.paused('p');
    session.queue('Later');
    request.release('p');
    await session.settled(turnId);
    assert.deepEqual(
      session.items().map(({ state }) => state.is),
      ['held'],
    );
    assert.equal(session.state, 'idle');
  });

  it('for the session counts its turns before, also after a reload, and begins no turn over it', async () => {
    await open({ perSession: 1 });
    await turn('One', answer('1', 0.6));
    session = rig.reopen(session.id);
    const result = await turn('Two', read(0.6));
    assert.equal(result.exitReason, 'interrupted_by_system(budget)');
    const receipt = session.send('Three');
    assert.equal(receipt.outcome, 'refused');
    assert.equal(receipt.outcome === 'refused' && receipt.reason, 'over_budget');
    assert.match(receipt.outcome === 'refused' ? receipt.message : '', /Nothing was sent.*perSession/);
    assert.equal(rig.server.requests.length, 2);
    rig.settings = { ...rig.settings, budget: { perSession: 5 } };
    assert.equal((await turn('Three', answer('3', 0.1))).exitReason, 'answered');
  });

  it('for the day counts all sessions', async () => {
    await open({ perDay: 1 });
    await turn('One', answer('1', 0.7));
    session = rig.agent.create();
    const result = await turn('Two', read(0.7));
    assert.equal(result.exitReason, 'interrupted_by_system(budget)');
    session = rig.agent.create();
    const receipt = session.send('Three');
    assert.equal(receipt.outcome === 'refused' && receipt.reason, 'over_budget');
  });

  it('for the day counts what still runs in other sessions', async () => {
    await open({ perDay: 1 });
    rig.server.script({ steps: [costing(2), { call: { name: 'read_file', input: { path: 'a.txt' } } }] }, waiting);
    rig.settings = { ...rig.settings, budget: {} };
    const running = session.send('Work');
    await (await rig.server.request(1)).paused('p');
    rig.settings = { ...rig.settings, budget: { perDay: 1 } };
    const receipt = rig.agent.create().send('Beside it');
    assert.equal(receipt.outcome === 'refused' && receipt.reason, 'over_budget');
    session.stop();
    await session.settled(running.turnId);
  });

  it('is asked before a summary too', async () => {
    await open({ perSession: 1 });
    for (const text of ['One', 'Two']) await turn(text, answer('word '.repeat(5000), 0.7));
    assert.ok(session.compact());
    const { result } = await event(session, 'turn.ended', ({ result }) => result.exitReason !== 'answered');
    assert.equal(result.exitReason, 'interrupted_by_system(budget)');
    assert.match(result.error?.message ?? '', /for this session is used up/);
    assert.equal(rig.server.requests.length, 2);
  });

  it('for the day begins anew at midnight', async () => {
    await open({ perDay: 1 });
    await turn('One', answer('1', 2));
    const tomorrow = Date.now() + 24 * 3_600_000;
    const clock = { now: () => tomorrow, after: (): (() => void) => () => undefined };
    session = rig.secondWindow({ clock }).agent.create();
    assert.equal((await turn('Two', answer('2', 0.1))).exitReason, 'answered');
  });

  it('gives a repeated text its first receipt, also when it is used up meanwhile', async () => {
    await open({ perSession: 1 });
    rig.server.script(answer('1', 2));
    const first = session.send('One', { id: 'a' });
    await session.settled(first.turnId);
    assert.deepEqual(session.send('One', { id: 'a' }), first);
  });

  it('counts what delegated agents spend, and ends them with the turn', async () => {
    await open({ perTurn: 1 });
    const tools = new ToolRegistry(createBuiltinTools());
    session = rig.secondWindow({ tools }).agent.create();
    const delegate: Script = {
      steps: [costing(0.1), { call: { name: 'delegate', input: { name: 'reader', task: 'Read a.txt' } } }],
    };
    const result = await turn('Work', delegate, read(0.5), read(0.5), answer('never', 1));
    assert.equal(result.exitReason, 'interrupted_by_system(budget)');
    assert.equal(rig.server.requests.length, 3);
    assert.equal(session.usage.costUsd?.toFixed(2), '1.10');
    assert.deepEqual(
      session.childAgents().map(({ state }) => state),
      ['interrupted'],
    );
  });

  it('counts what is known of a turn that went on with a model without a price, also for the day', async () => {
    await open({ perTurn: 5, perDay: 1 });
    const bill = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const priced = { ref: 'a/dear', label: 'Dear', requests: 1, usage: { ...bill, costUsd: 2 } };
    const free = { ref: 'b/local', label: 'Local', requests: 1, usage: bill };
    rig.server.script(answer('1', 0.1));
    const { turnId } = session.send('One');
    const result = await session.settled(turnId);
    const { costUsd: _unknown, ...usage } = result.usage;
    const turns = rig.store.turns(session.id);
    const [stored] = turns;
    assert.ok(stored);
    rig.store.commit({
      sessionId: session.id,
      turn: { ...stored, result: { ...result, usage, byModel: [priced, free] } },
    });
    assert.equal(rig.store.costSince(0), 2);
    assert.equal(session.send('Two').outcome, 'refused');
  });

  it('leaves the cost of a turn unknown when the provider does not say what it used', async () => {
    await open({ perTurn: 5 });
    const mute: Script = {
      steps: [
        { raw: 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' },
        { eof: true },
      ],
    };
    rig.server.script(read(0.1), mute);
    const result = await session.settled(session.send('Go').turnId);
    assert.equal(result.finalText, 'Hi');
    assert.equal(result.usage.costUsd, undefined);
    assert.equal(result.usage.input, 100_000);
  });

  it('says once that a price is not known, and counts nothing for it', async () => {
    await open({ perTurn: 1, perSession: 1 });
    const { price: _none, ...model } = rig.model;
    rig.model = model;
    const result = await turn('Work', read(5), answer('Done.', 5));
    assert.equal(result.exitReason, 'answered');
    assert.equal(result.usage.costUsd, undefined);
    await turn('More', answer('Done.', 5));
    assert.equal(notices('budget_unknown').length, 1);
    assert.match(JSON.stringify(notices('budget_unknown')), /price of Fake is not known/);
  });
});
