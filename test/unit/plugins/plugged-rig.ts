import type { LiveSession } from '../../../src/agent/turn/index.ts';
import { Rig } from '../turn/rig.ts';
import { PluginRig } from './plugin-rig.ts';

export type { LiveSession, Rig };

/** The real loop, and plugins that hook into it. Both have to be closed. */
export async function startRig(): Promise<{ loop: Rig; rig: PluginRig; session: LiveSession }> {
  const loop = await Rig.start('openai-chat');
  const rig = new PluginRig({ hooks: loop.hooks.manager, tools: loop.registry });
  return { loop, rig, session: loop.agent.create() };
}
