import assert from 'node:assert/strict';
import type { Log } from '../../../src/agent/turn/types.ts';
import { ApiHooks } from '../../../src/editor/hooks.ts';

describe('hooks of other extensions', () => {
  const warnings: string[] = [];
  const log: Log = { debug() {}, info() {}, error() {}, warn: (message) => warnings.push(message) };
  const { signal } = new AbortController();

  beforeEach(() => {
    warnings.length = 0;
  });

  it('merges answers: the first block wins, contexts are joined in the order of registration', async () => {
    const hooks = new ApiHooks(log);
    hooks.on('pre_llm_call', async () => ({ context: 'one' }));
    hooks.on('pre_llm_call', () => ({ block: 'first' }));
    hooks.on('pre_llm_call', () => ({ block: 'second', context: 'two' }));
    assert.deepEqual(await hooks.fire('pre_llm_call', {}, signal), { block: 'first', context: 'one\n\ntwo' });
  });

  it('reports a hook that throws or rejects and goes on with the others', async () => {
    const hooks = new ApiHooks(log);
    hooks.on('pre_tool_call', () => {
      throw new Error('thrown');
    });
    hooks.on('pre_tool_call', async () => {
      throw new Error('rejected');
    });
    hooks.on('pre_tool_call', () => ({ block: 'no' }));
    assert.deepEqual(await hooks.fire('pre_tool_call', {}, signal), { block: 'no' });
    assert.equal(warnings.length, 2);
  });

  it('does not wait for a hook that hangs once the signal aborts', async () => {
    const hooks = new ApiHooks(log);
    hooks.on('agent_loop_stopped', () => new Promise(() => {}));
    const controller = new AbortController();
    const fired = hooks.fire('agent_loop_stopped', {}, controller.signal);
    controller.abort();
    assert.deepEqual(await fired, {});
  });

  it('gives each hook a payload of its own that it cannot change', async () => {
    const hooks = new ApiHooks(log);
    const payload = { turn_id: 't' };
    hooks.on('pre_llm_call', (seen) => {
      Object.assign(seen, { turn_id: 'changed' });
    });
    await hooks.fire('pre_llm_call', payload, signal);
    assert.equal(payload.turn_id, 't');
    assert.equal(warnings.length, 1);
  });

  it('knows whether there is a hook, also after it was taken back', () => {
    const hooks = new ApiHooks(log);
    assert.equal(hooks.has('post_tool_call'), false);
    const registration = hooks.on('post_tool_call', () => {});
    assert.equal(hooks.has('post_tool_call'), true);
    registration.dispose();
    assert.equal(hooks.has('post_tool_call'), false);
  });
});
