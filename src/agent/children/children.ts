import type { Child, ChildAgent, Choice, PendingApproval, Receipt, TranscriptRow, Usage } from '../../api.ts';
import type { Notice } from '../control/index.ts';
import { addUsage, NO_USAGE } from '../model/index.ts';
import { StorageError } from '../session/index.ts';
import type { DelegatePort, Order, ToolResult } from '../tools/types.ts';
import type { OpenedSession } from '../turn/index.ts';
import type { ChildEnd } from './child-end.ts';
import { BY_PARENT } from './child-ports.ts';
import { ChildRun } from './child-run.ts';
import { startRun, waitFor } from './delegation.ts';
import { notAsked, nothingToStop, steerTooLate, stoppingElsewhere } from './ended-agent.ts';
import { Places } from './places.ts';
import { findRole } from './role.ts';
import { storedChildren } from './stored-children.ts';
import type { ChildrenParts, DelegatingCall, Transcript } from './types.ts';
import { endNotice, startedResult } from './words.ts';

/**
 * The delegated agents of one session. Who is stopped when is the machine's to say (`control/background.ts`): it is told
 * of each start and end and answers with `stopChild`.
 */
export class Children implements DelegatePort {
  readonly #parts: ChildrenParts;
  readonly #places: Places;
  /** In the order of their start: those that live, and what is left of the others. */
  #agents = new Map<string, ChildRun | ChildAgent>();
  #untold: readonly Notice[] = [];

  /** @param rows the whole transcript of the session */
  constructor(parts: ChildrenParts, rows: readonly TranscriptRow[]) {
    this.#parts = parts;
    this.#places = new Places(() => parts.ports.settings().agents.max);
    this.read(rows);
  }

  /** Learns from the store which agents there were, as the session is opened or read again. */
  read(rows: readonly TranscriptRow[]): void {
    const { ports, sessionId } = this.#parts;
    const ids = ports.store.children(sessionId).map(({ id }) => id);
    const opened = ids.flatMap((id) => (this.#run(id) ? [] : this.#read(id)));
    const stored = new Map(storedChildren(sessionId, opened, rows).map((one) => [one.agent.id, one]));
    this.#untold = [...stored.values()].flatMap(({ untold }) => untold ?? []);
    const agents = ids.flatMap((id) => this.#run(id) ?? stored.get(id)?.agent ?? []);
    this.#agents = new Map(agents.map((agent) => [agent.id, agent]));
  }

  /**
   * Agents that another window ran when they were read may have ended since.
   *
   * @returns those that have
   */
  lookElsewhere(): readonly ChildAgent[] {
    const { ports, sessionId } = this.#parts;
    const elsewhere = [...this.#agents.values()].filter((agent) => !(agent instanceof ChildRun) && isAtWork(agent));
    if (!elsewhere.some(({ id }) => !ports.store.leases.runsElsewhere(id))) return [];
    this.read(ports.store.rows(sessionId));
    const ids = new Set(elsewhere.map(({ id }) => id));
    return this.agents().filter((agent) => ids.has(agent.id) && !isAtWork(agent));
  }

  /** One that cannot be read is no reason not to open the session. */
  #read(id: string): readonly OpenedSession[] {
    try {
      return [this.#parts.read(id) ?? []].flat();
    } catch (error) {
      this.#parts.ports.log.warn(`delegated agent ${id} could not be read: ${error}`);
      return [];
    }
  }

  /** Ends of agents of an earlier window, of which the model has not been told. */
  untold(): readonly Notice[] {
    return this.#untold;
  }

  /** In the order of their start. */
  agents(): readonly ChildAgent[] {
    return [...this.#agents.values()].map((agent) => (agent instanceof ChildRun ? agent.value : agent));
  }

  list(): readonly Child[] {
    return this.agents().map((agent) => this.#handle(agent));
  }

  has(id: string): boolean {
    return this.#agents.has(id);
  }

  /** True while one of them is at work. */
  get isWorking(): boolean {
    return this.#runs().length > 0;
  }

  get usage(): Usage {
    return this.agents()
      .map((agent) => agent.usage)
      .reduce(addUsage, NO_USAGE);
  }

  async delegate(order: Order, call: DelegatingCall): Promise<ToolResult> {
    // In the same tick where no role is asked for.
    const found = order.agent === undefined ? undefined : await findRole(this.#parts.ports, order.agent);
    if (found?.is === 'unknown') return { status: 'error', text: found.why };
    if (found && call.signal.aborted) return { status: 'not_run', text: 'Stopped before the agent was started.' };
    const run = startRun(this.#parts, this.#places, order, found?.role, call, (...ended) => this.#ended(...ended));
    this.#agents.set(run.id, run);
    this.#parts.tell({ type: 'childStarted', childId: run.id, startedBy: call.turnId });
    return order.background ? startedResult(run.value) : await waitFor(run, call, this.#parts);
  }

  /** The session's stop reaches it. */
  stop(childId: string): void {
    this.#run(childId)?.stop(BY_PARENT, BY_PARENT);
  }

  /** The user ends one alone. Undefined when there is none of that id. */
  end(childId: string, reason: string): Receipt | undefined {
    if (!this.#agents.has(childId)) return undefined;
    return this.#end(childId, reason);
  }

  /** What is stored of one of them; undefined for any other session. */
  transcript(childId: string): Transcript | undefined {
    if (!this.#agents.has(childId)) return undefined;
    const { store } = this.#parts.ports;
    return {
      rows: (range) => store.rows(childId, range),
      turnResult: (turnId) => store.turns(childId).find((turn) => turn.id === turnId)?.result,
    };
  }

  approvals(): readonly PendingApproval[] {
    return this.#runs().flatMap((run) => run.approvals());
  }

  /** What an open approval of an agent would run, unmasked. */
  commandOf(approvalId: string): string | undefined {
    return this.#runs()
      .map((run) => run.commandOf(approvalId))
      .find((command) => command !== undefined);
  }

  /** False when no agent has that approval open, or it does not offer this choice. */
  answer(approvalId: string, choice: Choice, reason: string | undefined, by: 'user' | 'api'): boolean {
    return this.#runs().some((run) => run.answer(approvalId, choice, reason, by));
  }

  settingsChanged(): void {
    for (const run of this.#runs()) run.settingsChanged();
    this.#places.admit();
  }

  close(): void {
    for (const run of this.#runs()) run.close();
  }

  #end(childId: string, reason: string): Receipt {
    const run = this.#run(childId);
    if (run) return run.stop('user', reason);
    const { store } = this.#parts.ports;
    const seq = store.lastSeq(childId);
    if (!store.leases.runsElsewhere(childId)) return nothingToStop(seq);
    try {
      // The window that runs it stops it when it is asked for it.
      store.leases.want(childId);
      return stoppingElsewhere(seq);
    } catch (error) {
      if (error instanceof StorageError) return notAsked(seq, error);
      throw error;
    }
  }

  #ended(run: ChildRun, end: ChildEnd): void {
    const { tell, isOpen, tellHooks, ports } = this.#parts;
    const { id, callId, role, value } = run;
    // Its session is let go of: only the value stays.
    this.#agents.set(id, value);
    tellHooks('subagent_stop', {
      parent_turn_id: value.turnId,
      child_session_id: id,
      child_name: value.name,
      ...(role !== undefined && { child_role: role }),
      child_summary: end.text,
      child_status: HOOK_STATUS[end.state],
      duration_ms: Math.max(0, ports.clock.now() - value.startedAt),
    });
    tell({ type: 'childEnded', childId: id });
    if (value.mode === 'foreground' && isOpen(callId)) return;
    tell({ type: 'noticed', notice: { id, text: endNotice(value, end) } });
  }

  #run(id: string): ChildRun | undefined {
    const agent = this.#agents.get(id);
    return agent instanceof ChildRun ? agent : undefined;
  }

  #runs(): readonly ChildRun[] {
    return [...this.#agents.values()].filter((agent) => agent instanceof ChildRun);
  }

  #handle(agent: ChildAgent): Child {
    const { store } = this.#parts.ports;
    const { id } = agent;
    return {
      ...agent,
      steer: (text, options) => this.#run(id)?.steer(text, options) ?? steerTooLate(store.lastSeq(id), options),
      stop: () => this.#end(id, 'api'),
      transcript: async () => store.rows(id),
    };
  }
}

const HOOK_STATUS = { finished: 'completed', interrupted: 'interrupted', failed: 'failed' } as const;

function isAtWork({ state }: ChildAgent): boolean {
  return state === 'running';
}
