import * as vscode from 'vscode';
import { systemPrompt } from '../agent/context/index.ts';
import { type Customisations, instructedTools } from '../agent/customisations/index.ts';
import type { HookPort } from '../agent/hooks/index.ts';
import { warmUp } from '../agent/model/index.ts';
import { openStore, type SessionStore, type StoreNotice } from '../agent/session/index.ts';
import { ProcessRegistry, type RecordProcess, recordIn, shellFor, ToolRegistry } from '../agent/tools/index.ts';
import {
  Agent,
  type AgentPorts,
  type AgentSettings,
  StoredProcesses,
  type Swept,
  sweepProcesses,
} from '../agent/turn/index.ts';
import type { ApprovalsStore } from './approvals-store.ts';
import { systemClock } from './clock.ts';
import type { VSCodeEditor } from './editor-port.ts';
import type { OutputLog } from './log.ts';
import type { Models } from './models.ts';
import { findRipgrep } from './ripgrep.ts';
import type { Settings } from './settings.ts';
import { terminalEnv } from './terminal-env.ts';
import type { ToolRegistrations } from './tool-registrations.ts';
import type { Workspace } from './workspace.ts';

export interface AgentNeeds {
  readonly dataFolder: vscode.Uri;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly models: Models;
  readonly editor: VSCodeEditor;
  readonly approvals: ApprovalsStore;
  readonly customisations: Customisations;
  readonly hooks: HookPort;
  readonly tools: ToolRegistrations;
  readonly log: OutputLog;
  /** True while a chat shows the session. */
  isShown(sessionId: string): boolean;
}

export interface OpenedAgent {
  readonly agent: Agent;
  readonly tools: ToolRegistry;
  /** What a session says, for hooks that read it. @throws when it cannot be read */
  readonly rows: SessionStore['rows'];
  readonly storeNotice: StoreNotice | undefined;
  /** Background processes that were still running although their window is gone; they have been ended. */
  readonly swept: Promise<readonly Swept[]>;
  /** For processes that are not a session's: hooks, servers, plugins. */
  readonly record: RecordProcess;
  /** Ends turns and their processes. */
  close(): Promise<void>;
  /** After all that is recorded has ended. */
  closeStore(): void;
}

/** Gives the agent the editor's ports. @throws StorageError */
export function openAgent(needs: AgentNeeds): OpenedAgent {
  const { settings, workspace, log } = needs;
  const { store, notice } = openStore(needs.dataFolder.fsPath, {
    restored(words) {
      log.warn(words);
      void vscode.window.showWarningMessage(words);
    },
  });
  const registries = new Map<string, ProcessRegistry>();
  const stored = new StoredProcesses({ store, clock: systemClock, log });
  const ripgrep = findRipgrep();
  const tools = new ToolRegistry();
  needs.tools.connect(tools);
  const ports: AgentPorts = {
    store,
    models: needs.models,
    tools: instructedTools(tools, needs.customisations),
    customisations: needs.customisations,
    approvals: needs.approvals,
    hooks: needs.hooks,
    editor: needs.editor,
    isShown: needs.isShown,
    processes(sessionId) {
      const known = registries.get(sessionId);
      if (known) return known;
      const shell = settings.get('terminal.shell');
      const registry = new ProcessRegistry({ ...(shell ? { shell } : {}), ledger: stored.ledger(sessionId) });
      registry.onDidChange((process) => {
        agent
          .live()
          .find((session) => session.id === sessionId)
          ?.processChanged(process);
      });
      registries.set(sessionId, registry);
      return registry;
    },
    clock: systemClock,
    log,
    settings: () => agentSettings(needs, ripgrep),
    systemPrompt: (of = 'session', sessionId) =>
      systemPrompt({
        of,
        customisations: needs.customisations.prompt(sessionId, of),
        ...workspace.facts(),
        platform: process.platform,
        shell: shellFor(settings.get('terminal.shell') || undefined),
      }),
  };
  const agent = new Agent(ports);
  void warmUp();
  return {
    agent,
    tools,
    rows: (sessionId, options) => store.rows(sessionId, options),
    storeNotice: notice,
    record: recordIn(stored.ledger('')),
    swept: sweepProcesses({ store, log }),
    async close() {
      // At once: hooks that are told of the end may take their time, and the window waits a few seconds at most.
      const ended = Promise.all([...registries.values()].map((registry) => registry.killAll()));
      await agent.close();
      await ended;
    },
    closeStore() {
      stored.dispose();
      store.close();
    },
  };
}

function agentSettings({ settings, workspace, models }: AgentNeeds, ripgrep: string | undefined): AgentSettings {
  const shell = settings.get('terminal.shell');
  return {
    busyInput: settings.get('busyInput'),
    queueOnStop: settings.get('queue.onStop'),
    resume: settings.get('resume'),
    stepBudget: settings.get('budget.requests'),
    agents: { max: settings.get('agents.max'), requests: settings.get('agents.requests') },
    compactionThreshold: settings.get('compaction.threshold'),
    compacts: settings.get('compaction.enabled'),
    budget: budgetOf(settings),
    review: {
      enabled: settings.get('review.enabled'),
      requests: settings.get('review.requests'),
      tokens: settings.get('review.tokens'),
    },
    maxAttempts: settings.get('retry.attempts'),
    livenessTimeout: settings.get('liveness.timeout') * 1000,
    ...workspace.facts(),
    tool: {
      terminalTimeout: settings.get('terminal.timeout'),
      // Commands do not get them.
      secretEnv: models.keyVariables(),
      letThrough: settings.get('terminal.env'),
      // Read when a command starts: settings are asked for far more often.
      get env() {
        return terminalEnv().set;
      },
      ...(shell ? { shell } : {}),
      ...(ripgrep ? { ripgrep } : {}),
    },
  };
}

function budgetOf(settings: Settings): AgentSettings['budget'] {
  const [perTurn, perSession, perDay] = (['perTurn', 'perSession', 'perDay'] as const).map((of) =>
    settings.get(`budget.${of}`),
  );
  return { ...(perTurn && { perTurn }), ...(perSession && { perSession }), ...(perDay && { perDay }) };
}
