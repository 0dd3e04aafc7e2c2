import assert from 'node:assert/strict';
import { FAMILIES } from '../../../src/agent/model/catalogue/families.ts';
import {
  EFFORTS,
  effortFor,
  familyName,
  knownModel,
  outputToAskFor,
  PRESETS,
  PRICE_LISTS,
  priceOf,
  UNKNOWN_WINDOW,
} from '../../../src/agent/model/catalogue/index.ts';

describe('what is known of a model', () => {
  it('finds one family under the many names of one model', () => {
    const names = [
      'claude-opus-4-5',
      'claude-opus-4.5',
      'anthropic/claude-opus-4.5',
      'us.anthropic.claude-opus-4-5-20251101-v1:0',
      'claude-opus-4-5@20251101',
    ];
    for (const name of names) assert.equal(knownModel(name).maxOutput, 64_000, name);
  });

  it('takes the longest beginning of a name, and none that ends in the middle of a word or number', () => {
    assert.equal(knownModel('gpt-5.4-mini-2026-03-01').contextWindow, 400_000);
    assert.equal(knownModel('gpt-5.4').contextWindow, 1_050_000);
    assert.equal(knownModel('gpt-50').windowFrom, 'unknown');
    assert.equal(knownModel('foo3').windowFrom, 'unknown');
    assert.equal(knownModel('o3').contextWindow, 200_000);
  });

  it('believes the settings, then a refusal, then the server, then the family', () => {
    const said = {
      settings: { contextWindow: 1000 },
      learned: { contextWindow: 2000 },
      endpoint: { contextWindow: 3000, maxOutput: 77 },
    };
    const known = (without: readonly (keyof typeof said)[]) => {
      const left = Object.fromEntries(
        Object.entries(said).filter(([voice]) => !without.includes(voice as keyof typeof said)),
      );
      const { contextWindow, windowFrom } = knownModel('gpt-5', left);
      return [contextWindow, windowFrom];
    };
    assert.deepEqual(known([]), [1000, 'settings']);
    assert.deepEqual(known(['settings']), [2000, 'learned']);
    assert.deepEqual(known(['settings', 'learned']), [3000, 'endpoint']);
    assert.deepEqual(known(['settings', 'learned', 'endpoint']), [400_000, 'family']);
    assert.equal(knownModel('gpt-5', said).maxOutput, 77, 'each fact by itself');
  });

  it('assumes 256,000 tokens of a model that nobody knows, and says that nobody does', () => {
    const known = knownModel('somebody/their-own-model');
    assert.deepEqual([known.contextWindow, known.windowFrom], [UNKNOWN_WINDOW, 'unknown']);
    assert.equal(known.vision, undefined, 'not known to be blind either');
    assert.equal(knownModel('gpt-oss-120b').vision, false);
  });

  it('asks for no more output than a refusal has named, and for none where the provider has a default', () => {
    assert.equal(outputToAskFor('gpt-5', {}, false), undefined);
    assert.equal(outputToAskFor('claude-opus-5-5', {}, true), 32_000);
    assert.equal(outputToAskFor('claude-3-5-haiku', {}, true), 8192);
    assert.equal(outputToAskFor('claude-opus-5-5', { settings: { maxOutput: 100_000 } }, true), 100_000);
    const refused = { settings: { maxOutput: 100_000 }, learned: { maxOutput: 8128 } };
    assert.equal(outputToAskFor('claude-opus-5-5', refused, true), 8128);
  });
});

describe('efforts', () => {
  it('never rise above the wish while something weaker is there, and never fall to none', () => {
    for (const wish of EFFORTS) {
      const given = effortFor(['none', 'low', 'high'], wish);
      const expected = {
        none: 'none',
        minimal: 'low',
        low: 'low',
        medium: 'low',
        high: 'high',
        xhigh: 'high',
        max: 'high',
      };
      assert.equal(given, expected[wish], wish);
    }
  });

  it('are the weakest of a model that cannot but think, when none is wanted', () => {
    assert.equal(effortFor(['low', 'high'], 'none'), 'low');
    assert.equal(effortFor([], 'high'), undefined);
  });

  it('stand in order in every family', () => {
    for (const [name, family] of Object.entries(FAMILIES)) {
      const ranks = ('efforts' in family ? family.efforts : []).map((effort) => EFFORTS.indexOf(effort));
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
        name,
      );
    }
  });
});

describe('prices', () => {
  const at = (baseUrl: string, model: string) => priceOf({ api: 'openai-chat', baseUrl, model });

  it("are the maker's at the maker's own address only", () => {
    assert.equal(at('https://api.openai.com/v1', 'gpt-5')?.input, 1.25);
    assert.equal(at('https://proxy.test/v1', 'gpt-5'), undefined);
    assert.equal(at('https://api.openai.com.evil.test/v1', 'gpt-5'), undefined);
  });

  it('hold for a dated edition, and are unknown for a version or variant that the list does not name', () => {
    assert.equal(at('https://api.openai.com/v1', 'gpt-5-2025-08-07')?.input, 1.25);
    assert.equal(at('https://api.anthropic.com', 'claude-sonnet-4-5-20250929')?.input, 3);
    for (const name of ['gpt-5.9', 'gpt-5-turbo', 'o3-pro', 'gpt-5-mini-fast']) {
      assert.equal(at('https://api.openai.com/v1', name), undefined, name);
    }
  });

  it('come from the settings first, then from the server that lists them', () => {
    const listed = { input: 3, output: 4 };
    const of = { api: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1', model: 'openai/gpt-5', listed } as const;
    assert.equal(priceOf(of)?.input, 3);
    assert.equal(priceOf({ ...of, own: { input: 1, output: 2 } })?.input, 1);
  });

  it('count an hour in the cache of Anthropic twice', () => {
    const of = { api: 'anthropic', baseUrl: 'https://api.anthropic.com', model: 'claude-haiku-5-5' } as const;
    assert.equal(priceOf(of)?.cacheWrite, 0.125);
    const hour = priceOf({ ...of, cacheTtl: '1h' });
    assert.deepEqual([hour?.cacheWrite, hour?.above?.[0]?.cacheWrite], [0.2, 1]);
  });

  it('say where and when they were read, under names that a model can have', () => {
    for (const { host, source, on, prices } of PRICE_LISTS) {
      assert.match(source, /^https:\/\//, host);
      assert.match(on, /^20\d\d-\d\d$/, host);
      for (const name of Object.keys(prices)) assert.equal(name, familyName(name));
    }
  });
});

describe('the table of providers', () => {
  it('says where its keys come from, and offers models that have a known window', () => {
    for (const [id, { needsKey, keyVariables, models }] of Object.entries(PRESETS)) {
      if (needsKey) assert.ok(keyVariables?.length, id);
      for (const model of models.filter((name) => !['default', 'rehearsal'].includes(name))) {
        assert.equal(knownModel(model).windowFrom, 'family', `${id}/${model}`);
      }
    }
  });
});
