import { noHooks } from '../src/agent/hooks/index.ts';
import { createOpenAiChatWire } from '../src/agent/model/index.ts';
import { PlainEditorPort, ProcessRegistry, type ToolRegistry } from '../src/agent/tools/index.ts';
import type { AgentPorts } from '../src/agent/turn/index.ts';
import type { ModelServerClient } from '../test/model-server/index.ts';

/** What an agent outside of an editor works with: everything real but the model, which is the fake server. */
export function agentPorts(
  server: ModelServerClient,
  store: AgentPorts['store'],
  folder: string,
  tools: ToolRegistry,
): AgentPorts {
  const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, apiKey: 'bench' });
  const model = { ref: 'bench/test', label: 'Bench', wire, model: 'test', contextWindow: 1_000_000, vision: false };
  return {
    store,
    models: { resolve: async () => model },
    tools,
    approvals: { isAlwaysAllowed: () => false, allowAlways: () => {} },
    hooks: noHooks,
    editor: new PlainEditorPort(),
    processes: () => new ProcessRegistry(),
    clock: {
      now: Date.now,
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    log: { debug() {}, info() {}, warn: console.warn, error: console.error },
    settings: () => ({
      busyInput: 'steer',
      queueOnStop: 'hold',
      resume: 'offer',
      stepBudget: 20,
      agents: { max: 3, requests: 40 },
      compactionThreshold: 0,
      budget: {},
      review: { enabled: false, requests: 4, tokens: 50_000 },
      maxAttempts: 1,
      livenessTimeout: 600_000,
      folders: [folder],
      toolsOff: undefined,
      tool: { terminalTimeout: 180 },
    }),
    isShown: () => false,
    systemPrompt: () => 'You are a coding agent.',
  };
}
