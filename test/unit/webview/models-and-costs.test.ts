import assert from 'node:assert/strict';
import type { Meter, ModelInUse } from '../../../src/protocol/index.ts';
import { usage } from '../../../webview/dev/script.ts';
import { findModels, modelFacts, mostListed } from '../../../webview/state/model-words.ts';
import {
  buckets,
  budgetFacts,
  fillFacts,
  limitFacts,
  sessionCost,
  spenders,
} from '../../../webview/state/spending-words.ts';

const model: ModelInUse = { ref: 'a/b', label: 'Bee', practice: false };
const { costUsd: _cost, ...unpriced } = usage;
const meter = (change: Partial<Meter>): Meter => ({ contextUsed: 1, contextWindow: 2, usage, ...change });

describe('the cost of a session', () => {
  it('is not shown before anything was used', () => {
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    assert.equal(sessionCost(meter({ usage: nothing, costUsd: 0 }), model), undefined);
  });

  it('is shown with 4 decimals below a cent', () => {
    assert.equal(sessionCost(meter({ costUsd: 0.0042 }), model)?.label, '$0.0042');
  });

  it('that is unknown is never shown as nothing: what is known is the least, and who has no price is named', () => {
    const unknown = sessionCost(meter({ usage: unpriced }), model);
    assert.deepEqual(unknown, { label: '$ ?', words: 'The cost of this session is not known.' });
    const partly = sessionCost(
      meter({
        usage: unpriced,
        models: [
          { ref: 'a/b', label: 'Bee', requests: 2, usage: { ...usage, costUsd: 0.5 } },
          { ref: 'c/d', label: 'My own', requests: 1, usage: unpriced },
        ],
      }),
      model,
    );
    assert.equal(partly?.label, '$0.50 + ?');
    assert.match(partly?.words ?? '', /^At least \$0\.50\..*price for My own\.$/);
  });

  it('of a subscription is included', () => {
    assert.equal(sessionCost(meter({ costUsd: 0 }), { ...model, included: true })?.label, 'included');
  });

  it('is split by who spent it where there is more than one', () => {
    const one = { ref: 'a/b', label: 'Bee', requests: 1, usage };
    assert.deepEqual(spenders(meter({ models: [one] })), []);
    assert.deepEqual(spenders(meter({ models: [one], agents: unpriced })), [
      { name: 'Bee', value: '1 request · $0.04' },
      { name: 'Agents', value: 'cost unknown' },
    ]);
  });

  it('comes from buckets that count each token once', () => {
    assert.deepEqual(
      buckets({ ...usage, reasoning: 300 }).map(({ name, value }) => `${name}: ${value}`),
      ['Input: 5.2k', 'Input from cache: 41k (87 %)', 'Written to cache: 900', 'Output: 1.3k', 'of it reasoning: 300'],
    );
  });
});

describe('what is left', () => {
  it('of a budget is said in words from 80 % on', () => {
    const facts = budgetFacts(
      meter({
        budgets: [
          { of: 'turn', limit: 1, spent: 0.79 },
          { of: 'session', limit: 1, spent: 0.8 },
          { of: 'day', limit: 1, spent: 1.2 },
        ],
      }),
    );
    assert.deepEqual(
      facts.map(({ name, value, level, words }) => [name, value, level, words]),
      [
        ['This turn', '$0.79 of $1.00', 'fine', undefined],
        ['This session', '$0.80 of $1.00', 'nearly', 'nearly used up'],
        ['Today', '$1.20 of $1.00', 'over', 'used up: no request goes out'],
      ],
    );
    assert.equal(facts[2]?.share, 1);
  });

  it("of a provider's limit counts down to when it is whole, and is whole then", () => {
    const limits = {
      at: 10_000,
      windows: [{ of: 'requests', per: 'minute', limit: 50, remaining: 5, resetMs: 30_000 } as const],
    };
    const [early] = limitFacts(meter({ limits }), 20_000);
    assert.deepEqual(
      [early?.name, early?.value, early?.words],
      ['Requests a minute', '5 of 50 left · whole in 20 s', 'little left'],
    );
    const [late] = limitFacts(meter({ limits }), 41_000);
    assert.deepEqual([late?.value, late?.level], ['50 of 50 left', 'fine']);
  });

  it('of a limit of which nobody says when it is whole is said without a time', () => {
    const windows = [{ of: 'tokens', per: 'unknown', limit: 1_000, remaining: 0 } as const];
    const [only] = limitFacts(meter({ limits: { at: 0, windows } }), 90_000_000);
    assert.deepEqual([only?.name, only?.value, only?.level], ['Tokens', '0 of 1.0k left', 'over']);
  });

  it('and what fills the context has names', () => {
    const fills = [
      { id: 'system_prompt', tokens: 2_000 },
      { id: 'conversation', tokens: 40 },
    ] as const;
    assert.deepEqual(fillFacts(meter({ fills })), [
      { name: 'System prompt', value: '2.0k' },
      { name: 'Conversation', value: '40' },
    ]);
  });
});

describe('the list of models', () => {
  const groups = [
    {
      label: 'Anthropic',
      models: [
        { ref: 'anthropic/claude-opus-4-5', label: 'Claude Opus 4.5' },
        { ref: 'anthropic/claude-haiku-4-5', label: 'Claude Haiku 4.5' },
      ],
    },
    { label: 'OpenRouter', models: [{ ref: 'openrouter/qwen/qwen3-coder', label: 'qwen/qwen3-coder' }] },
  ];
  const names = (search: string, of = groups) =>
    findModels(of, search).groups.map((group) => [group.label, ...group.models.map(({ label }) => label)]);

  it('is searched by every word, a short one from the beginning of a word', () => {
    assert.deepEqual(names('claude o'), [['Anthropic', 'Claude Opus 4.5']]);
    assert.deepEqual(names('CODER router'), [['OpenRouter', 'qwen/qwen3-coder']]);
    assert.deepEqual(names('4.5 opus'), [['Anthropic', 'Claude Opus 4.5']]);
    assert.deepEqual(names('gpt'), []);
  });

  it('leaves out what nobody would scroll to, and counts it', () => {
    const many = Array.from({ length: mostListed + 7 }, (_, index) => ({ ref: `x/${index}`, label: `Model ${index}` }));
    const found = findModels([{ label: 'X', models: many }], '');
    assert.equal(found.groups[0]?.models.length, mostListed);
    assert.equal(found.more, 7);
  });

  it('says what is known of each: its window, its price, what it sees', () => {
    const listed = { ref: 'a/b', label: 'Bee' };
    const facts = { contextWindow: 200_000, price: { input: 0.25, output: 1.5 }, vision: true };
    assert.equal(modelFacts({ ...listed, ...facts }), '200k tokens · $0.25 in, $1.5 out · images');
    assert.equal(modelFacts({ ...listed, ...facts, included: true }), '200k tokens · in your subscription · images');
    assert.equal(modelFacts({ ...listed, price: { input: 0, output: 0 } }), 'free');
    assert.equal(modelFacts(listed), '');
  });
});
