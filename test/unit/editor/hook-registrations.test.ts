import assert from 'node:assert/strict';
import { isHookEvent, nativeHook } from '../../../src/agent/hooks/index.ts';
import { HookRegistrations } from '../../../src/editor/hook-registrations.ts';
import type { HookEvent } from '../../../src/hooks-api.ts';
import { callPayload, managerRig, never } from '../hooks/manager-rig.ts';

describe('hooks of other extensions', () => {
  const open = () => {
    const rig = managerRig();
    const registrations = new HookRegistrations(rig.log, () => 'Guard Extension');
    return { ...rig, registrations, connect: () => registrations.connect({ ...rig, nativeHook, isHookEvent }) };
  };

  it('wait until the dispatcher is there, and are registered in their order', async () => {
    const { manager, registrations, connect } = open();
    registrations.on('pre_tool_call', () => ({ block: 'first' }));
    registrations.on('pre_tool_call', () => ({ block: 'second' }));
    connect();
    const { block } = await manager.fire('pre_tool_call', callPayload, never);
    assert.deepEqual([block?.reason, block?.by], ['first', 'Guard Extension']);
  });

  it('are gone when they are taken back, before and after', () => {
    const { manager, registrations, connect } = open();
    registrations.on('post_tool_call', () => {}).dispose();
    const later = registrations.on('post_llm_call', () => {});
    connect();
    assert.deepEqual([manager.has('post_tool_call'), manager.has('post_llm_call')], [false, true]);
    later.dispose();
    assert.equal(manager.has('post_llm_call'), false);
  });

  it('may name an event of another version, which is said', () => {
    const { manager, registrations, connect, logged } = open();
    connect();
    registrations.on('on_teleport' as HookEvent, () => {});
    assert.match(logged.join(), /Guard Extension.*on_teleport/);
    assert.equal(manager.list().length, 1);
  });

  it('need a handler that can be called', () => {
    const { registrations } = open();
    assert.throws(() => registrations.on('post_llm_call', 7 as never), TypeError);
  });
});
