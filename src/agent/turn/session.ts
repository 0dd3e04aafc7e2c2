import type {
  BackgroundProcess,
  Child,
  ChildAgent,
  Choice,
  Disposable,
  Event,
  Item,
  PendingApproval,
  PendingQuestion,
  Phase,
  Receipt,
  Session,
  SessionEvent,
  SessionStateName,
  TranscriptRow,
  TurnResult,
  Usage,
} from '../../api.ts';
import type { Transcript } from '../children/index.ts';
import type { StepResult } from '../control/index.ts';
import { addUsage } from '../model/index.ts';
import type { RateLimits } from '../model/types.ts';
import type { Commit } from '../session/index.ts';
import type { Todo, TodoPort } from '../tools/types.ts';
import { Announcer, phaseName, Sequence, type StateEvent, stateName, withWaitsFor } from './announcer.ts';
import { BackgroundWork } from './background-work.ts';
import { BUDGET, Budget } from './budget.ts';
import { type ContextFill, contextFills } from './context-fills.ts';
import { ControlLoop } from './control-loop.ts';
import { tellResults } from './hooks/call-hooks.ts';
import { SessionHooks } from './hooks/session-hooks.ts';
import { type FinalizeReason, SessionLife } from './hooks/session-life.ts';
import { cutByWindow } from './hooks/window-closed.ts';
import { limits } from './limits.ts';
import { Liveness } from './liveness.ts';
import { callState, OpenCalls } from './open-calls.ts';
import { type OpenedSession, readSession } from './opening.ts';
import { OtherWindows } from './other-windows.ts';
import { resolveWrites } from './rows.ts';
import { SessionContent } from './session-content.ts';
import { SessionRecord } from './session-record.ts';
import type { Spending } from './spending.ts';
import { restoredState } from './stored-content.ts';
import { BY_HOOK, TurnRunner } from './turn-runner.ts';
import type { AgentPorts, LiveView } from './types.ts';
import type { DescribeCall } from './waits-for.ts';

/** Whoever opened the session. */
export interface SessionHost {
  /** A holder lets go of it. */
  release(session: LiveSession): void;
  /** Reads it again; undefined when it was deleted. @throws StorageError */
  read(id: string): OpenedSession | undefined;
  /** US dollars that what runs in its other sessions has cost so far. */
  runningBeside(session: LiveSession): number;
}

/**
 * One live session: the surface that the chat, the commands and the API share. The rules about order are in
 * `control/`; the loop that follows them is `control-loop.ts`; what they lead to is done by `turn-runner.ts`.
 */
export class LiveSession extends SessionContent implements Session {
  readonly id: string;
  protected readonly ports: AgentPorts;
  readonly #sequence: Sequence;
  readonly #announcer: Announcer;
  readonly #record: SessionRecord;
  protected readonly loop: ControlLoop;
  readonly #runner: TurnRunner;
  readonly #liveness: Liveness;
  readonly #calls: OpenCalls;
  readonly #background: BackgroundWork;
  readonly #budget: Budget;
  readonly #host: SessionHost;
  readonly #windows: OtherWindows;
  readonly #hooks: SessionHooks;
  readonly #life: SessionLife;
  /** The newest row that listeners know of. */
  #shownUpTo: number;
  #holders = 0;

  /**
   * Opens a stored session; what an interrupted turn left behind has been closed by then (`session/recovery.ts`).
   */
  constructor(ports: AgentPorts, opened: OpenedSession, host: SessionHost) {
    super();
    const { stored, content } = opened;
    this.#host = host;
    this.#shownUpTo = content.rows.at(-1)?.seq ?? 0;
    const { id } = stored;
    this.id = id;
    this.ports = ports;
    this.#record = new SessionRecord(ports, opened);
    const restored = restoredState(id, content, limits(ports));
    this.#hooks = new SessionHooks({
      ports,
      sessionId: id,
      modelRef: () => this.#record.modelRef,
      waits: () => this.loop.announce(),
    });
    this.#life = new SessionLife(this.#hooks, () => this.#record.settling.last !== undefined);
    this.#sequence = new Sequence(restored.state.seq);
    this.#liveness = new Liveness({
      clock: ports.clock,
      timeout: () => ports.settings().livenessTimeout,
      watches: () =>
        this.state === 'running' &&
        this.phase !== 'backoff' &&
        // A hook has a limit of its own.
        this.#hooks.waitsFor === undefined &&
        !this.#calls.runsLong &&
        !ports.parent?.waits(),
      warn: (minutesLeft) => this.notice('liveness', stillnessWarning(minutesLeft)),
      stop: () => this.stop({ by: 'liveness', reason: 'liveness' }),
    });
    this.#announcer = new Announcer(ports, id, this.#sequence, () => this.#liveness.progress());
    const sessionRules = ports.parent?.sessionRules ?? new Set<string>();
    this.#background = new BackgroundWork(
      {
        ports,
        sessionId: id,
        sessionRules,
        tellHooks: (event, of) => this.#hooks.tell(event, of, this.#runner.turn),
        open: openChild,
        modelRef: () => this.#record.modelRef,
        messages: (turnId) => this.#record.history.messagesOf(turnId),
        tell: (event) => this.loop.dispatch(event),
        mayAsk: () => this.#budget.mayAsk(),
        overBudget: () => this.#budget.refusal(),
        emit: (event) => this.#announcer.emit(event),
        progress: () => this.#liveness.progress(),
        goesOn: (turnId) => this.loop.state.turn?.id === turnId && this.state !== 'stopping',
        isOpen: (callId) => callState(this.loop.state, callId) !== 'done',
      },
      content.rows,
    );
    this.#budget = new Budget({
      ports,
      spentBefore: () => this.#record.costUsd,
      agents: () => this.#background.children.agents(),
      turn: () => this.#runner.turn,
      runningElsewhere: () => this.#host.runningBeside(this),
      notice: (kind, text) => this.notice(kind, text),
      stop: () => void this.stop({ by: BUDGET, reason: BUDGET }),
    });
    this.#runner = new TurnRunner({
      ports,
      sessionId: id,
      announcer: this.#announcer,
      history: this.#record.history,
      watch: this.#record.watch,
      images: this.#record.images,
      hooks: this.#hooks,
      life: this.#life,
      processes: this.#background.port,
      todos: this.#todos,
      background: this.#background,
      delegates: ports.parent ? undefined : this.#background.children,
      sessionRules,
      modelRef: () => this.#record.modelRef,
      mayAsk: () => this.#budget.mayAsk(),
      tell: (event) => this.loop.dispatch(event),
      stopByHook: () => this.stop({ by: BY_HOOK, reason: BY_HOOK }),
      callState: (callId) => callState(this.loop.state, callId),
      started: () => {
        this.#liveness.start();
        this.#windows.turnStarted();
        this.#background.lookElsewhere();
      },
      ended: (turn, result) => {
        this.#liveness.dispose();
        this.#record.turnEnded(turn, result);
      },
      settled: (result) => this.#record.settling.settled(result),
    });
    this.#calls = new OpenCalls(this.#runner, this.#announcer, () => this.loop.state);
    this.loop = new ControlLoop(
      {
        ports,
        sessionId: id,
        readOnly: () => this.readOnly,
        overBudget: () => this.#budget.refusal(),
        sequence: this.#sequence,
        announcer: this.#announcer,
        history: this.#record.history,
        turn: () => this.#runner.turn,
        label: () => this.#label(),
        stored: (commit) => this.#stored(commit),
        changedElsewhere: () => this.look(),
        carryOut: (effect) => this.#runner.carryOut(effect),
      },
      restored.state,
    );
    this.#windows = new OtherWindows(
      {
        ports,
        sessionId: id,
        state: () => this.state,
        isChanged: () => this.loop.isStale(),
        stop: (by) => this.stop({ by, reason: by }),
        notice: (kind, text) => this.notice(kind, text),
        read: () => this.#host.read(id),
        take: (again) => this.#take(again),
        readOn: () => this.#readOn(),
        shownUpTo: () => this.#shownUpTo,
      },
      opened.elsewhere,
    );
    if (opened.elsewhere) this.#windows.look();
    this.#hold(restored);
    this.#background.tellOfEnds();
  }

  /** Why nothing can be said here, or undefined. */
  get readOnly(): string | undefined {
    return this.#windows.readOnly;
  }

  /** Another window runs it: its rows appear here. */
  get runsElsewhere(): boolean {
    return this.#windows.runsElsewhere;
  }

  /** True when the window that runs it can be asked for it. */
  get canTakeOver(): boolean {
    return this.#windows.canTakeOver;
  }

  protected get modelSees(): boolean {
    return this.#runner.turn?.model?.vision ?? true;
  }

  get title(): string {
    return this.#record.title;
  }

  get modelRef(): string | undefined {
    return this.#record.modelRef;
  }

  get state(): SessionStateName {
    return stateName(this.loop.state);
  }

  get phase(): Phase | undefined {
    return phaseName(this.loop.state);
  }

  /** The newest `state` event: what a view that opens shows until the next one. */
  get lastState(): StateEvent | undefined {
    return this.#announcer.lastState;
  }

  /**
   * Lets a summary stand for the earlier conversation: at once when idle, otherwise before the next request of the turn,
   * once in a turn. Nothing is removed from the transcript. False when the session can only be read.
   */
  compact(): boolean {
    this.look();
    if (this.readOnly !== undefined) return false;
    this.#record.watch.allow();
    this.loop.dispatch({ type: 'compact', id: crypto.randomUUID() });
    return true;
  }

  // What waits

  items(): readonly Item[] {
    return this.loop.state.items.map((item) => withWaitsFor(item, this.loop.state, this.#describe));
  }

  item(id: string): Item | undefined {
    return this.items().find((item) => item.id === id) ?? this.ports.store.item(this.id, id);
  }

  approvals(): readonly PendingApproval[] {
    return [...this.#calls.approvals(), ...this.#background.children.approvals()];
  }

  /** What an open approval would run, unmasked: for the person who asks to see it. */
  commandOf(approvalId: string): string | undefined {
    return this.#calls.commandOf(approvalId) ?? this.#background.children.commandOf(approvalId);
  }

  answer(approvalId: string, choice: Choice, reason?: string, by: 'user' | 'api' = 'user'): boolean {
    const { children } = this.#background;
    return this.#calls.answer(approvalId, choice, reason, by) || children.answer(approvalId, choice, reason, by);
  }

  questions(): readonly PendingQuestion[] {
    return this.#calls.questions();
  }

  answerQuestion(id: string, answer: string | readonly string[]): boolean {
    return this.#calls.answerQuestion(id, answer);
  }

  // What there is

  turnResult(turnId: string): TurnResult | undefined {
    return this.#record.settling.result(turnId);
  }

  /** What a view that opens or comes back has to show beside the rows. */
  view(): LiveView | undefined {
    return this.#calls.view();
  }

  /** Tokens of the newest request and its answer, as the provider counted them; 0 when unknown. */
  get contextTokens(): number {
    return this.#record.contextTokens(this.#runner.turn);
  }

  /** Of its turns and of its delegated agents. */
  get usage(): Usage {
    return addUsage(this.#record.usage(this.#runner.turn), this.#background.children.usage);
  }

  /** Where `usage` comes from, and what of the budgets is spent. */
  get spending(): Spending {
    return {
      byModel: this.#record.usageByModel(this.#runner.turn),
      agents: this.#background.children.usage,
      reviews: this.#background.reviews.usage,
      budgets: this.#budget.standing,
    };
  }

  /** US dollars that its turn and its agents at work have cost so far. */
  get runningCost(): number {
    return this.#budget.running;
  }

  /** What the provider of a model said last is left, in an answer to this session; undefined when it said nothing. */
  rateLimits(modelRef: string): RateLimits | undefined {
    return this.#runner.limits.newest.get(modelRef);
  }

  /** What fills the model's window, all of it being `contextTokens`. */
  get contextFills(): readonly ContextFill[] {
    const { contextTokens } = this;
    return contextTokens === 0 ? [] : contextFills(this.ports, this.#record.history.entries(), contextTokens);
  }

  processes(): readonly BackgroundProcess[] {
    return this.#background.port.list();
  }

  processOutput(id: string): string | undefined {
    return this.#background.port.output(id);
  }

  killProcess(id: string): Promise<void> {
    return this.#background.endProcess(id);
  }

  children(): readonly Child[] {
    return this.#background.children.list();
  }

  /** The same as values alone. */
  childAgents(): readonly ChildAgent[] {
    return this.#background.children.agents();
  }

  /** The user ends one agent; the turn goes on. Undefined when it has no agent of that id. */
  stopChild(id: string, reason: string): Receipt | undefined {
    return this.#background.children.end(id, reason);
  }

  childTranscript(id: string): Transcript | undefined {
    return this.#background.children.transcript(id);
  }

  /** True while something of it runs that only this object can end, or somebody holds it. */
  get isNeeded(): boolean {
    if (this.state !== 'idle' || this.#holders > 0 || !this.#record.settling.isSettled) return true;
    return this.#background.isWorking;
  }

  /** Keeps it open until the returned object is disposed, also while nobody sees it. */
  hold(): Disposable {
    this.#holders += 1;
    let holds = true;
    return {
      dispose: () => {
        if (holds) this.#holders -= 1;
        holds = false;
      },
    };
  }

  /** A background process started, wrote or ended. */
  processChanged(process: BackgroundProcess): void {
    this.#background.processChanged(process);
  }

  /** Lets a running command go on in the background. False when it cannot. */
  moveToBackground(callId: string): boolean {
    return this.#calls.moveToBackground(callId);
  }

  /** Ends one running command, at once when asked twice; its turn goes on. */
  stopCommand(callId: string): boolean {
    return this.#calls.stop(callId);
  }

  settled(turnId?: string): Promise<TurnResult> {
    return this.#record.settling.wait(turnId, this.loop.state.turn?.id);
  }

  events(sinceSeq: number): readonly SessionEvent[] {
    return this.#announcer.events.since(sinceSeq);
  }

  get onDidEmit(): Event<SessionEvent> {
    return this.#announcer.events.event;
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.#sequence.value;
  }

  rename(title: string): void {
    const trimmed = title.trim();
    if (trimmed === '') return;
    this.ports.store.rename(this.id, trimmed, 'user');
    this.#readTitle();
  }

  setModel(ref: string, source: 'user' | 'api' = 'user'): void {
    const of = { from_model: this.#record.modelRef ?? '', to_model: ref, source };
    this.#hooks.tell('pre_model_switch', of, this.#runner.turn);
    this.#record.modelRef = ref;
    this.#hooks.tell('post_model_switch', of, this.#runner.turn);
  }

  /** A slash command is about to do its work: hooks are told, and nobody waits for them. */
  tellCommand(command: string, args: string, surface: 'chat' | 'api' = 'chat'): void {
    this.#hooks.tell('pre_command', { command, args_raw: args, surface }, this.#runner.turn);
  }

  /** It takes the place of another one in the chat, which has been finalized. */
  replace(oldSessionId: string): void {
    this.#life.replace(oldSessionId);
  }

  /** Tells hooks that the session is over for this window, once. Resolves when they are through. */
  finalize(reason: FinalizeReason, newSessionId?: string): Promise<void> {
    return this.#life.finalize(reason, newSessionId, this.#runner.turn);
  }

  /** The same as the window closes: also a turn that it cuts is told. */
  async finalizeWithWindow(): Promise<void> {
    await cutByWindow(this.#hooks, this.ports.clock, this.#runner.turn, this.loop.state);
    await this.finalize('window_closed');
  }

  /** Something for the user that is not part of the conversation. */
  notice(kind: string, text: string, turnId?: string): void {
    this.#announcer.notice(kind, text, turnId);
  }

  settingsChanged(): void {
    this.loop.dispatch({ type: 'configured', ...limits(this.ports) });
    this.#background.children.settingsChanged();
  }

  /** Brings in what other windows did to the session, now; a session that runs here is not disturbed. */
  look(): void {
    this.#windows.look();
    this.#background.lookElsewhere();
  }

  /**
   * Makes a session live here that another window runs: that window gets 3 s to stop its turn, then it is taken.
   *
   * @returns false when it still cannot be used here
   * @throws (rejects) StorageError
   */
  takeOver(): Promise<boolean> {
    return this.#windows.takeOver();
  }

  /** Lets go of the session: what runs goes on, and it stays open where somebody else sees it. */
  dispose(): void {
    this.#host.release(this);
  }

  /** The session was deleted: what runs ends as by any stop, with its hooks, then it is closed. */
  closeWhenSettled(): void {
    const close = () => {
      void this.finalize('session_deleted');
      this.close();
    };
    this.settled().then(close, close);
  }

  /** Ends the turn at once. Nothing is lost: the next opening closes the turn in the store. */
  close(): void {
    this.#background.close();
    this.#liveness.dispose();
    this.#runner.dispose();
    this.loop.close();
    this.#record.settling.close();
    this.#windows.close();
  }

  #take(opened: OpenedSession): void {
    const { content } = opened;
    this.#record.take(opened);
    for (const row of content.rows) if (row.seq > this.#shownUpTo) this.#showRow(row);
    const restored = restoredState(this.id, content, limits(this.ports));
    this.loop.reset(restored.state, ({ id }) => !this.#background.children.has(id));
    this.#hold(restored);
    this.#background.readAgain(content.rows);
  }

  /** Shows the rows that another window has added. What waits there is shown once it is free. */
  #readOn(): void {
    const { store } = this.ports;
    store.know(this.id);
    for (const row of store.rows(this.id, { after: this.#shownUpTo })) this.#showRow(row);
  }

  #showRow(row: TranscriptRow): void {
    this.#shownUpTo = row.seq;
    this.#announcer.emit({ type: 'row', turnId: row.turnId, row });
  }

  /** What waited when its window went away is held from now on. */
  #hold({ writes }: StepResult): void {
    if (writes.length === 0 || this.readOnly !== undefined) return;
    const { store, clock } = this.ports;
    store.commit(resolveWrites(this.id, writes, undefined, this.#record.history, false, clock.now()));
  }

  #stored(commit: Commit): void {
    const { turn } = this.#runner;
    this.#record.stored(commit, turn, (row) => this.#showRow(row));
    if (commit.rows?.some(({ kind }) => kind === 'summary')) this.ports.customisations?.compacted(this.id);
    for (const item of commit.items ?? []) this.#announcer.item(item, this.loop.state, this.#describe);
    if (commit.derivedTitle !== undefined) this.#readTitle();
    if (turn) tellResults(this.#hooks, turn, commit.rows ?? []);
  }

  /** A hook, where nothing else moves; otherwise what runs. */
  #label(): string | undefined {
    const { state } = this.loop;
    const ofTurn = this.#runner.turn?.stateLabel(state);
    return this.phase === 'tool' ? ofTurn : (this.#hooks.waitsFor ?? ofTurn);
  }

  #readTitle(): void {
    const title = this.#record.newTitle();
    if (title !== undefined) this.notice('title', title);
  }

  readonly #describe: DescribeCall = (callId) => this.#runner.turn?.describe(callId) ?? { what: 'tool', label: '' };

  readonly #todos: TodoPort = {
    get: () => (this.ports.store.todos(this.id) as readonly Todo[] | undefined) ?? [],
    set: (todos) => this.ports.store.setTodos(this.id, todos),
  };
}

/** The live session of a delegated agent. Its parent holds it and nobody else. */
function openChild(ports: AgentPorts, id: string): LiveSession {
  const opened = readSession(ports, id);
  if (!opened) throw new Error('The session of the agent was deleted before it began.');
  return new LiveSession(ports, opened, {
    release: () => undefined,
    read: () => readSession(ports, id),
    runningBeside: () => 0,
  });
}

function stillnessWarning(minutesLeft: number): string {
  const left = minutesLeft === 1 ? 'a minute' : `${minutesLeft} minutes`;
  return `Nothing has moved in this turn for a while. In ${left} it is stopped; you can also stop it now.`;
}
