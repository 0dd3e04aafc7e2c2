import assert from 'node:assert/strict';
import { configSchema } from '../../../src/agent/plugins/config-schema.ts';
import { configProblem, configValues } from '../../../src/agent/plugins/index.ts';
import { satisfies } from '../../../src/agent/plugins/order.ts';
import { PluginRig } from './plugin-rig.ts';

describe('plugins that require each other', () => {
  let rig: PluginRig;
  beforeEach(() => {
    rig = new PluginRig();
  });
  afterEach(() => rig.close());

  it('are loaded in the order of their folders, what is required first', async () => {
    const body = `ctx.registerHook('post_llm_call', () => {});`;
    rig.code('a', body, { requires: ['c@^1.2'] });
    rig.code('b', body);
    rig.code('c', body, { version: '1.4.0' });
    await rig.load();
    assert.deepEqual(
      rig.manager.list().map(({ name }) => name),
      ['c', 'a', 'b'],
    );
  });

  it('are not loaded without it, and say why', async () => {
    rig.code('a', '', { requires: ['nowhere'] });
    rig.code('b', '', { requires: [{ id: 'c', version: '>=2' }] });
    rig.code('c', '', { version: '1.0.0' });
    rig.code('d', '', { requires: ['a'] });
    rig.code('e', '', { requires: ['f'] });
    rig.code('f', '', { requires: ['e'] });
    rig.code('g', '', { requires: ['h'] });
    rig.code('h', '');
    rig.code('i', '', { requires: ['j'] });
    rig.code('j', `throw new Error('no');`);
    rig.disabled.add('h');
    await rig.load();
    assert.match(rig.state('a'), /nowhere, which is not there/);
    assert.match(rig.state('b'), /requires c >=2; there is 1\.0\.0/);
    assert.equal(rig.state('c'), 'active');
    assert.match(rig.state('d'), /requires the plugin a, which cannot run/);
    assert.match(rig.state('e'), /circle: e → f → e/);
    assert.match(rig.state('f'), /circle/);
    assert.match(rig.state('g'), /h, which does not run/);
    assert.match(rig.state('i'), /j, which does not work/);
  });

  it('find their versions as package managers do', () => {
    for (const [version, range] of [
      ['1.2.3', '^1.2'],
      ['0.2.9', '^0.2.3'],
      ['1.2.9', '~1.2.3'],
      ['2.0.0', '>=1.9'],
      ['1.2.0', '1.2.0'],
    ] as const)
      assert.ok(satisfies(version, range), `${version} ${range}`);
    for (const [version, range] of [
      ['2.0.0', '^1.2'],
      ['0.3.0', '^0.2.3'],
      ['1.3.0', '~1.2.3'],
      ['1.2.1', '1.2.0'],
      ['', '>=1'],
    ] as const)
      assert.ok(!satisfies(version, range), `${version} ${range}`);
  });
});

describe('the configuration of a plugin', () => {
  const schema = configSchema.parse({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
      level: { type: 'string', enum: ['low', 'high'], default: 'low' },
      times: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      loud: { type: 'boolean', default: false },
      words: { type: 'array', items: { type: 'string' }, maxItems: 2, default: ['a'] },
    },
  });

  it('has its defaults, and says what is missing', () => {
    assert.deepEqual(configValues(schema, undefined), {
      values: { level: 'low', times: 3, loud: false, words: ['a'] },
      problems: ['name: a value is needed'],
    });
  });
  it('uses the default for a value that does not fit, and says so', () => {
    const { values, problems } = configValues(schema, { name: 'ada', level: 'mid', times: 2.5, other: 1 });
    assert.deepEqual(values, { name: 'ada', level: 'low', times: 3, loud: false, words: ['a'] });
    assert.deepEqual(problems, [
      'level: one of: low, high',
      'times: a whole number is needed',
      'other: the plugin knows no such value',
    ]);
  });
  it('checks each kind of value', () => {
    const { name, times, loud, words } = schema.properties;
    assert.ok(name && times && loud && words);
    assert.match(configProblem(name, 'A') ?? '', /at least 2/);
    assert.match(configProblem(name, 'ABC') ?? '', /match/);
    assert.match(configProblem(times, 10) ?? '', /at most 9/);
    assert.match(configProblem(loud, 'yes') ?? '', /true or false/);
    assert.match(configProblem(words, ['a', 'b', 'c']) ?? '', /at most 2/);
    assert.equal(configProblem(words, ['a']), undefined);
  });
});
