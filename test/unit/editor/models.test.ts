import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LearnedLimits } from '../../../src/editor/learned-limits.ts';
import { ModelLists } from '../../../src/editor/model-lists.ts';
import { recentFirst } from '../../../src/editor/recent-first.ts';
import { Secrets } from '../../../src/editor/secrets.ts';
import { settingSchemas } from '../../../src/editor/settings-schema.ts';
import { providersOf, routeOf } from '../../model/route-rig.ts';
import { ModelServer } from '../../model-server/index.ts';

describe('keys in the secret storage', () => {
  const kept = new Map<string, string>();
  const secrets = new Secrets({
    get: async (name) => kept.get(name),
    store: async (name, value) => void kept.set(name, value),
    delete: async (name) => void kept.delete(name),
    onDidChange: () => ({ dispose() {} }),
  });

  beforeEach(() => kept.clear());

  it('are several for one provider, in the order of the user, each once', async () => {
    await secrets.setKeys('mine', ['a', ' b ', 'a', '']);
    assert.deepEqual(await secrets.stored('mine'), ['a', 'b']);
    assert.deepEqual(await secrets.stored('other'), []);
  });

  it('are read as earlier versions wrote them, one as it is', async () => {
    kept.set('midcourse.key.mine', 'sk-old');
    assert.deepEqual(await secrets.stored('mine'), ['sk-old']);
    kept.set('midcourse.key.mine', '[not json');
    assert.deepEqual(await secrets.stored('mine'), ['[not json']);
    await secrets.setKeys('mine', ['sk-new']);
    assert.equal(kept.get('midcourse.key.mine'), 'sk-new');
  });
});

describe('limits that providers named', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'midcourse-limits-'));
    file = join(folder, 'sub', 'limits.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = () => new LearnedLimits(file, (error) => assert.fail(String(error)));

  it('are there for later sessions, each beside the other', async () => {
    const limits = open();
    limits.learn('a/m', { contextWindow: 131_072 });
    limits.learn('a/m', { maxOutput: 8128 });
    assert.deepEqual(limits.of('a/m'), { contextWindow: 131_072, maxOutput: 8128 });
    await limits.written();
    assert.deepEqual(open().of('a/m'), { contextWindow: 131_072, maxOutput: 8128 });
  });

  it('do not undo what another window has learned meanwhile', async () => {
    const [one, other] = [open(), open()];
    one.learn('a/m', { contextWindow: 1000 });
    await one.written();
    other.learn('b/m', { contextWindow: 2000 });
    await other.written();
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      'a/m': { contextWindow: 1000 },
      'b/m': { contextWindow: 2000 },
    });
  });

  it('are forgotten rather than believed when their file makes no sense', () => {
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, '{"a/m":{"contextWindow":-1}}');
    assert.equal(new LearnedLimits(broken, () => {}).of('a/m'), undefined);
  });

  it('count until the window closes when they cannot be written', async () => {
    const failures: unknown[] = [];
    writeFileSync(join(folder, 'sub'), 'a file where the folder would be');
    const limits = new LearnedLimits(file, (error) => failures.push(error));
    limits.learn('a/m', { contextWindow: 1000 });
    await limits.written();
    assert.equal(failures.length, 1);
    assert.deepEqual(limits.of('a/m'), { contextWindow: 1000 });
  });
});

describe('the models to choose from', () => {
  it('begin with those that were chosen before, the newest first, and name each model once', () => {
    const models = (...refs: readonly string[]) => refs.map((ref) => ({ ref, label: ref }));
    const groups = [
      { label: 'A', models: models('a/1', 'a/2') },
      { label: 'B', models: models('b/1') },
    ];
    const listed = recentFirst(groups, ['b/1', 'gone/1', 'a/1'], 'Recent');
    assert.deepEqual(
      listed.map(({ label, models }) => [label, ...models.map(({ ref }) => ref)]),
      [
        ['Recent', 'b/1', 'a/1'],
        ['A', 'a/2'],
      ],
    );
    assert.deepEqual(recentFirst(groups, [], 'Recent'), groups);
  });
});

describe('lists of models', () => {
  it('are asked for once while they are fresh, and again later', async () => {
    const server = await ModelServer.start();
    let now = 0;
    const lists = new ModelLists(() => now);
    const route = routeOf(providersOf({ providers: { mine: { baseUrl: server.openAiBaseUrl } } }).named('mine/m'));
    try {
      await Promise.all([lists.list(route, 'k'), lists.facts(route, 'k', 'test-model')]);
      await lists.list(route, 'k');
      assert.equal(server.listings.length, 1);
      now += 11 * 60_000;
      await lists.list(route, 'k');
      assert.equal(server.listings.length, 2);
      await lists.list(route, 'another key');
      assert.equal(server.listings.length, 3, 'each key has models of its own');
    } finally {
      await server.close();
    }
  });
});

describe('the chain of fallback models', () => {
  it('gives an entry with an address of its own a name of its own, with the keys of its provider', () => {
    const all = providersOf({
      fallback: [
        'anthropic/claude-opus-5-5',
        { model: 'openai/gpt-5' },
        { model: 'openai/gpt-5', baseUrl: 'https://x.test/v1' },
      ],
      providers: { openai: { models: { 'gpt-5': { promptCaching: true, contextWindow: 5000 } } } },
    });
    const [plain, same, elsewhere] = all.fallbacks();
    assert.deepEqual([plain, same, elsewhere], ['anthropic/claude-opus-5-5', 'openai/gpt-5', 'openai@x.test/gpt-5']);
    const named = all.named(elsewhere ?? '');
    assert.deepEqual([named.provider, named.model, named.route?.baseUrl], ['openai', 'gpt-5', 'https://x.test/v1']);
    assert.deepEqual(named.entry?.models, { 'gpt-5': { contextWindow: 5000 } }, 'caching is said of another address');
    assert.equal(named.route?.keyVariables.length, 0, 'the key in the environment stays with OpenAI');
    assert.deepEqual(all.named('openai@x.test/any').route?.keyVariables, [], 'whatever the model');
    assert.notEqual(all.backendOf(elsewhere ?? ''), all.backendOf('openai/gpt-5'));
  });

  it('names every variable that may hold a key, so that no command gets it', () => {
    const variables = providersOf({ providers: { mine: { apiKeyEnv: ['A', 'B'] } } }).keyVariables();
    for (const name of ['A', 'B', 'OPENAI_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'])
      assert.ok(variables.includes(name), name);
  });
});

describe('settings of models', () => {
  it('take a provider without an API, one key variable or several, and nothing that they do not know', () => {
    const { schema } = settingSchemas.providers;
    assert.ok(schema.safeParse({ a: { baseUrl: 'https://x.test/v1', apiKeyEnv: 'A' } }).success);
    assert.ok(
      schema.safeParse({ a: { apiKeyEnv: ['A', 'B'], models: { m: { reasoning: 'high', staleTimeout: 60 } } } })
        .success,
    );
    assert.equal(schema.safeParse({ a: { apiKey: 'sk-1' } }).success, false);
    assert.equal(schema.safeParse({ a: { api: 'telepathy' } }).success, false);
  });

  it('do not take "off" or "false" in quotes for consent to compaction by the server', () => {
    const { schema } = settingSchemas['compaction.native'];
    assert.deepEqual(
      ['off', 'false', 'true', true, false].map((value) => schema.parse(value)),
      [false, false, true, true, false],
    );
  });
});
