import type {
  Child,
  ChildAgent,
  Choice,
  PendingApproval,
  Receipt,
  TranscriptRow,
  TurnResult,
  Usage,
} from '../../api.ts';
import type { LoopEvent, Notice } from '../control/index.ts';
import { addUsage, NO_USAGE } from '../model/index.ts';
import type { DelegatePort, Order, ProcessPort, ToolResult } from '../tools/types.ts';
import type { AgentPorts, Announcement, LiveSession, OpenedSession } from '../turn/index.ts';
import type { ChildEnd } from './child-end.ts';
import { childIdOf } from './child-id.ts';
import { BY_PARENT, childPorts } from './child-ports.ts';
import { ChildProcesses } from './child-processes.ts';
import { ChildRun } from './child-run.ts';
import { nothingToStop, steerTooLate } from './over.ts';
import { Places } from './places.ts';
import { type StoredChild, storedChildren } from './stored-children.ts';
import { endedResult, endNotice, startedResult, yieldedResult } from './words.ts';

export interface ChildrenParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  /** What the user allowed for the session: it counts for its agents, and what is allowed to them counts for it. */
  readonly sessionRules: Set<string>;
  readonly processes: ProcessPort;
  modelRef(): string | undefined;
  /** Its stored session; undefined when it was deleted. @throws StorageError */
  read(id: string): OpenedSession | undefined;
  /** Its live session. @throws StorageError */
  open(ports: AgentPorts, id: string): LiveSession;
  /** Feeds the machine of the session. */
  tell(event: LoopEvent): void;
  emit(event: Announcement): void;
  /** Something of an agent moved. */
  progress(): void;
  /** True while that turn runs and is not being stopped: whoever ends one of its calls then means that call alone. */
  goesOn(turnId: string): boolean;
  /** True while the call has no result. */
  isOpen(callId: string): boolean;
  endProcess(id: string): void;
}

/** The rows of a session and the results of its turns, as stored. */
export interface Transcript {
  /** @param range.limit counts from the end; `before` excludes rows from that sequence number on */
  rows(range?: { readonly before?: number; readonly limit?: number }): readonly TranscriptRow[];
  turnResult(turnId: string): TurnResult | undefined;
}

type Call = Parameters<DelegatePort['delegate']>[1];

/**
 * The delegated agents of one session. Who is stopped when is the machine's to say (`control/background.ts`): it is told
 * of each start and end and answers with `stopChild`.
 */
export class Children implements DelegatePort {
  readonly #parts: ChildrenParts;
  readonly #places: Places;
  readonly #runs = new Map<string, ChildRun>();
  #stored: readonly StoredChild[] = [];

  /** @param rows the whole transcript of the session */
  constructor(parts: ChildrenParts, rows: readonly TranscriptRow[]) {
    this.#parts = parts;
    this.#places = new Places(() => parts.ports.settings().agents.max);
    this.read(rows);
  }

  /** Learns from the store which agents there were, as the session is opened or read again. */
  read(rows: readonly TranscriptRow[]): void {
    const { ports, sessionId } = this.#parts;
    const stored = ports.store.children(sessionId).filter(({ id }) => !this.#runs.has(id));
    this.#stored = storedChildren(
      sessionId,
      stored.flatMap(({ id }) => this.#read(id)),
      rows,
    );
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
    return this.#stored.flatMap(({ untold }) => untold ?? []);
  }

  /** In the order of their start, those of earlier windows first. */
  agents(): readonly ChildAgent[] {
    return [...this.#stored.map(({ agent }) => agent), ...[...this.#runs.values()].map((run) => run.value)];
  }

  list(): readonly Child[] {
    return this.agents().map((agent) => this.#handle(agent));
  }

  /** True while one of them is at work. */
  get isWorking(): boolean {
    return [...this.#runs.values()].some((run) => !run.isOver);
  }

  get usage(): Usage {
    return this.agents()
      .map((agent) => agent.usage)
      .reduce(addUsage, NO_USAGE);
  }

  async delegate(order: Order, call: Call): Promise<ToolResult> {
    const run = this.#start(order, call);
    return order.background ? startedResult(run.value) : await this.#wait(run, call);
  }

  /** The session's stop reaches it. */
  stop(childId: string): void {
    this.#runs.get(childId)?.stop(BY_PARENT, 'parent_stopped');
  }

  /** The user ends one alone. */
  end(childId: string, reason: string): Receipt | undefined {
    const run = this.#runs.get(childId);
    if (run) return run.stop('user', reason);
    return this.#isStored(childId) ? nothingToStop(this.#parts.ports.store.lastSeq(childId)) : undefined;
  }

  /** What is stored of one of them; undefined for any other session. */
  transcript(childId: string): Transcript | undefined {
    if (!this.#runs.has(childId) && !this.#isStored(childId)) return undefined;
    const { store } = this.#parts.ports;
    return {
      rows: (range) => store.rows(childId, range),
      turnResult: (turnId) => store.turns(childId).find((turn) => turn.id === turnId)?.result,
    };
  }

  approvals(): readonly PendingApproval[] {
    return [...this.#runs.values()].flatMap((run) => (run.isOver ? [] : run.approvals()));
  }

  /** False when no agent has that approval open, or it does not offer this choice. */
  answer(approvalId: string, choice: Choice, reason: string | undefined): boolean {
    return [...this.#runs.values()].some((run) => !run.isOver && run.answer(approvalId, choice, reason));
  }

  settingsChanged(): void {
    for (const run of this.#runs.values()) run.settingsChanged();
  }

  close(): void {
    for (const run of this.#runs.values()) run.close();
  }

  #start({ name, task, background }: Order, { turnId, callId }: Call): ChildRun {
    const { ports, sessionId, sessionRules, tell, emit } = this.#parts;
    const id = childIdOf(sessionId, callId);
    let giveBack: (() => void) | undefined;
    const processes = new ChildProcesses(this.#parts.processes, turnId, this.#parts.endProcess);
    const own = childPorts(ports, {
      parent: { sessionId, sessionRules, waits: () => giveBack === undefined },
      processes,
      mayBegin: async (signal) => {
        const place = await this.#places.take(signal);
        if (run.isOver) return place?.();
        giveBack = place;
        run.began();
      },
    });
    const startedAt = ports.clock.now();
    this.#create(id, name, startedAt);
    const run = new ChildRun({
      id,
      name,
      task,
      turnId,
      callId,
      startedAt,
      mode: background ? 'background' : 'foreground',
      session: this.#parts.open(own, id),
      processes,
      clock: ports.clock,
      begun: () => giveBack !== undefined,
      changed: (child) => {
        emit({ type: 'child', turnId, childId: id, name, state: child.state, child });
      },
      progress: this.#parts.progress,
      approval: ({ type, id: approvalId, by }) =>
        emit({ type, turnId, id: approvalId, ...(by === undefined ? {} : { by }) }),
      ended: (end) => {
        giveBack?.();
        this.#ended(run, end);
      },
    });
    const receipt = run.start();
    if (receipt.outcome === 'refused') {
      run.close();
      throw new Error(receipt.message);
    }
    this.#runs.set(id, run);
    tell({ type: 'childStarted', childId: id, startedBy: turnId });
    return run;
  }

  #create(id: string, name: string, now: number): void {
    const { ports, sessionId, modelRef } = this.#parts;
    const model = modelRef();
    ports.store.create({
      id,
      parent: sessionId,
      title: name,
      titleSource: 'model',
      createdAt: now,
      updatedAt: now,
      ...(model === undefined ? {} : { model }),
    });
  }

  /** For the call that waits: until the agent has ended, or the call is asked to yield. */
  async #wait(run: ChildRun, call: Call): Promise<ToolResult> {
    const waiting = new AbortController();
    const on = (signal: AbortSignal, listener: () => void) => {
      if (signal.aborted) listener();
      else signal.addEventListener('abort', listener, { once: true, signal: waiting.signal });
    };
    const stop = () => {
      if (this.#parts.goesOn(call.turnId)) run.stop('user', 'stop_command');
      else this.stop(run.id);
    };
    const yielded = new Promise<'yielded'>((resolve) => {
      on(call.signal, stop);
      on(call.killSignal, stop);
      on(call.yieldSignal, () => {
        if (run.isOver) return;
        run.toBackground();
        resolve('yielded');
      });
    });
    const end = await Promise.race([run.ended, yielded]);
    waiting.abort();
    if (end === 'yielded') return yieldedResult(run.value, call.yieldSignal.reason === 'user');
    return endedResult(run.value, end);
  }

  #ended(run: ChildRun, end: ChildEnd): void {
    const { tell, isOpen } = this.#parts;
    const { id, callId, value } = run;
    tell({ type: 'childEnded', childId: id });
    if (value.mode === 'foreground' && isOpen(callId)) return;
    tell({ type: 'noticed', notice: { id, text: endNotice(value, end) } });
  }

  #isStored(childId: string): boolean {
    return this.#stored.some(({ agent }) => agent.id === childId);
  }

  #handle(agent: ChildAgent): Child {
    const run = this.#runs.get(agent.id);
    const { store } = this.#parts.ports;
    return {
      ...agent,
      steer: (text, options) => run?.steer(text, options) ?? steerTooLate(store.lastSeq(agent.id), options),
      stop: () => run?.stop('user', 'api') ?? nothingToStop(store.lastSeq(agent.id)),
      transcript: async () => store.rows(agent.id),
    };
  }
}
