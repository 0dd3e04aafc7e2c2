import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookManager } from '../../src/agent/hooks/index.ts';
import { warmUp } from '../../src/agent/model/index.ts';
import { openStore } from '../../src/agent/session/index.ts';
import { ToolRegistry } from '../../src/agent/tools/index.ts';
import { Agent, type LiveSession } from '../../src/agent/turn/index.ts';
import { ServerProcess } from '../model-server.ts';
import { agentPorts } from '../ports.ts';

/** The real loop with a real dispatcher of hooks, the model server in another process, no editor. */
export interface Stage {
  readonly hooks: HookManager;
  readonly tools: ToolRegistry;
  readonly server: ServerProcess['client'];
  /** A new session without rows. */
  open(): LiveSession;
}

export async function onStage<T>(measure: (stage: Stage) => Promise<T>): Promise<T> {
  await warmUp();
  const folder = mkdtempSync(join(tmpdir(), 'midcourse-bench-'));
  await using process = await ServerProcess.start();
  const { store } = openStore(folder);
  const tools = new ToolRegistry();
  const ports = agentPorts(process.client, store, folder, tools);
  const report = ({ words }: { readonly words: string }) => console.warn(words);
  const hooks = new HookManager({ log: ports.log, clock: ports.clock, report });
  const agent = new Agent({ ...ports, hooks });
  try {
    return await measure({ hooks, tools, server: process.client, open: () => agent.create() });
  } finally {
    agent.dispose();
    await hooks.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
