import type {
  BackgroundProcess,
  Child,
  Choice,
  Event,
  InputOptions,
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
import { textTokens } from '../context/index.ts';
import { restore, type UntoldStop } from '../control/index.ts';
import { addUsage, NO_USAGE } from '../model/index.ts';
import { type Commit, exportJson, exportMarkdown, type StoredSession, type TurnRecord } from '../session/index.ts';
import { toolSpecs } from '../tools/index.ts';
import type { ProcessPort, Todo, TodoPort } from '../tools/types.ts';
import { Announcer, phaseName, Sequence, type StateEvent, stateName, withWaitsFor } from './announcer.ts';
import { ContextWatch, type Reading } from './context-watch.ts';
import { ControlLoop } from './control-loop.ts';
import { History } from './history.ts';
import { firePostToolCalls, fireSessionStart } from './hook-run.ts';
import { Liveness } from './liveness.ts';
import { callState, OpenCalls } from './open-calls.ts';
import { resolveWrites } from './rows.ts';
import { Settling } from './settling.ts';
import { TurnRunner } from './turn-runner.ts';
import type { AgentPorts, LiveView } from './types.ts';

/** Whoever opened the session. */
export interface SessionHost {
  /** A holder lets go of it. */
  release(session: LiveSession): void;
  /** Reads it again; undefined when it was deleted. @throws StorageError */
  read(id: string): OpenedSession | undefined;
}

const RUNS_ELSEWHERE =
  'This session is running in another window, so it can only be read here. Go on there, take it over, or start a new session.';
const DELETED_ELSEWHERE = 'This session was deleted in another window. What you see of it is all that is left.';
const GIVEN_AWAY =
  'Another window took this session over, so its turn was stopped here. You can go on there, or here once it is idle.';

/**
 * One live session: the surface that the chat, the commands and the API share. The rules about order are in
 * `control/`; the loop that follows them is `control-loop.ts`; what they lead to is done by `turn-runner.ts`.
 */
export class LiveSession implements Session {
  readonly id: string;
  readonly #ports: AgentPorts;
  readonly #sequence: Sequence;
  readonly #announcer: Announcer;
  readonly #history: History;
  readonly #watch: ContextWatch;
  readonly #loop: ControlLoop;
  readonly #runner: TurnRunner;
  readonly #processes: ProcessPort;
  readonly #settling: Settling;
  readonly #liveness: Liveness;
  readonly #calls: OpenCalls;
  readonly #host: SessionHost;
  readonly #watch: LeaseWatch;
  readonly #closed = new AbortController();
  #title: string;
  #modelRef: string | undefined;
  #usage: Usage;
  #contextTokens = 0;
  #runsElsewhere = false;
  #deleted = false;
  #takingOver: Promise<boolean> | undefined;

  /**
   * Opens a stored session; what an interrupted turn left behind has been closed by then (`session/recovery.ts`).
   *
   */
  constructor(ports: AgentPorts, opened: OpenedSession, host: SessionHost) {
    const { stored, content } = opened;
    this.#host = host;
    this.#runsElsewhere = opened.elsewhere;
    const { id } = stored;
    this.id = id;
    this.#ports = ports;
    this.#title = stored.title;
    this.#modelRef = stored.model;
    this.#processes = ports.processes(id);
    const { rows, items, turns, lastSeq } = content;
    const results = turns.flatMap((turn) => turn.result ?? []);
    this.#usage = results.map((result) => result.usage).reduce(addUsage, NO_USAGE);
    const reading = lastReading(turns, rows);
    this.#contextTokens = reading?.tokens ?? 0;
    this.#history = new History(rows);
    this.#watch = new ContextWatch(this.#history, () => overhead(ports), reading);
    this.#settling = new Settling(results);
    const restored = restore({
      sessionId: id,
      lastSeq,
      stepBudget: ports.settings().stepBudget,
      items,
      receipts: ports.store.receipts(id),
      untoldStop: untoldStop(results, rows),
    });
    this.#sequence = new Sequence(restored.state.seq);
    this.#liveness = new Liveness({
      clock: ports.clock,
      timeout: () => ports.settings().livenessTimeout,
      watches: () => this.state === 'running' && !this.#calls.runsCommand,
      warn: (minutesLeft) => this.notice('liveness', stillnessWarning(minutesLeft)),
      stop: () => this.stop({ by: 'liveness', reason: 'liveness' }),
    });
    this.#announcer = new Announcer(ports, id, this.#sequence, () => this.#liveness.progress());
    this.#runner = new TurnRunner({
      ports,
      sessionId: id,
      announcer: this.#announcer,
      history: this.#history,
      watch: this.#watch,
      processes: this.#processes,
      todos: this.#todos,
      background: {
        stopChild: () => undefined,
        review: () => this.#loop.dispatch({ type: 'reviewEnded' }),
        cancelReview: () => undefined,
      },
      modelRef: () => this.#modelRef,
      tell: (event) => this.#loop.dispatch(event),
      callState: (callId) => callState(this.#loop.state, callId),
      started: () => {
        this.#liveness.start();
        if (!this.#settling.last) fireSessionStart(ports, id, this.#modelRef);
      },
      ended: (turn, result) => {
        this.#liveness.dispose();
        this.#usage = addUsage(this.#usage, turn.usage);
        this.#contextTokens = turn.contextTokens || this.#contextTokens;
        this.#settling.ended(result);
      },
      settled: (result) => this.#settling.settled(result),
    });
    this.#calls = new OpenCalls(this.#runner, this.#announcer, () => this.#loop.state);
    this.#loop = new ControlLoop(
      {
        ports,
        sessionId: id,
        readOnly: this.readOnly,
        sequence: this.#sequence,
        announcer: this.#announcer,
        history: this.#history,
        turn: () => this.#runner.turn,
        stored: (commit) => this.#stored(commit),
        carryOut: (effect) => this.#runner.carryOut(effect),
      },
      restored.state,
    );
    if (restored.writes.length > 0 && this.readOnly === undefined) {
      ports.store.commit(resolveWrites(id, restored.writes, undefined, this.#history, false, ports.clock.now()));
    }
  }

  get title(): string {
    return this.#title;
  }

  get modelRef(): string | undefined {
    return this.#modelRef;
  }

  get state(): SessionStateName {
    return stateName(this.#loop.state);
  }

  get phase(): Phase | undefined {
    return phaseName(this.#loop.state);
  }

  /** The newest `state` event: what a view that opens shows until the next one. */
  get lastState(): StateEvent | undefined {
    return this.#announcer.lastState;
  }

  // Verbs

  send(text: string, options?: InputOptions): Receipt {
    return this.submit('send', text, 'api', options);
  }

  steer(text: string, options?: InputOptions): Receipt {
    return this.submit('steer', text, 'api', options);
  }

  redirect(text: string, options?: InputOptions): Receipt {
    return this.submit('redirect', text, 'api', options);
  }

  queue(text: string, options?: InputOptions): Receipt {
    return this.submit('queue', text, 'api', options);
  }

  stopAndSend(text: string, options?: InputOptions): Receipt {
    return this.submit('stopAndSend', text, 'api', options);
  }

  /** A verb that carries text, from the chat, a command or the API. */
  submit(
    verb: 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend',
    text: string,
    origin: Item['origin'],
    options: InputOptions = {},
  ): Receipt {
    const { busyInput, queueOnStop: onQueue } = this.#ports.settings();
    const seesImages = (options.images ?? []).length === 0 || (this.#runner.turn?.model?.vision ?? true);
    const carried = { id: clientId(options.id), text, attachments: options.attachments ?? [], origin, seesImages };
    if (verb === 'send') return this.#loop.verb({ type: 'send', busyInput, ...carried });
    if (verb === 'stopAndSend') return this.#loop.verb({ type: verb, onQueue, reason: 'stop_and_send', ...carried });
    return this.#loop.verb({ type: verb, ...carried });
  }

  /**
   * @param options.reason which surface asked (`stop_button`, `stop_key`, …); `api` by default
   * @param options.by `user`, or the name of a system producer
   */
  stop(options: { readonly reason?: string; readonly by?: string } = {}): Receipt {
    const { reason = 'api', by = 'user' } = options;
    return this.#loop.verb({ type: 'stop', id: newId(), by, reason, onQueue: this.#ports.settings().queueOnStop });
  }

  stopAfterStep(reason = 'api'): Receipt {
    const onQueue = this.#ports.settings().queueOnStop;
    return this.#loop.verb({ type: 'stopAfterStep', id: newId(), reason, onQueue });
  }

  /** Sends the text that began the last turn once more, as a turn of its own. Undefined when there was none. */
  retry(origin: Item['origin'] = 'api'): Receipt | undefined {
    const row = this.rows().findLast((one) => one.kind === 'message');
    return row && this.submit('queue', row.displayText ?? '', origin);
  }

  /**
   * Lets a summary stand for the earlier conversation: at once when idle, otherwise before the next request of the turn,
   * once in a turn. Nothing is removed from the transcript. False when the session can only be read.
   */
  compact(): boolean {
    if (this.readOnly !== undefined || this.isStale()) return false;
    this.#loop.dispatch({ type: 'compact', id: newId() });
    return true;
  }

  withdraw(id: string): Receipt {
    return this.#loop.verb({ type: 'withdraw', id });
  }

  edit(id: string, text: string, revision: number): Receipt {
    return this.#loop.verb({ type: 'edit', id, text, revision });
  }

  move(id: string, before?: string): Receipt {
    return this.#loop.verb({ type: 'move', id, before });
  }

  sendNow(id: string): Receipt {
    return this.#loop.verb({ type: 'sendNow', id });
  }

  /** Makes a waiting steer or queue entry a redirect. */
  redirectNow(id: string): Receipt {
    return this.#loop.verb({ type: 'redirectNow', id });
  }

  resumeQueue(): Receipt {
    return this.#loop.verb({ type: 'resumeQueue', id: newId() });
  }

  clearQueue(): Receipt {
    return this.#loop.verb({ type: 'clearQueue', id: newId() });
  }

  /** A view has taken a returned text into its composer. */
  acknowledge(id: string): void {
    this.#loop.dispatch({ type: 'acknowledge', id });
  }

  // What waits

  items(): readonly Item[] {
    return this.#loop.state.items.map((item) => withWaitsFor(item, this.#loop.state, this.#labelOf));
  }

  item(id: string): Item | undefined {
    return this.items().find((item) => item.id === id) ?? this.#ports.store.item(this.id, id);
  }

  approvals(): readonly PendingApproval[] {
    return this.#calls.approvals();
  }

  answer(approvalId: string, choice: Choice, reason?: string): boolean {
    return this.#calls.answer(approvalId, choice, reason);
  }

  questions(): readonly PendingQuestion[] {
    return this.#calls.questions();
  }

  answerQuestion(id: string, answer: string | readonly string[]): boolean {
    return this.#calls.answerQuestion(id, answer);
  }

  // What there is

  transcript(): Promise<readonly TranscriptRow[]> {
    return Promise.resolve(this.rows());
  }

  /** @param options.limit counts from the end; `before` excludes rows from that sequence number on */
  rows(options?: { before?: number; limit?: number }): readonly TranscriptRow[] {
    return this.#ports.store.rows(this.id, options);
  }

  turnResult(turnId: string): TurnResult | undefined {
    return this.#settling.result(turnId);
  }

  /** What a view that opens or comes back has to show beside the rows. */
  view(): LiveView | undefined {
    return this.#calls.view();
  }

  /** Tokens of the newest request and its answer, as the provider counted them; 0 when unknown. */
  get contextTokens(): number {
    return this.#runner.turn?.contextTokens || this.#contextTokens;
  }

  get usage(): Usage {
    const { turn } = this.#runner;
    return turn ? addUsage(this.#usage, turn.usage) : this.#usage;
  }

  processes(): readonly BackgroundProcess[] {
    return this.#processes.list();
  }

  processOutput(id: string): string | undefined {
    return this.#processes.output(id);
  }

  async killProcess(id: string): Promise<void> {
    const { survivors } = await this.#processes.kill(id);
    for (const { pid, command } of survivors) {
      this.notice('survivor', `Process ${pid} (${command}) could not be ended.`);
    }
  }

  children(): readonly Child[] {
    return [];
  }

  /** A background process started, wrote or ended. */
  processChanged(process: BackgroundProcess): void {
    this.#announcer.emit({ type: 'process', turnId: process.turnId, process });
    if (process.state === 'exited' || process.state === 'killed') {
      this.#loop.dispatch({ type: 'noticed', notice: { id: process.id, text: endNotice(process) } });
    }
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
    return this.#settling.wait(turnId, this.#loop.state.turn?.id);
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
    this.#ports.store.rename(this.id, trimmed, 'user');
    this.#readTitle();
  }

  setModel(ref: string): void {
    this.#ports.store.setModel(this.id, ref);
    this.#modelRef = ref;
  }

  export(format: 'json' | 'markdown'): Promise<string> {
    const { store } = this.#ports;
    const text = format === 'json' ? exportJson(store, this.id) : exportMarkdown(store, this.id);
    return text === undefined ? Promise.reject(new Error('This session was deleted.')) : Promise.resolve(text);
  }

  /** Something for the user that is not part of the conversation. */
  notice(kind: string, text: string): void {
    this.#announcer.notice(kind, text);
  }

  settingsChanged(): void {
    this.#loop.dispatch({ type: 'configured', stepBudget: this.#ports.settings().stepBudget, reviews: false });
  }

  /** True when what is known here is old: another window wrote to it, or runs it no longer. */
  isStale(): boolean {
    return this.state === 'idle' && (this.#runsElsewhere || this.#loop.isStale());
  }

  /** Lets go of the session: what runs goes on, and it stays open where somebody else sees it. */
  dispose(): void {
    this.#release(this);
  }

  /** Ends the turn at once. Nothing is lost: the next opening closes the turn in the store. */
  close(): void {
    this.#liveness.dispose();
    this.#runner.dispose();
    this.#loop.close();
    this.#settling.close();
  }

  #stored(commit: Commit): void {
    const { turn } = this.#runner;
    if (turn && commit.turn?.id === turn.id) turn.record = commit.turn;
    for (const row of commit.rows ?? []) {
      if (row.kind !== 'summary') this.#history.append(row);
      else {
        this.#watch.swap(row);
        if (turn) turn.contextTokens = this.#watch.estimate();
      }
      this.#announcer.emit({ type: 'row', turnId: row.turnId, row });
    }
    for (const item of commit.items ?? []) this.#announcer.item(item, this.#loop.state, this.#labelOf);
    if (commit.derivedTitle !== undefined) this.#readTitle();
    if (turn && this.#ports.hooks.has('post_tool_call')) {
      firePostToolCalls(this.#ports, this.id, turn, commit.rows ?? []);
    }
  }

  #readTitle(): void {
    const title = this.#ports.store.get(this.id)?.title ?? this.#title;
    if (title === this.#title) return;
    this.#title = title;
    this.notice('title', title);
  }

  readonly #labelOf = (callId: string): string => this.#runner.turn?.labelOf(callId) ?? '';

  readonly #todos: TodoPort = {
    get: () => (this.#ports.store.todos(this.id) as readonly Todo[] | undefined) ?? [],
    set: (todos) => this.#ports.store.setTodos(this.id, todos),
  };
}

function stillnessWarning(minutesLeft: number): string {
  const left = minutesLeft === 1 ? 'a minute' : `${minutesLeft} minutes`;
  return `Nothing has moved in this turn for a while. In ${left} it is stopped; you can also stop it now.`;
}

function endNotice({ id, command, state, exitCode, tail }: BackgroundProcess): string {
  const how = state === 'killed' ? 'was ended' : `ended with exit code ${exitCode ?? 'unknown'}`;
  const output = tail.trim() === '' ? '' : ` Its last output:\n${tail.trim()}`;
  return `The background process ${id} (${command}) ${how}.${output}`;
}

function clientId(id: string | undefined): string {
  return id === undefined || id === '' ? newId() : id.slice(0, 128);
}

function newId(): string {
  return crypto.randomUUID();
}

/** A stop of the turn that has the newest user row: the model is told of it with the next one. */
function untoldStop(results: readonly TurnResult[], rows: readonly TranscriptRow[]): UntoldStop | undefined {
  const told = rows.findLast((row) => row.role === 'user');
  const turn = results.findLast((result) => result.turnId === told?.turnId);
  return turn?.stoppedBy && turn.phase ? { phase: turn.phase, by: turn.stoppedBy } : undefined;
}

/** The newest count of the context that is stored, with the row that it goes up to. */
function lastReading(turns: readonly TurnRecord[], rows: readonly TranscriptRow[]): Reading | undefined {
  const counted = turns.findLast((turn) => turn.contextTokens !== undefined);
  const row = rows.findLast((one) => one.turnId === counted?.id);
  return counted?.contextTokens === undefined || !row ? undefined : { tokens: counted.contextTokens, upTo: row.seq };
}

/** Tokens that go with every request beside the history. */
function overhead(ports: AgentPorts): number {
  return textTokens(ports.systemPrompt()) + textTokens(JSON.stringify(toolSpecs(ports.tools.list())));
}
