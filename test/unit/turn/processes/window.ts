/**
 * Another window, in a process of its own: opens the session argv[3] of the store in the folder argv[2], sends "Go" to
 * the model server at argv[4], and prints each event as a line of JSON until it is killed.
 */

import { noHooks } from '../../../../src/agent/hooks/index.ts';
import { createOpenAiChatWire } from '../../../../src/agent/model/index.ts';
import { openStore } from '../../../../src/agent/session/index.ts';
import { PlainEditorPort, ProcessRegistry, ToolRegistry } from '../../../../src/agent/tools/index.ts';
import { Agent } from '../../../../src/agent/turn/index.ts';

const [, , dataFolder = '', sessionId = '', baseUrl = '', folder = ''] = process.argv;
const wire = createOpenAiChatWire({ baseUrl, apiKey: 'k' });
const { store } = openStore(dataFolder);

const agent = new Agent({
  store,
  models: {
    resolve: async () => ({
      ref: 'fake/model',
      label: 'Fake',
      wire,
      model: 'fake',
      contextWindow: 100_000,
      vision: false,
    }),
  },
  tools: new ToolRegistry(),
  approvals: { isAlwaysAllowed: () => true, allowAlways: () => undefined },
  hooks: noHooks,
  editor: new PlainEditorPort(),
  processes: () => new ProcessRegistry(),
  clock: {
    now: Date.now,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  },
  log: { debug() {}, info() {}, warn() {}, error: (message) => process.stderr.write(`${message}\n`) },
  settings: () => ({
    busyInput: 'steer',
    queueOnStop: 'hold',
    resume: 'offer',
    stepBudget: 20,
    maxAttempts: 1,
    livenessTimeout: 0,
    folders: folder === '' ? [] : [folder],
    toolsOff: undefined,
    agents: { max: 3, requests: 10 },
    compactionThreshold: 0,
    budget: {},
    review: { enabled: false, requests: 4, tokens: 50_000 },
    tool: { terminalTimeout: 30 },
  }),
  isShown: () => true,
  systemPrompt: () => 'You are a test.',
});

const session = agent.open(sessionId);
session.onDidEmit((event) => process.stdout.write(`${JSON.stringify(event)}\n`));
session.onDidEmit((event) => {
  if (event.type === 'approval.opened') session.answer(event.id, 'once');
});
session.send('Go');
