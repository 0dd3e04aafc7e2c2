/**
 * A conversation on Codex's side: at most one turn at a time, its items, and the events that the newest turn still has
 * to tell. It follows what Codex says; what is sent when is decided by `conversation.ts`.
 */

import { endCommand } from './command-processes.ts';
import { type CodexFailure, unexpected } from './failures.ts';
import { Refused, type RequestId } from './json-rpc.ts';
import { LiveItem, type Reply } from './live-item.ts';
import { answers, isWork, type Notification, type ServerRequest, type Tokens, type TurnError } from './protocol.ts';
import { Pulse } from './pulse.ts';
import { answerTo, canAgree, workOf } from './questions.ts';
import type { CodexServer, ThreadListener } from './server.ts';

export type ThreadEvent =
  | { readonly type: 'text'; readonly itemId: string; readonly text: string }
  | { readonly type: 'reasoning'; readonly part: string; readonly text: string }
  /** An item has begun, or asks for something. */
  | { readonly type: 'work'; readonly item: LiveItem }
  | { readonly type: 'usage'; readonly tokens: Tokens }
  | { readonly type: 'over'; readonly status: string; readonly error: TurnError | undefined };

/** Milliseconds that a command's end may come after Codex has gone on with its output. */
const END_COMES = 250;

export class CodexThread implements ThreadListener {
  readonly id: string;
  readonly #server: CodexServer;
  readonly #pulse = new Pulse();
  readonly #items = new Map<string, LiveItem>();
  /** Questions about items that have not begun yet. */
  readonly #early = new Map<string, (item: LiveItem) => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #said = new Map<string, number>();
  /** Ids of user messages that have become part of the thread. */
  readonly taken = new Set<string>();
  /** Calls that follow an item right now. */
  following = 0;
  #events: ThreadEvent[] = [];
  #turn: string | undefined;
  #newest: string | undefined;
  #starting: Promise<unknown> | undefined;
  #interrupting: Promise<void> | undefined;
  #kill = new AbortController();
  /** What the turn says belongs to nobody any more. */
  #cut = false;
  #quiet = false;
  #failure: CodexFailure | undefined;

  constructor(id: string, server: CodexServer) {
    this.id = id;
    this.#server = server;
    server.follow(id, this);
  }

  /** The turn that runs, by its id. */
  get turn(): string | undefined {
    return this.#turn;
  }

  get newestTurn(): string | undefined {
    return this.#newest;
  }

  /** A turn runs, or is about to. */
  get busy(): boolean {
    return this.#turn !== undefined || this.#starting !== undefined;
  }

  /** A question that no call stands for yet. */
  get asks(): boolean {
    return [...this.#items.values()].some(({ question }) => question?.shown === false);
  }

  get usable(): boolean {
    return this.#failure === undefined;
  }

  /** The newest turn has something left to tell. */
  get hasMore(): boolean {
    return this.#events.length > 0;
  }

  item(id: string): LiveItem | undefined {
    return this.#items.get(id);
  }

  /** Begins a turn. While no other one runs. @throws Refused, CodexFailure */
  async start(params: Readonly<Record<string, unknown>>, quiet: boolean): Promise<void> {
    this.#reset(quiet);
    const starting = this.#server.call('turn/start', { threadId: this.id, ...params }, answers.turn);
    this.#starting = starting;
    try {
      this.#enter((await starting).turn.id);
    } finally {
      this.#starting = undefined;
    }
  }

  /** Begins a turn that compacts the thread, and nothing else. @throws Refused, CodexFailure */
  async startCompaction(): Promise<void> {
    this.#reset(true);
    const starting = this.#server.call('thread/compact/start', { threadId: this.id }, answers.anything);
    this.#starting = starting;
    try {
      await starting;
    } finally {
      this.#starting = undefined;
    }
  }

  #reset(quiet: boolean): void {
    this.#cut = false;
    this.#quiet = quiet;
    this.#events = [];
    this.#said.clear();
    this.#early.clear();
    for (const item of this.#items.values()) if (item.over) this.#items.delete(item.id);
    this.#kill = new AbortController();
  }

  /** Adds to the running turn. False when it is over, or takes nothing. */
  async steer(params: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (this.#turn === undefined) return false;
    try {
      const steer = { threadId: this.id, expectedTurnId: this.#turn, ...params };
      await this.#server.call('turn/steer', steer, answers.anything);
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  /** The next of the turn's events; undefined once `signal` is aborted. @throws CodexFailure when Codex is gone */
  async next(signal: AbortSignal): Promise<ThreadEvent | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      const event = this.#events.shift();
      if (event) return event;
      if (this.#failure) throw this.#failure;
      await this.#pulse.next([signal]);
    }
  }

  /** Puts an event back: it is told again. */
  putBack(event: ThreadEvent): void {
    this.#events.unshift(event);
  }

  /** Items that a call has to stand for. */
  waiting(): readonly LiveItem[] {
    return this.#cut || this.#quiet ? [] : [...this.#items.values()].filter((item) => item.wantsCall);
  }

  /** Another call runs, or asks the user. */
  hasCallsBeside(item: LiveItem): boolean {
    return this.following > 0 || this.unanswered().some((other) => other !== item);
  }

  /** Those whose refusal has not been explained yet; each is named once. */
  unexplained(): readonly LiveItem[] {
    const refused = [...this.#items.values()].filter((item) => item.refused);
    for (const item of refused) item.refused = false;
    return refused;
  }

  /** Those that still ask although the call that asked the user for them is over. */
  unanswered(): readonly LiveItem[] {
    return [...this.#items.values()].filter((item) => item.question?.shown === true);
  }

  /**
   * Ends the turn and what it has running, but for what is in the background. Resolves when both are over.
   * Nothing of the turn is told any more.
   */
  interrupt(): Promise<void> {
    this.#cut = true;
    this.#events = [];
    this.#interrupting ??= this.#interrupt().finally(() => {
      this.#interrupting = undefined;
    });
    return this.#interrupting;
  }

  /** Resolves when nothing is being interrupted. */
  async settled(): Promise<void> {
    await this.#interrupting;
  }

  /** Ends the processes of the turn without grace. */
  hurry(): void {
    this.#kill.abort();
  }

  /** Ends everything that runs, also when Codex is gone. */
  async dispose(): Promise<void> {
    if (this.#turn !== undefined || this.#starting) await this.interrupt();
    await this.#endItems();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.leave(this.id);
  }

  onNotification(notification: Notification): void {
    const { method, params } = notification;
    switch (method) {
      case 'turn/started':
        return this.#enter(params.turn.id);
      case 'turn/completed':
        return this.#over(params.turn);
      case 'item/started':
      case 'item/completed':
        return this.#onItem(notification);
      case 'item/agentMessage/delta':
        return this.#text(params.turnId, params.itemId, params.delta);
      case 'item/reasoning/summaryTextDelta':
        return this.#reasoning(params.turnId, `${params.itemId}/${params.summaryIndex}`, params.delta);
      case 'item/reasoning/textDelta':
        return this.#reasoning(params.turnId, params.itemId, params.delta);
      case 'item/commandExecution/outputDelta':
        return this.#items.get(params.itemId)?.append(params.delta);
      case 'item/mcpToolCall/progress':
        return this.#items.get(params.itemId)?.append(`${params.message}\n`);
      case 'thread/tokenUsage/updated':
        // The answer it counts has led to all its calls, and Codex goes on: it waits for none of them any longer.
        this.#leaveRunning();
        return this.#tell(params.turnId, { type: 'usage', tokens: params.tokenUsage.last });
      default:
        notification satisfies never;
    }
  }

  onRequest(id: RequestId, request: ServerRequest): void {
    const answer = (reply: Reply) => this.#server.answer(id, answerTo(request, reply));
    if (this.#cut || this.#quiet) return answer({ allowed: false });
    const ask = (item: LiveItem) => {
      item.reply({ allowed: false });
      item.question = { request, shown: false, answer };
      item.changed.fire();
      // A command that runs and waits must not keep the user from being asked.
      for (const other of this.#items.values()) other.changed.fire();
      this.#push({ type: 'work', item });
    };
    switch (request.method) {
      case 'item/commandExecution/requestApproval':
      case 'item/fileChange/requestApproval': {
        const item = this.#items.get(request.params.itemId);
        if (item) ask(item);
        else this.#early.set(request.params.itemId, ask);
        return;
      }
      case 'item/permissions/requestApproval':
      case 'item/tool/requestUserInput':
      case 'mcpServer/elicitation/request': {
        const called = this.#calledBy(request);
        if (called) return ask(called);
        const work = workOf(request, `codex_ask_${this.id.slice(-6)}_${id}`);
        if (!work || this.#turn === undefined) return answer({ allowed: false });
        const item = new LiveItem(work, this.#turn);
        this.#items.set(item.id, item);
        return ask(item);
      }
      default:
        request satisfies never;
    }
  }

  onGone(failure: CodexFailure): void {
    this.#failure = failure;
    this.#turn = undefined;
    this.#interrupting ??= this.#endItems().finally(() => {
      this.#interrupting = undefined;
    });
    this.#pulse.fire();
  }

  /** The call whose server asks; a question of the server's own belongs to none. */
  #calledBy({ method, params }: ServerRequest): LiveItem | undefined {
    if (method !== 'mcpServer/elicitation/request' || !canAgree(params)) return undefined;
    const ofServer = this.#open().filter(
      ({ item }) => item.type === 'mcpToolCall' && item.server === params.serverName,
    );
    return ofServer.find(({ question }) => question === undefined);
  }

  #enter(turnId: string): void {
    // The answer to its start may be read after Codex has gone: such a turn would never end.
    if (turnId === this.#newest || !this.usable) return;
    this.#newest = turnId;
    this.#turn = turnId;
    this.#pulse.fire();
  }

  #over({ id, status, error }: { id: string; status: string; error?: TurnError | null | undefined }): void {
    if (this.#turn !== id) return;
    this.#leaveRunning();
    this.#tell(id, { type: 'over', status, error: error ?? undefined });
    this.#turn = undefined;
    this.#pulse.fire();
  }

  #onItem({ method, params }: Extract<Notification, { method: 'item/started' | 'item/completed' }>): void {
    const { item, turnId } = params;
    if (item.type === 'userMessage') {
      if (item.clientId) this.taken.add(item.clientId);
      return;
    }
    if (!isWork(item)) {
      // What was not told in pieces is told now.
      const told = this.#said.get(item.id) ?? 0;
      if (item.text.length > told) this.#text(turnId, item.id, item.text.slice(told));
      return;
    }
    const known = this.#items.get(item.id);
    if (method === 'item/completed') return known?.end(item);
    if (known && !known.over) return known.update(item);
    const live = new LiveItem(item, turnId);
    this.#items.set(item.id, live);
    this.#early.get(item.id)?.(live);
    this.#early.delete(item.id);
    this.#tell(turnId, { type: 'work', item: live });
  }

  #text(turnId: string, itemId: string, text: string): void {
    this.#said.set(itemId, (this.#said.get(itemId) ?? 0) + text.length);
    this.#tell(turnId, { type: 'text', itemId, text });
  }

  #reasoning(turnId: string, part: string, text: string): void {
    this.#tell(turnId, { type: 'reasoning', part, text });
  }

  #tell(turnId: string, event: ThreadEvent): void {
    if (turnId === this.#turn && !this.#cut) this.#push(event);
  }

  #push(event: ThreadEvent): void {
    this.#events.push(event);
    this.#pulse.fire();
  }

  /** Commands that run on although Codex has gone on; the end of one that has just ended may still be on its way. */
  #leaveRunning(): void {
    const running = this.#open().filter(({ item, question }) => item.type === 'commandExecution' && !question);
    if (running.length === 0) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const item of running) {
        item.left = true;
        item.changed.fire();
      }
    }, END_COMES);
    this.#timers.add(timer);
  }

  #open(): readonly LiveItem[] {
    return [...this.#items.values()].filter((item) => !item.over && !item.background);
  }

  async #interrupt(): Promise<void> {
    const ending = this.#endProcesses();
    await this.#starting?.catch(() => undefined);
    const turn = this.#turn;
    if (turn !== undefined) await this.#interruptTurn(turn);
    await ending;
    // What Codex had just started when it was told.
    await this.#endItems();
  }

  async #interruptTurn(turnId: string): Promise<void> {
    try {
      await this.#server.call('turn/interrupt', { threadId: this.id, turnId }, answers.anything);
      if (process.platform === 'win32') {
        await this.#server.call('thread/backgroundTerminals/clean', { threadId: this.id }, answers.anything);
      }
    } catch (error) {
      // Refused: the turn has ended in this moment. Otherwise Codex is gone, and so is the turn.
      if (!(error instanceof Refused) && this.usable) this.onGone(unexpected(error));
    }
    const deadline = performance.now() + this.#server.patience;
    while (this.#turn === turnId && this.usable) {
      const rest = deadline - performance.now();
      if (rest <= 0) this.#server.giveUp('turn/interrupt', this.#server.patience);
      else await this.#pulse.next([], rest);
    }
  }

  async #endItems(): Promise<void> {
    await this.#endProcesses();
    for (const item of this.#open()) {
      // It would be asked for a turn that is over.
      item.question = undefined;
      item.end();
    }
  }

  async #endProcesses(): Promise<void> {
    const commands = this.#open().filter(({ item }) => item.type === 'commandExecution');
    await Promise.all(
      commands.map(async (item) => {
        item.survivors = await endCommand(this.id, item.id, this.#kill.signal);
      }),
    );
  }
}
