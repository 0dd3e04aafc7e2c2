import type {
  BackgroundProcess,
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
import {
  type ControlEvent,
  type ControlState,
  type Effect,
  type LoopEvent,
  phaseOf,
  restore,
  step,
  type UntoldStop,
  type VerbEvent,
} from '../control/index.ts';
import { addUsage } from '../model/index.ts';
import { type Commit, exportJson, exportMarkdown, StorageError, type StoredSession } from '../session/index.ts';
import type { ProcessPort, Todo, TodoPort } from '../tools/types.ts';
import { answerApproval, answerQuestion, beginCall, type CallContext, closeCall, runCall } from './call-run.ts';
import { EventLog } from './event-log.ts';
import { History } from './history.ts';
import { fireEndHooks, firePostToolCalls, prepareTexts } from './hook-run.ts';
import { type LiveCall, LiveTurn } from './live-turn.ts';
import { runRequest } from './request-run.ts';
import { resolveWrites, turnResult } from './rows.ts';
import type { AgentPorts, LiveView } from './types.ts';
import { waitsFor } from './waits-for.ts';

/** Milliseconds between two saves of an answer that is being written. */
const SAVE_PARTIAL_EVERY = 500;
/** Milliseconds between two tries when another window holds the database. */
const STORE_RETRY = 50;
const STORE_RETRIES = 40;

type Input = VerbEvent | LoopEvent;
type Emitted = SessionEvent extends infer E ? (E extends SessionEvent ? Omit<E, 'seq' | 'at'> : never) : never;
/** A verb without what the session adds. */
type TextVerb = 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend';

/**
 * One live session: feeds the control machine, stores what it wants written, carries out its effects, and tells the
 * world by numbered events. It holds no rule about order; those are in `control/`.
 */
export class LiveSession implements Session {
  readonly id: string;
  readonly #ports: AgentPorts;
  readonly #events: EventLog;
  readonly #history: History;
  readonly #processes: ProcessPort;
  readonly #sessionRules = new Set<string>();
  readonly #settled = new Map<string, { promise: Promise<TurnResult>; resolve: (result: TurnResult) => void }>();
  readonly #results = new Map<string, TurnResult>();
  readonly #shownItems = new Map<string, string>();
  readonly #disposed = new AbortController();
  #seq: number;
  #state: ControlState;
  #turn: LiveTurn | undefined;
  #title: string;
  #modelRef: string | undefined;
  #usage: Usage;
  #contextTokens = 0;
  #lastResult: TurnResult | undefined;
  #effects: Effect[] = [];
  #carryingOut = false;
  #shownState = '';
  #cancelSave: (() => void) | undefined;

  /** Opens a stored session; what an interrupted turn left behind has been closed by then (`session/recovery.ts`). */
  constructor(ports: AgentPorts, stored: StoredSession) {
    this.#ports = ports;
    this.id = stored.id;
    this.#title = stored.title;
    this.#modelRef = stored.model;
    this.#processes = ports.processes(stored.id);
    this.#events = new EventLog((error) => ports.log.error(`a listener of session ${stored.id} threw: ${error}`));
    this.#history = new History(ports.store.rows(stored.id));
    const turns = ports.store.turns(stored.id);
    for (const { id, result } of turns) if (result) this.#results.set(id, result);
    this.#lastResult = turns.at(-1)?.result;
    this.#usage = ports.store.usage(stored.id);
    const restored = restore({
      sessionId: stored.id,
      lastSeq: ports.store.lastSeq(stored.id),
      stepBudget: ports.settings().stepBudget,
      items: ports.store.items(stored.id),
      untoldStop: untoldStop(this.#lastResult, ports.store.rows(stored.id, { limit: 1 }).at(-1)),
    });
    this.#state = restored.state;
    this.#seq = restored.state.seq;
    if (restored.writes.length > 0 && ports.store.readOnly === undefined) {
      ports.store.commit(resolveWrites(this.id, restored.writes, undefined, this.#history, false, ports.clock.now()));
    }
  }

  get title(): string {
    return this.#title;
  }

  get modelRef(): string | undefined {
    return this.#modelRef;
  }

  get state(): SessionStateName {
    const activity = this.#state.turn?.activity;
    if (!activity) return 'idle';
    if (activity.is === 'stopping') return 'stopping';
    const phase = phaseOf(activity);
    return phase === 'approval' || phase === 'question' ? 'waiting' : 'running';
  }

  get phase(): Phase | undefined {
    return this.#state.turn && phaseOf(this.#state.turn.activity);
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
  submit(verb: TextVerb, text: string, origin: Item['origin'], options: InputOptions = {}): Receipt {
    const { busyInput, queueOnStop: onQueue } = this.#ports.settings();
    const attachments = options.attachments ?? [];
    const seesImages = (options.images ?? []).length === 0 || (this.#turn?.model?.vision ?? true);
    const carried = { id: clientId(options.id), text, attachments, origin, seesImages };
    if (verb === 'send') return this.#verb({ type: 'send', busyInput, ...carried });
    if (verb === 'stopAndSend') return this.#verb({ type: verb, onQueue, reason: 'stop_and_send', ...carried });
    return this.#verb({ type: verb, ...carried });
  }

  /** @param options.reason which surface asked (`stop_button`, `stop_key`, …); `api` by default */
  stop(options: { readonly reason?: string; readonly by?: string } = {}): Receipt {
    const { queueOnStop: onQueue } = this.#ports.settings();
    const { reason = 'api', by = 'user' } = options;
    return this.#verb({ type: 'stop', id: newId(), by, reason, onQueue });
  }

  stopAfterStep(reason = 'api'): Receipt {
    const { queueOnStop: onQueue } = this.#ports.settings();
    return this.#verb({ type: 'stopAfterStep', id: newId(), reason, onQueue });
  }

  withdraw(id: string): Receipt {
    return this.#verb({ type: 'withdraw', id });
  }

  edit(id: string, text: string, revision: number): Receipt {
    return this.#verb({ type: 'edit', id, text, revision });
  }

  move(id: string, before?: string): Receipt {
    return this.#verb({ type: 'move', id, before });
  }

  sendNow(id: string): Receipt {
    return this.#verb({ type: 'sendNow', id });
  }

  /** Makes a waiting steer or queue entry a redirect. */
  redirectNow(id: string): Receipt {
    return this.#verb({ type: 'redirectNow', id });
  }

  resumeQueue(): Receipt {
    return this.#verb({ type: 'resumeQueue', id: newId() });
  }

  clearQueue(): Receipt {
    return this.#verb({ type: 'clearQueue', id: newId() });
  }

  /** A view has taken a returned text into its composer. */
  acknowledge(id: string): void {
    this.#dispatch({ type: 'acknowledge', id });
  }

  // What waits

  items(): readonly Item[] {
    return this.#state.items.map((item) => this.#withWaitsFor(item));
  }

  item(id: string): Item | undefined {
    const waiting = this.#state.items.find((item) => item.id === id);
    return waiting ? this.#withWaitsFor(waiting) : this.#ports.store.item(this.id, id);
  }

  approvals(): readonly PendingApproval[] {
    return this.#openCalls().flatMap((call) => call.approval ?? []);
  }

  answer(approvalId: string, choice: Choice, reason?: string): boolean {
    const call = this.#openCalls().find((candidate) => candidate.approval?.id === approvalId);
    const turn = this.#turn;
    if (!call?.approval || !turn || !call.approval.choices.includes(choice)) return false;
    answerApproval(this.#callContext(turn), call, choice, reason);
    this.#emit({ type: 'approval.closed', turnId: turn.id, id: approvalId, by: choice });
    return true;
  }

  questions(): readonly PendingQuestion[] {
    return this.#openCalls().flatMap((call) => call.question ?? []);
  }

  answerQuestion(id: string, answer: string | readonly string[]): boolean {
    const call = this.#openCalls().find((candidate) => candidate.question?.id === id);
    const turn = this.#turn;
    if (!call?.question || !turn) return false;
    answerQuestion(this.#callContext(turn), call, answer);
    this.#emit({ type: 'question.closed', turnId: turn.id, id });
    return true;
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
    return this.#results.get(turnId);
  }

  /** What a view that opens or comes back has to show beside the rows. */
  view(): LiveView | undefined {
    const turn = this.#turn;
    if (!turn) return undefined;
    const { id: turnId, startedAt, request, attempt, reasoning } = turn;
    const writing = this.#state.turn?.activity.is === 'model' || this.#state.turn?.activity.is === 'backoff';
    return {
      turnId,
      startedAt,
      request,
      attempt,
      text: writing ? turn.text : '',
      reasoning: writing ? reasoning : '',
      tools: this.#openCalls().map(({ call, label, startedAt: since, output }) => ({
        callId: call.callId,
        name: call.name,
        state: this.#callState(call.callId),
        label,
        startedAt: since,
        output,
      })),
    };
  }

  /** Tokens of the newest request and its answer, as the provider counted them; 0 when unknown. */
  get contextTokens(): number {
    return this.#turn?.contextTokens || this.#contextTokens;
  }

  get usage(): Usage {
    return this.#turn ? addUsage(this.#usage, this.#turn.usage) : this.#usage;
  }

  processes(): readonly BackgroundProcess[] {
    return this.#processes.list();
  }

  processOutput(id: string): string | undefined {
    return this.#processes.output(id);
  }

  async killProcess(id: string): Promise<void> {
    const { survivors } = await this.#processes.kill(id);
    for (const { pid, command } of survivors)
      this.notice('survivor', `Process ${pid} (${command}) could not be ended.`);
  }

  /** Ends one running command; its turn goes on. */
  stopCommand(callId: string): boolean {
    const call = this.#openCalls().find((candidate) => candidate.call.callId === callId);
    if (!call || this.#callState(callId) !== 'running') return false;
    if (call.controller.signal.aborted) call.killController.abort();
    else call.controller.abort();
    return true;
  }

  settled(turnId = this.#turn?.id): Promise<TurnResult> {
    if (turnId === undefined) {
      if (this.#lastResult) return Promise.resolve(this.#lastResult);
      return Promise.reject(new Error('This session has not had a turn yet.'));
    }
    const waiting = this.#settled.get(turnId);
    if (waiting) return waiting.promise;
    const result = this.#results.get(turnId);
    return result ? Promise.resolve(result) : Promise.reject(new Error(`There is no turn ${turnId} in this session.`));
  }

  events(sinceSeq: number): readonly SessionEvent[] {
    return this.#events.since(sinceSeq);
  }

  get onDidEmit(): Event<SessionEvent> {
    return this.#events.event;
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.#seq;
  }

  rename(title: string): void {
    const trimmed = title.trim();
    if (trimmed === '') return;
    this.#ports.store.rename(this.id, trimmed, 'user');
    this.#title = trimmed;
    this.notice('title', trimmed);
  }

  setModel(ref: string): void {
    this.#ports.store.setModel(this.id, ref);
    this.#modelRef = ref;
  }

  export(format: 'json' | 'markdown'): Promise<string> {
    const text =
      format === 'json' ? exportJson(this.#ports.store, this.id) : exportMarkdown(this.#ports.store, this.id);
    return text === undefined ? Promise.reject(new Error('This session was deleted.')) : Promise.resolve(text);
  }

  /** Something for the user that is not part of the conversation. */
  notice(kind: string, text: string): void {
    this.#emit({ type: 'notice', kind, text });
  }

  settingsChanged(): void {
    this.#dispatch({ type: 'configured', stepBudget: this.#ports.settings().stepBudget });
  }

  /** Ends the turn and every process of this session. Nothing is lost: the next start closes the turn. */
  dispose(): void {
    this.#savePartial();
    this.#disposed.abort();
    this.#cancelSave?.();
    const turn = this.#turn;
    if (!turn) return;
    turn.controller.abort();
    turn.requestController?.abort();
    turn.cancelWait?.();
    turn.cancelAbandon?.();
    for (const call of turn.calls.values()) {
      call.controller.abort();
      call.killController.abort();
    }
  }

  // The way of an event: step, store, take over, tell, carry out

  #verb(event: VerbEvent & { readonly id: string }): Receipt {
    const receipt = this.#dispatch(event);
    if (!receipt) throw new Error(`control: ${event.type} gave no receipt`);
    return receipt;
  }

  #dispatch(input: Input, storeTry = 1): Receipt | undefined {
    if (this.#disposed.signal.aborted) return refusal(input, this.#seq, 'closed', 'This session is closed.');
    const { readOnly } = this.#ports.store;
    if (readOnly !== undefined && isVerb(input)) return refusal(input, this.#seq, 'read_only', readOnly);
    this.#seq += 1;
    const event: ControlEvent = { ...input, seq: this.#seq, at: this.#ports.clock.now() };
    const next = step(this.#state, event);
    const stopAfterStep = this.#state.turn?.stopAfterStep !== undefined;
    let commit: Commit | undefined;
    if (next.writes.length > 0) {
      commit = resolveWrites(this.id, next.writes, this.#turn, this.#history, stopAfterStep, event.at);
      const failure = this.#store(commit);
      if (failure && !mustHappen(input)) return this.#notStored(input, failure, storeTry);
    }
    this.#state = next.state;
    this.#seq = Math.max(this.#seq, next.state.seq);
    if (commit) this.#stored(commit);
    this.#effects.push(...next.effects);
    this.#carryOut();
    this.#showState();
    this.#showItems();
    return next.receipt;
  }

  #store(commit: Commit): StorageError | undefined {
    try {
      this.#ports.store.commit(commit);
      return undefined;
    } catch (error) {
      const failure =
        error instanceof StorageError ? error : new StorageError('unknown', String(error), { cause: error });
      this.#ports.log.error(`storing in session ${this.id} failed: ${failure.kind}: ${failure.message}`);
      return failure;
    }
  }

  /** The step did not happen. A verb is refused; the loop tries again while another window holds the lock. */
  #notStored(input: Input, failure: StorageError, tries: number): Receipt | undefined {
    if (isVerb(input)) {
      return refusal(input, this.#seq, failure.kind === 'read_only' ? 'read_only' : 'storage_busy', failure.message);
    }
    if (failure.kind === 'locked' && tries < STORE_RETRIES) {
      const cancel = this.#ports.clock.after(STORE_RETRY, () => this.#dispatch(input, tries + 1));
      this.#disposed.signal.addEventListener('abort', cancel, { once: true });
      return undefined;
    }
    const turn = this.#turn;
    if (!turn || !('turnId' in input)) return undefined;
    turn.error = { kind: `storage_${failure.kind}`, message: failure.message, action: 'midcourse.openDataFolder' };
    this.#dispatch({ type: 'storageFailed', turnId: turn.id, callsUnstored: input.type === 'answered' });
    return undefined;
  }

  #stored(commit: Commit): void {
    const turn = this.#turn;
    if (turn && commit.turn?.id === turn.id) turn.record = commit.turn;
    for (const row of commit.rows ?? []) {
      this.#history.append(row);
      this.#emit({ type: 'row', turnId: row.turnId, row });
    }
    for (const item of commit.items ?? []) this.#emitItem(item);
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

  /** Effects are carried out one after the other, also those of events that an effect feeds in. */
  #carryOut(): void {
    if (this.#carryingOut) return;
    this.#carryingOut = true;
    try {
      for (let effect = this.#effects.shift(); effect; effect = this.#effects.shift()) this.#carry(effect);
    } finally {
      this.#carryingOut = false;
    }
  }

  #carry(effect: Effect): void {
    if (effect.do === 'turnStarted') return this.#turnStarted(effect.turnId);
    if (effect.do === 'stopBackground') return;
    const turn = this.#turn;
    if (!turn || turn.id !== effect.turnId) {
      return this.#ports.log.debug(`effect ${effect.do} of ${effect.turnId} came after its turn`);
    }
    const call = 'callId' in effect ? turn.calls.get(effect.callId) : undefined;
    switch (effect.do) {
      case 'prepare':
        return prepareTexts(this.#ports, this.id, turn, effect.items, (event) => this.#dispatch(event));
      case 'request':
        return this.#request(turn, effect);
      case 'abortRequest':
        return this.#abortRequest(turn, effect);
      case 'wait':
        return this.#wait(turn, effect);
      case 'cancelWait':
        turn.cancelWait?.();
        turn.cancelWait = undefined;
        turn.waitUntil = undefined;
        return;
      case 'cancelPrepare':
      case 'cancelCompaction':
      case 'cancelFinalize':
        return turn.controller.abort();
      case 'begin':
        if (call) void beginCall(this.#callContext(turn), call).then(() => this.#cardOpened(turn, call));
        return;
      case 'run':
        if (call) {
          this.#emitTool(turn, call, 'running');
          void runCall(this.#callContext(turn), call);
        }
        return;
      case 'closeCall':
        if (call) this.#closeCall(turn, call, effect.status);
        return;
      case 'abortCall':
        return call?.controller.abort();
      case 'killCall':
        return call?.killController.abort();
      case 'askYield':
        // No tool can yield yet: the text waits for the end of the batch, and its chip says for what.
        return;
      case 'answerQuestion':
        if (call?.question) this.answerQuestion(call.question.id, effect.text);
        return;
      case 'abandonAfter':
        turn.cancelAbandon = this.#ports.clock.after(effect.ms, () =>
          this.#dispatch({ type: 'abandon', turnId: turn.id }),
        );
        return;
      case 'finalize':
        this.#dispatch({ type: 'finalized', turnId: turn.id, goOn: false });
        return;
      case 'turnEnded':
        return this.#turnEnded(turn, effect.end);
      default:
        effect satisfies never;
    }
  }

  #turnStarted(turnId: string): void {
    this.#turn = new LiveTurn(turnId, this.#ports.clock.now());
    let resolve: (result: TurnResult) => void = () => {};
    const promise = new Promise<TurnResult>((settle) => {
      resolve = settle;
    });
    this.#settled.set(turnId, { promise, resolve });
    this.#emit({ type: 'turn.started', turnId });
  }

  #request(turn: LiveTurn, { request, attempt }: { request: number; attempt: number }): void {
    this.#emit({ type: 'request.started', turnId: turn.id, request, attempt });
    const run = runRequest(
      {
        ports: this.#ports,
        sessionId: this.id,
        modelRef: this.#modelRef,
        turn,
        messages: () => this.#history.messages(),
        hasCall: (callId) => this.#history.hasCall(callId),
        tell: (event) => {
          this.#requestEnded(event);
          this.#dispatch(event);
        },
        delta: (part, text) => {
          this.#emit({ type: 'delta', turnId: turn.id, request, attempt, part, text });
          if (part === 'text') this.#savePartialSoon();
        },
        callProgress: (name, characters) => {
          const { id: turnId } = turn;
          this.#emit({ type: 'state', turnId, state: 'running', phase: 'model', label: `${name} ${characters}` });
        },
      },
      { turnId: turn.id, request, attempt },
    );
    run.catch((error: unknown) => {
      this.#ports.log.error(`request ${request} of ${turn.id}: ${error instanceof Error ? error.stack : error}`);
      turn.error = { kind: 'internal', message: `Midcourse failed while it asked the model: ${error}` };
      this.#dispatch({ type: 'failed', turnId: turn.id, request, attempt, retry: undefined, exit: 'model_error' });
    });
  }

  #requestEnded(event: LoopEvent): void {
    if (event.type !== 'answered' && event.type !== 'failed') return;
    const { turnId, request, attempt } = event;
    this.#emit({ type: 'request.ended', turnId, request, attempt, outcome: event.type });
  }

  #abortRequest(turn: LiveTurn, { request, attempt }: { request: number; attempt: number }): void {
    turn.requestController?.abort();
    turn.requestController = undefined;
    this.#emit({ type: 'request.ended', turnId: turn.id, request, attempt, outcome: 'aborted' });
  }

  #wait(turn: LiveTurn, { request, attempt, ms }: { request: number; attempt: number; ms: number }): void {
    turn.waitUntil = this.#ports.clock.now() + ms;
    if (ms > 0) this.#emit({ type: 'notice', turnId: turn.id, kind: 'retry', text: String(turn.waitUntil) });
    turn.cancelWait = this.#ports.clock.after(ms, () => {
      turn.cancelWait = undefined;
      turn.waitUntil = undefined;
      this.#dispatch({ type: 'waited', turnId: turn.id, request, attempt });
    });
  }

  /** The machine may have closed the card in the same step: then it never opens. */
  #cardOpened(turn: LiveTurn, call: LiveCall): void {
    const state = this.#callState(call.call.callId);
    if (call.approval && state === 'approval') {
      this.#emitTool(turn, call, 'approval');
      this.#emit({ type: 'approval.opened', turnId: turn.id, id: call.approval.id });
    } else if (call.question && state === 'question') {
      this.#emitTool(turn, call, 'question');
      this.#emit({ type: 'question.opened', turnId: turn.id, id: call.question.id });
    }
  }

  #closeCall(turn: LiveTurn, call: LiveCall, status: TranscriptRow['status'] & string): void {
    const { approval, question } = call;
    closeCall(call);
    if (approval) this.#emit({ type: 'approval.closed', turnId: turn.id, id: approval.id, by: status });
    if (question) this.#emit({ type: 'question.closed', turnId: turn.id, id: question.id });
    this.#emitTool(turn, call, status);
  }

  #turnEnded(turn: LiveTurn, end: Extract<Effect, { do: 'turnEnded' }>['end']): void {
    turn.cancelAbandon?.();
    turn.cancelWait?.();
    turn.controller.abort();
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const result = turn.record.result ?? turnResult(end, turn, [], this.#ports.clock.now());
    this.#results.set(turn.id, result);
    this.#lastResult = result;
    this.#usage = addUsage(this.#usage, turn.usage);
    this.#contextTokens = turn.contextTokens || this.#contextTokens;
    this.#turn = undefined;
    this.#emit({ type: 'turn.ended', turnId: turn.id, result });
    void fireEndHooks(this.#ports, this.id, turn, end, result).then(() => {
      this.#emit({ type: 'settled', turnId: turn.id, result });
      this.#settled.get(turn.id)?.resolve(result);
      this.#settled.delete(turn.id);
    });
  }

  #callContext(turn: LiveTurn): CallContext {
    return {
      ports: this.#ports,
      sessionId: this.id,
      turn,
      processes: this.#processes,
      todos: this.#todos,
      sessionRules: this.#sessionRules,
      tell: (event) => {
        if (event.type === 'result') {
          const call = turn.calls.get(event.callId);
          if (call) this.#emitTool(turn, call, event.status);
        }
        this.#dispatch(event);
      },
      output: (call, text) => {
        const { callId, name } = call.call;
        this.#emit({ type: 'tool', turnId: turn.id, callId, name, state: 'running', label: call.label, output: text });
      },
    };
  }

  readonly #todos: TodoPort = {
    get: () => (this.#ports.store.todos(this.id) as readonly Todo[] | undefined) ?? [],
    set: (todos) => this.#ports.store.setTodos(this.id, todos),
  };

  #openCalls(): readonly LiveCall[] {
    const activity = this.#state.turn?.activity;
    if (activity?.is !== 'tool' && activity?.is !== 'stopping') return [];
    return activity.calls.flatMap((call) => (call.state.is === 'done' ? [] : (this.#turn?.calls.get(call.id) ?? [])));
  }

  #callState(callId: string): string {
    const activity = this.#state.turn?.activity;
    if (activity?.is !== 'tool' && activity?.is !== 'stopping') return 'done';
    return activity.calls.find((call) => call.id === callId)?.state.is ?? 'done';
  }

  #withWaitsFor(item: Item): Item {
    const { waitsFor: _old, ...rest } = item;
    const waiting = waitsFor(item, this.#state, (callId) => this.#turn?.calls.get(callId)?.label ?? '');
    return waiting ? { ...rest, waitsFor: waiting } : rest;
  }

  // Telling the world

  #emit(event: Emitted): void {
    this.#seq += 1;
    // The union is rebuilt by the spread; TypeScript cannot follow it through `Omit`.
    this.#events.emit({ ...event, seq: this.#seq, at: this.#ports.clock.now() } as SessionEvent);
  }

  #emitTool(turn: LiveTurn, call: LiveCall, state: Extract<SessionEvent, { type: 'tool' }>['state']): void {
    const { callId, name } = call.call;
    this.#emit({ type: 'tool', turnId: turn.id, callId, name, state, label: call.label });
  }

  #emitItem(item: Item): void {
    const shown = this.#state.items.some(({ id }) => id === item.id) ? this.#withWaitsFor(item) : item;
    this.#shownItems.set(item.id, JSON.stringify(shown.waitsFor));
    this.#emit({ type: 'item', item: shown });
  }

  /** Chips say what they wait for, and that changes with the turn. */
  #showItems(): void {
    for (const item of this.#state.items) {
      const { waitsFor: waiting } = this.#withWaitsFor(item);
      if (this.#shownItems.get(item.id) !== JSON.stringify(waiting)) this.#emitItem(item);
    }
  }

  #showState(): void {
    const { state, phase } = this;
    const label = phase === 'tool' ? this.#openCalls().find((call) => call.input !== undefined)?.label : undefined;
    const shown = `${state} ${phase} ${label} ${this.#turn?.id}`;
    if (shown === this.#shownState) return;
    this.#shownState = shown;
    this.#emit({
      type: 'state',
      state,
      ...(this.#turn ? { turnId: this.#turn.id } : {}),
      ...(phase ? { phase } : {}),
      ...(label === undefined ? {} : { label }),
    });
  }

  #savePartialSoon(): void {
    this.#cancelSave ??= this.#ports.clock.after(SAVE_PARTIAL_EVERY, () => this.#savePartial());
  }

  /** So that a crash keeps what the user saw. A failure costs only that. */
  #savePartial(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const turn = this.#turn;
    if (!turn || turn.text === '' || this.#state.turn?.activity.is !== 'model') return;
    const { id: turnId, request, attempt, text } = turn;
    try {
      this.#ports.store.savePartial(this.id, { turnId, request, attempt, text });
    } catch (error) {
      this.#ports.log.warn(`the partial answer was not saved: ${error}`);
    }
  }
}

function clientId(id: string | undefined): string {
  return id === undefined || id === '' ? newId() : id.slice(0, 128);
}

function newId(): string {
  return crypto.randomUUID();
}

function isVerb(input: Input): input is VerbEvent {
  return !('turnId' in input) && input.type !== 'configured';
}

/** A stop is carried out even when it cannot be stored; so is the end after a failed write. */
function mustHappen(input: Input): boolean {
  return input.type === 'stop' || input.type === 'storageFailed';
}

function refusal(
  input: Input,
  seq: number,
  reason: Extract<Receipt, { outcome: 'refused' }>['reason'],
  message: string,
): Receipt | undefined {
  if (!isVerb(input) || input.type === 'acknowledge') return undefined;
  const verb = input.type === 'redirectNow' ? 'redirect' : input.type;
  return { id: input.id, verb, seq, outcome: 'refused', reason, message };
}

/** A stop that no user row has followed yet. */
function untoldStop(last: TurnResult | undefined, lastRow: TranscriptRow | undefined): UntoldStop | undefined {
  if (!last?.stoppedBy || !last.phase || lastRow?.turnId !== last.turnId) return undefined;
  return { phase: last.phase, by: last.stoppedBy };
}
