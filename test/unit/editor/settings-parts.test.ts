import assert from 'node:assert/strict';
import * as z from 'zod';
import { readParts } from '../../../src/editor/settings-parts.ts';
import { settingSchemas } from '../../../src/editor/settings-schema.ts';

describe('settings that are maps or lists', () => {
  const places = (parts: ReturnType<typeof readParts>) => parts?.leftOut.map(({ at }) => at.join('.'));

  it('K8b. lose one model of a provider, and one number of a model', () => {
    const given = {
      a: { baseUrl: 'http://x', models: { m: { contextWindow: 10 }, n: { price: { input: 1 } }, o: { vision: true } } },
      'Not A Name': {},
    };
    const parts = readParts(settingSchemas.providers.schema, given);
    assert.deepEqual(parts?.value, { a: { baseUrl: 'http://x', models: { m: {}, o: { vision: true } } } });
    assert.deepEqual(places(parts)?.toSorted(), ['Not A Name', 'a.models.m.contextWindow', 'a.models.n.price.output']);
  });

  it('K8c. never lose the address or the way of an entry that is kept', () => {
    for (const wrong of [
      { baseUrl: 'x' },
      { api: 'none' },
      { baseURL: 'http://x' },
      { apiKeyEnv: 7 },
      { headers: 1 },
    ]) {
      const parts = readParts(settingSchemas.providers.schema, { openai: { baseUrl: 'http://x', ...wrong }, b: {} });
      assert.deepEqual(parts?.value, { b: {} }, JSON.stringify(wrong));
    }
  });

  it('K8d. name entries of a list by their place in what was written', () => {
    const parts = readParts(settingSchemas.fallback.schema, ['bad', 'a/b', 7, 'c/d', 'worse']);
    assert.deepEqual(parts?.value, ['a/b', 'c/d']);
    assert.deepEqual(places(parts), ['0', '2', '4']);
  });

  it('K8e. are not read at all where they are neither map nor list', () => {
    for (const given of [7, 'x', null, []]) {
      assert.equal(readParts(settingSchemas.providers.schema, given), undefined);
    }
    assert.equal(readParts(z.int(), 'x'), undefined);
  });

  it('K8f. all settings of that kind lose one bad entry only', () => {
    for (const [name, { schema }] of Object.entries(settingSchemas)) {
      if (schema instanceof z.ZodRecord && !schema.safeParse({ ok: 7 }).success) {
        assert.deepEqual(readParts(schema as z.ZodType, { bad: 7 })?.value, {}, name);
      }
      if (schema instanceof z.ZodArray && !schema.safeParse([{}]).success) {
        assert.deepEqual(readParts(schema as z.ZodType, [{}])?.value, [], name);
      }
    }
  });
});
