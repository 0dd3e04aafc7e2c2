import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warmUp } from '../../src/agent/model/index.ts';
import { openStore, type SessionStore } from '../../src/agent/session/index.ts';
import { ToolRegistry } from '../../src/agent/tools/index.ts';
import { Agent, type LiveSession } from '../../src/agent/turn/index.ts';
import type { SessionEvent } from '../../src/api.ts';
import type { ModelServerClient } from '../../test/model-server/index.ts';
import { ServerProcess } from '../model-server.ts';
import { agentPorts } from '../ports.ts';
import { storeConversation } from './conversation.ts';

/** The real loop, tools and store on a disk, the model server in another process, no editor. */
export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly tools = new ToolRegistry();
  readonly #server: ServerProcess;
  readonly #store: SessionStore;
  readonly #agent: Agent;

  static async start(): Promise<Stage> {
    await warmUp();
    return new Stage(await ServerProcess.start());
  }

  private constructor(server: ServerProcess) {
    this.folder = mkdtempSync(join(tmpdir(), 'midcourse-bench-'));
    this.#server = server;
    this.#store = openStore(this.folder).store;
    this.#agent = new Agent(agentPorts(server.client, this.#store, this.folder, this.tools));
  }

  get server(): ModelServerClient {
    return this.#server.client;
  }

  /** A session of that many rows, opened as after a reload. Whatever asks for permission gets it. */
  open(rows: number): LiveSession {
    const session = this.#agent.open(storeConversation(this.#store, rows));
    session.onDidEmit((event) => {
      if (event.type === 'approval.opened') session.answer(event.id, 'once');
    });
    return session;
  }

  length(session: LiveSession): number {
    return this.#store.rowCount(session.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.dispose();
    this.#store.close();
    await this.#server[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves with the first coming event of that type that fits. */
export function next<T extends SessionEvent['type']>(
  session: LiveSession,
  type: T,
  fits: (event: SessionEvent & { type: T }) => boolean = () => true,
): Promise<SessionEvent & { type: T }> {
  return new Promise((resolve) => {
    const listening = session.onDidEmit((event) => {
      const candidate = event as SessionEvent & { type: T };
      if (event.type !== type || !fits(candidate)) return;
      listening.dispose();
      resolve(candidate);
    });
  });
}

/** Milliseconds since the epoch, with fractions; comparable between the processes of one machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
