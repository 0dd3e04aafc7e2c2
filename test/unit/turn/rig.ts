import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropicWire, createOpenAiChatWire, createResponsesWire } from '../../../src/agent/model/index.ts';
import { openStore, type SessionStore } from '../../../src/agent/session/index.ts';
import { PlainEditorPort, ProcessRegistry, ToolRegistry } from '../../../src/agent/tools/index.ts';
import {
  Agent,
  type AgentPorts,
  type AgentSettings,
  type LiveSession,
  type ResolvedModel,
} from '../../../src/agent/turn/index.ts';
import type { SessionEvent } from '../../../src/api.ts';
import { ModelServer } from '../../model-server/index.ts';
import { RigHooks } from './rig-hooks.ts';

const WIRES = {
  'openai-chat': createOpenAiChatWire,
  'openai-responses': createResponsesWire,
  anthropic: createAnthropicWire,
};

export type WireName = keyof typeof WIRES;
/** Asked once for each window. */
type OwnPorts = (server: ModelServer) => Partial<AgentPorts>;

/** The real loop, store, tools and wires around a fake model server; no editor. */
export class Rig {
  readonly server: ModelServer;
  readonly folder: string;
  readonly dataFolder: string;
  readonly registry = new ToolRegistry();
  readonly hooks = new RigHooks();
  readonly always = new Set<string>();
  readonly processes: ProcessRegistry[] = [];
  readonly wire: WireName;
  settings: AgentSettings;
  /** Sessions that a chat shows. */
  readonly shown = new Set<string>();
  /** What is changed of the model from the next turn on. */
  model: Partial<ResolvedModel> = {};
  readonly #own: OwnPorts;
  readonly #others: { readonly agent: Agent; readonly store: SessionStore }[] = [];
  agent: Agent;
  store: SessionStore;

  /** @param own ports that stand in for the rig's */
  static async start(wire: WireName, change: Partial<AgentSettings> = {}, own: OwnPorts = () => ({})): Promise<Rig> {
    return new Rig(wire, await ModelServer.start(), change, own);
  }

  private constructor(wire: WireName, server: ModelServer, change: Partial<AgentSettings>, own: OwnPorts) {
    this.wire = wire;
    this.#own = own;
    this.server = server;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'midcourse-work-')));
    this.dataFolder = mkdtempSync(join(tmpdir(), 'midcourse-data-'));
    this.settings = {
      busyInput: 'steer',
      queueOnStop: 'hold',
      resume: 'offer',
      stepBudget: 20,
      agents: { max: 3, requests: 10 },
      compactionThreshold: 80,
      budget: {},
      review: { enabled: false, requests: 4, tokens: 50_000 },
      maxAttempts: 3,
      livenessTimeout: 0,
      folders: [this.folder],
      toolsOff: undefined,
      tool: { terminalTimeout: 30 },
      ...change,
    };
    this.store = openStore(this.dataFolder).store;
    this.agent = new Agent(this.#ports());
  }

  /** Everything that hooks were told, in order. */
  get fired(): RigHooks['fired'] {
    return this.hooks.fired;
  }

  /** Another window on the same store. It closes with the rig. */
  secondWindow(change: Partial<AgentPorts> = {}): { readonly agent: Agent; readonly store: SessionStore } {
    const { store } = openStore(this.dataFolder);
    const agent = new Agent({ ...this.#ports(), store, ...change });
    this.#others.push({ agent, store });
    return { agent, store };
  }

  /** As after a reload of the window: everything live is gone, the store is read again. */
  reopen(id: string): LiveSession {
    this.agent.dispose();
    this.store.close();
    this.store = openStore(this.dataFolder).store;
    this.agent = new Agent(this.#ports());
    return this.agent.open(id);
  }

  write(name: string, text: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  async close(): Promise<void> {
    for (const { agent, store } of this.#others) {
      agent.dispose();
      store.close();
    }
    this.agent.dispose();
    await this.hooks.manager.close();
    await Promise.all(this.processes.map((registry) => registry.killAll()));
    await this.server.close();
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.dataFolder, { recursive: true, force: true });
  }

  #ports(): AgentPorts {
    const options = {
      baseUrl: this.wire === 'anthropic' ? this.server.origin : this.server.openAiBaseUrl,
      apiKey: 'k',
    };
    const wire = WIRES[this.wire](options);
    return {
      store: this.store,
      models: {
        chosenRef: () => 'fake/model',
        resolve: async () => ({
          ref: 'fake/model',
          label: 'Fake',
          wire,
          model: 'claude-fake',
          contextWindow: 100_000,
          maxOutput: 4096,
          vision: false,
          ...this.model,
        }),
      },
      tools: this.registry,
      approvals: { isAlwaysAllowed: (key) => this.always.has(key), allowAlways: (key) => this.always.add(key) },
      hooks: this.hooks,
      editor: new PlainEditorPort(),
      processes: (sessionId) => {
        const registry = new ProcessRegistry();
        registry.onDidChange((process) => {
          // One that was closed is not opened again for it: nobody would close that one.
          const live = this.agent.live().find((session) => session.id === sessionId);
          live?.processChanged(process);
        });
        this.processes.push(registry);
        return registry;
      },
      clock: {
        now: Date.now,
        after: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        },
      },
      log: { debug() {}, info() {}, warn() {}, error: (message) => console.error(message) },
      settings: () => this.settings,
      isShown: (id) => this.shown.has(id),
      systemPrompt: (of) => (of === 'child' ? 'You are an agent under test.' : 'You are a test.'),
      ...this.#own(this.server),
    };
  }
}

/** Resolves with the first event, past or coming, that fits. */
export function event<T extends SessionEvent['type']>(
  session: LiveSession,
  type: T,
  fits: (event: SessionEvent & { type: T }) => boolean = () => true,
  since = 0,
): Promise<SessionEvent & { type: T }> {
  type Found = SessionEvent & { type: T };
  const matches = (candidate: SessionEvent): candidate is Found => candidate.type === type && fits(candidate as Found);
  const past = session.events(since).find(matches);
  if (past) return Promise.resolve(past);
  return new Promise((resolve) => {
    const listening = session.onDidEmit((candidate) => {
      if (!matches(candidate)) return;
      listening.dispose();
      resolve(candidate);
    });
  });
}
