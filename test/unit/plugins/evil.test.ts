import assert from 'node:assert/strict';
import { never, payloadOf } from '../hooks/manager-rig.ts';
import { PluginRig } from './plugin-rig.ts';

const prompt = payloadOf('pre_llm_call', { user_message: 'hi', kind: 'message', item_id: '', is_first_turn: true });

describe('a plugin that does harm', () => {
  let rig: PluginRig;
  beforeEach(() => {
    rig = new PluginRig();
  });
  afterEach(() => rig.close());

  async function problemOf(name: string): Promise<string> {
    rig.copy(name);
    await rig.load();
    assert.equal(rig.state(name), 'active');
    assert.deepEqual(await rig.manager.fire('pre_llm_call', prompt, never), {});
    assert.equal(rig.problems[0]?.plugin, name);
    return rig.problems[0]?.words ?? '';
  }

  it('by process.exit is named with its exit code', async () => {
    assert.equal(await problemOf('exits'), 'It ended itself with exit code 7.');
  });
  it('by a native crash is named with its signal', async () => {
    assert.match(await problemOf('aborts'), /It crashed \(SIGABRT\)\./);
  });
  it('by taking memory is ended at its limit', async () => {
    rig.settings = { ...rig.settings, memory: 32 };
    assert.match(await problemOf('eats-memory'), /needed more than the 32 MB/);
  });
  it('by a flood of messages is ended', async () => {
    assert.match(await problemOf('floods'), /thousands of messages/);
  });
});
