import assert from 'node:assert/strict';
import { planBatch, ToolRegistry, toolSpecs, unknownToolText } from '../../../src/agent/tools/index.ts';
import type { ToolDefinition } from '../../../src/api.ts';
import { Workspace } from './tool-context.ts';

const weather: ToolDefinition = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  readOnly: true,
  invoke: async (input) => `sunny: ${JSON.stringify(input)}`,
};

describe('the tool registry', function () {
  this.timeout(15_000);

  it('has the eleven built-in tools, each with a schema that the model gets without defaults being required', () => {
    const specs = new ToolRegistry().toolSpecs();
    assert.deepEqual(
      specs.map((spec) => spec.name),
      [
        'read_file',
        'list_files',
        'search_files',
        'write_file',
        'patch',
        'terminal',
        'process',
        'diagnostics',
        'ask_user',
        'todo',
        'delegate',
      ],
    );
    const [read] = specs;
    assert.deepEqual(read?.inputSchema.required, ['path']);
    for (const spec of specs) assert.equal(spec.inputSchema.type, 'object', spec.name);
  });

  it('the same tools give the same specs, byte for byte and by identity', () => {
    const registry = new ToolRegistry();
    assert.equal(toolSpecs(registry.list())[0], toolSpecs(registry.list())[0]);
    assert.equal(JSON.stringify(registry.toolSpecs()), JSON.stringify(new ToolRegistry().toolSpecs()));
  });

  it('case 36: a name that differs in case or separators is repaired, another one is not', () => {
    const registry = new ToolRegistry();
    for (const name of ['read_file', 'ReadFile', 'read-file', 'READ FILE']) {
      assert.equal(registry.find(name)?.name, 'read_file', name);
    }
    assert.equal(registry.find('delete_file'), undefined);
    assert.match(unknownToolText('delete_file', registry.list()), /no tool "delete_file".*read_file/);
  });

  it('a registered tool is listed, found, run, and gone after its disposal', async () => {
    const workspace = new Workspace();
    await workspace.open();
    const registration = workspace.registry.register(weather);
    assert.deepEqual(workspace.registry.toolSpecs().at(-1)?.inputSchema, weather.inputSchema);
    const result = await workspace.run('weather', { city: 'Rome' });
    assert.equal(result.text, 'sunny: {"city":"Rome"}');
    registration.dispose();
    assert.equal(workspace.registry.find('weather'), undefined);
    await workspace.close();
  });

  it('its input is held to its schema', () => {
    const registry = new ToolRegistry();
    registry.register(weather);
    assert.equal(registry.find('weather')?.input.safeParse({ city: 3 }).success, false);
    assert.equal(registry.find('weather')?.input.safeParse({}).success, false);
  });

  it('registered tools stand in the order of their names', () => {
    const registry = new ToolRegistry();
    registry.register({ ...weather, name: 'zebra' });
    registry.register({ ...weather, name: 'ant' });
    assert.deepEqual(
      registry
        .list()
        .slice(-2)
        .map((tool) => tool.name),
      ['ant', 'zebra'],
    );
  });

  it('bad names, names that are taken and schemas that are none are refused with the reason', () => {
    const registry = new ToolRegistry();
    registry.register(weather);
    assert.throws(() => registry.register({ ...weather, name: 'a b' }), /1 to 64/);
    assert.throws(() => registry.register({ ...weather, name: 'x'.repeat(65) }), /1 to 64/);
    assert.throws(() => registry.register({ ...weather, name: 'terminal' }), /built-in/);
    assert.throws(() => registry.register({ ...weather, name: 'Read-File' }), /built-in/);
    assert.throws(() => registry.register(weather), /another registered tool/);
    assert.throws(() => registry.register({ ...weather, name: 'x', inputSchema: { type: 'string' } }), /"object"/);
  });

  it('one that changes things asks, one that only reads does not', async () => {
    const workspace = new Workspace();
    await workspace.open();
    workspace.registry.register(weather);
    workspace.registry.register({ ...weather, name: 'deploy', readOnly: false });
    assert.equal(await workspace.permission('weather', { city: 'x' }), undefined);
    assert.equal((await workspace.permission('deploy', { city: 'x' }))?.rule?.key, 'tool:deploy');
    await workspace.close();
  });

  it('one that throws is an error, after a stop it is stopped', async () => {
    const workspace = new Workspace();
    await workspace.open();
    workspace.registry.register({ ...weather, invoke: () => Promise.reject(new Error('no network')) });
    assert.match((await workspace.run('weather', { city: 'x' })).text, /no network/);
    workspace.stop.abort();
    assert.equal((await workspace.run('weather', { city: 'x' })).status, 'stopped');
    await workspace.close();
  });
});

describe('planning a batch', () => {
  const registry = new ToolRegistry();
  const plan = (...calls: readonly (readonly [string, unknown])[]) =>
    planBatch(
      calls.map(([name, input], index) => ({ callId: String(index), name, input })),
      registry,
    ).map(({ segment }) => segment);
  const read = ['read_file', { path: 'a' }] as const;
  const run = ['terminal', { command: 'ls' }] as const;

  it('case 1: reads may overlap', () => assert.deepEqual(plan(read, read, read), [0, 0, 0]));

  it('case 2: nothing crosses a command', () => assert.deepEqual(plan(read, read, run, read, read), [0, 0, 1, 2, 2]));

  it('commands and edits stand alone', () => {
    assert.deepEqual(plan(run, run, ['write_file', { path: 'a', content: '' }]), [0, 1, 2]);
  });

  it('case 6: an unknown tool and arguments that do not fit are barriers', () => {
    assert.deepEqual(plan(read, ['nope', {}], read), [0, 1, 2]);
    assert.deepEqual(plan(read, ['read_file', { path: 3 }], read), [0, 1, 2]);
    const broken = { callId: '1', name: 'read_file', input: { path: 'a' }, invalidInput: '{"pa' };
    const whole = { callId: '0', name: 'read_file', input: { path: 'a' } };
    assert.deepEqual(
      planBatch([whole, broken, whole], registry).map(({ segment }) => segment),
      [0, 1, 2],
    );
  });

  it('case 8: a question never overlaps', () => {
    assert.deepEqual(plan(read, ['ask_user', { question: 'x?' }], read), [0, 1, 2]);
  });

  it('no calls are no segments', () => assert.deepEqual(plan(), []));
});
