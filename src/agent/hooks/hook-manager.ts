/**
 * The one dispatcher: every hook is registered here, whoever wrote it, and every event of the loop comes through here.
 */

import type { Disposable } from '../../api.ts';
import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import { type Fit, mayFit, type Soon, soon } from '../kernel/patterns/index.ts';
import { atMost } from '../turn/at-most.ts';
import type { Clock, Log } from '../turn/types.ts';
import { answerOfRun, failsClosed } from './answer-of-run.ts';
import { boundedEnding } from './bounded-ending.ts';
import { Emitter } from './emitter.ts';
import { endsWithTurn } from './events.ts';
import { frozenCopy } from './frozen-copy.ts';
import { HookTable } from './hook-table.ts';
import { type HookLimits, hookLimits } from './limits.ts';
import { mergeAnswers, noAnswer } from './merge.ts';
import { type HookProblem, Notices } from './notices.ts';
import type { HookPort, StreamEvent, WhichHooks } from './port.ts';
import { endingOf, Run, type RunEnding } from './run.ts';
import { hookRun, problemOf, RunLog } from './run-log.ts';
import { Streams } from './streams.ts';
import type { Hook, HookAnswer, HookRun } from './types.ts';
import { untilAborted } from './until-aborted.ts';

export interface HookManagerParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: Partial<HookLimits>;
  /** Told once for each distinct problem of a hook. Must not throw. */
  report(problem: HookProblem): void;
  /** True when the user lets hooks see what a model thinks. Asked once for a stream; false without it. */
  streamsReasoning?(): boolean;
}

/** Words that a hook has for the user. */
export interface HookMessage {
  readonly hook: Hook;
  readonly sessionId: string;
  readonly turnId: string | undefined;
  readonly message: string;
}

export class HookManager implements HookPort {
  readonly #parts: HookManagerParts;
  readonly #limits: HookLimits;
  readonly #table = new HookTable();
  readonly #log = new RunLog();
  readonly #notices: Notices;
  readonly #streams: Streams;
  /** Until what each has started is over, as far as a hook tells. */
  readonly #running = new Set<Run>();
  /** Those whose answer the loop waits for. */
  readonly #awaited = new Set<Run>();
  readonly #changed: Emitter<void>;
  readonly #ran: Emitter<HookRun>;
  readonly #said: Emitter<HookMessage>;
  /** While matchers of an event are judged by the worker. */
  #judging: Promise<void> | undefined;
  #registrations = 0;
  #enabled = true;
  #closed = false;

  constructor(parts: HookManagerParts) {
    this.#parts = parts;
    this.#limits = { ...hookLimits, ...parts.limits };
    this.#notices = new Notices(parts.log, (problem) => parts.report(problem));
    const failed = (error: unknown) => parts.log.error(`A listener of the hooks failed: ${problemOf(error)}`);
    this.#changed = new Emitter(failed);
    this.#ran = new Emitter(failed);
    this.#said = new Emitter(failed);
    this.#streams = new Streams({
      clock: parts.clock,
      limits: this.#limits,
      streamsReasoning: () => parts.streamsReasoning?.() ?? false,
      // No dialect has a matcher there.
      wants: (hook, payload) => this.#wants(hook, payload) !== false,
      deliver: async (hookId, payload) => {
        const hook = this.#table.get(hookId);
        if (hook) await this.#start(hook, payload).ended;
      },
      lost: (hook, why) => this.#tellLost(hook, why),
    });
  }

  /** The hooks that there are have changed. */
  get onDidChange(): (listen: () => void) => Disposable {
    return this.#changed.event;
  }

  /** A run has ended. Not told for a single delta of a stream, unless it failed. */
  get onDidRun(): (listen: (run: HookRun) => void) => Disposable {
    return this.#ran.event;
  }

  /** A hook has words for the user (`systemMessage`). */
  get onDidSay(): (listen: (message: HookMessage) => void) => Disposable {
    return this.#said.event;
  }

  /** False: no hook runs, whatever it is. */
  get enabled(): boolean {
    return this.#enabled;
  }

  set enabled(on: boolean) {
    if (on === this.#enabled) return;
    this.#enabled = on;
    if (!on) this.#unload(this.#table.list());
    this.#changed.fire();
  }

  register(hook: Hook): Disposable {
    const owner = `registration ${++this.#registrations}`;
    this.replace(owner, [hook]);
    return {
      dispose: () => {
        this.#unload(this.#table.remove(owner));
        this.#changed.fire();
      },
    };
  }

  /** Swaps all hooks of an owner (a file, a plugin) at once; no event finds both the old and the new ones, or none. */
  replace(owner: string, hooks: readonly Hook[]): void {
    this.#unload(this.#table.replace(owner, hooks));
    this.#changed.fire();
  }

  /** In the order in which their answers are heard, event by event. */
  list(): readonly Hook[] {
    return this.#table.list();
  }

  /** The newest runs of a hook, newest first; at most 20. */
  runs(hookId: string): readonly HookRun[] {
    return this.#log.of(hookId);
  }

  /** How many streaming events a hook has missed, because it was too slow or they were too large. */
  dropped(hookId: string): number {
    return this.#streams.dropped(hookId);
  }

  has(event: HookEvent): boolean {
    if (this.#of(event).length > 0) return true;
    // What a stream tells is settled at its start, so that a hook of deltas alone needs to know of that too.
    return event === 'on_stream_start' && this.#of('on_stream_delta').length > 0;
  }

  answers(event: HookEvent, which: WhichHooks = all): boolean {
    return this.#of(event).some((hook) => hook.answers && which(hook));
  }

  fire<E extends HookEvent>(
    event: E,
    payload: HookPayload<E>,
    signal: AbortSignal,
    which: WhichHooks = all,
  ): Promise<HookAnswer> {
    return this.#fire(event, payload, signal, { which, awaits: () => true });
  }

  ask<E extends HookEvent>(
    event: E,
    payload: HookPayload<E>,
    signal: AbortSignal,
    which: WhichHooks = all,
  ): Promise<HookAnswer> {
    return this.#fire(event, payload, signal, { which, awaits: (hook) => hook.answers });
  }

  stream<E extends StreamEvent>(event: E, payload: HookPayload<E>): void {
    const hooks = this.#of(event);
    // Also without a hook of this event: a start settles what its deltas tell.
    if (hooks.length > 0 || this.has(event)) this.#streams.offer(event, payload, hooks);
  }

  waitingFor(sessionId: string): readonly string[] {
    const waiting = [...this.#awaited].filter((run) => !run.isOver && run.sessionId === sessionId);
    return [...new Set(waiting.map(({ hook }) => hook.name))];
  }

  /** Takes nothing more, lets streams drain for a moment, ends what still runs and waits for it a little. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#streams.close(this.#limits.close);
    const through = [...this.#running].map((run) => {
      run.cancel('unloaded');
      return overOf(run);
    });
    await atMost(this.#parts.clock, this.#limits.close, Promise.all(through));
    for (const emitter of [this.#changed, this.#ran, this.#said]) emitter.dispose();
  }

  #of(event: HookEvent): readonly Hook[] {
    return this.#enabled && !this.#closed ? this.#table.of(event) : [];
  }

  async #fire(
    event: HookEvent,
    payload: HookPayload,
    signal: AbortSignal,
    { which, awaits }: { readonly which: WhichHooks; awaits(hook: Hook): boolean },
  ): Promise<HookAnswer> {
    const found = this.#wanting(event, payload, which);
    if (!(found instanceof Promise)) {
      return found.length === 0 ? noAnswer : await this.#run(event, frozenCopy(payload), signal, { awaits, found });
    }
    // As it is now: the loop may go on with it while a matcher is judged.
    const frozen = frozenCopy(payload);
    const run = found.then((hooks) => this.#run(event, frozen, signal, { awaits, found: hooks }));
    // Nobody hears an answer after an abort; those that are told anyhow still are.
    return (await untilAborted(run, signal)) ?? noAnswer;
  }

  /** Starts those that were found, and waits for the answers that count. */
  async #run(
    event: HookEvent,
    frozen: HookPayload,
    signal: AbortSignal,
    { awaits, found }: { readonly found: readonly Hook[]; awaits(hook: Hook): boolean },
  ): Promise<HookAnswer> {
    const hooks = signal.aborted ? found.filter((hook) => !endsWithTurn(hook)) : found;
    if (hooks.length === 0) return noAnswer;
    const runs = hooks.map((hook) => this.#start(hook, frozen));
    const awaited = runs.filter(({ hook }) => awaits(hook));
    const deciding = awaited.filter(({ hook }) => hook.answers);
    for (const run of deciding) this.#awaited.add(run);
    const endings = awaited.map(async ({ hook, ended }) => ({ hook, answer: answerOfRun(hook, await ended) }));
    const answered = await untilAborted(Promise.all(endings), signal);
    for (const run of deciding) this.#awaited.delete(run);
    if (answered) return mergeAnswers(event, frozen, answered);
    for (const run of runs) if (endsWithTurn(run.hook)) run.cancel('stopped');
    return noAnswer;
  }

  /**
   * The hooks that want an event. In the same tick where no matcher needs the worker; otherwise later events wait for it,
   * so that hooks start in the order of their events.
   */
  #wanting(event: HookEvent, payload: HookPayload, which: WhichHooks): Soon<readonly Hook[]> {
    const hooks = this.#of(event).filter(which);
    if (hooks.length === 0) return hooks;
    if (this.#judging) return this.#inOrder(this.#judging.then(() => this.#judged(hooks, payload)));
    const judged = this.#judged(hooks, payload);
    return judged instanceof Promise ? this.#inOrder(judged) : judged;
  }

  #judged(hooks: readonly Hook[], payload: HookPayload): Soon<readonly Hook[]> {
    const wants = hooks.map((hook) => this.#wants(hook, payload));
    const wanted = (answers: readonly boolean[]) => hooks.filter((_, index) => answers[index]);
    if (!wants.some((one) => one instanceof Promise)) return wanted(wants as readonly boolean[]);
    // Replaced or unloaded meanwhile: the one that is there now was not asked.
    return Promise.all(wants).then((answers) =>
      wanted(answers).filter(({ id }) => this.#table.get(id) && !this.#closed),
    );
  }

  #inOrder(judged: Promise<readonly Hook[]>): Promise<readonly Hook[]> {
    const judging = judged.then(() => {
      if (this.#judging === judging) this.#judging = undefined;
    });
    this.#judging = judging;
    return judged;
  }

  /** A hook that cannot say whether it wants an event is given it. */
  #wants(hook: Hook, payload: HookPayload): Soon<boolean> {
    try {
      return soon(hook.matches(payload), (fit) => this.#counts(hook, fit));
    } catch (error) {
      this.#notices.tell(hook, 'failed', `Its matcher failed: ${problemOf(error)}`, 'It is run as without one.');
      return true;
    }
  }

  #counts(hook: Hook, fit: Fit): boolean {
    if (typeof fit === 'boolean') return fit;
    this.#notices.tell(hook, 'warning', fit.unsure, 'It is run as without a matcher.');
    return mayFit(fit);
  }

  #start(hook: Hook, payload: HookPayload): Run {
    // The nested parts are shared and frozen; the outer level is each hook's own.
    const run = new Run(hook, Object.freeze({ ...payload }), { clock: this.#parts.clock, grace: this.#limits.grace });
    this.#running.add(run);
    void this.#follow(run);
    void overOf(run).then(() => this.#running.delete(run));
    return run;
  }

  async #follow(run: Run): Promise<void> {
    const ending = await run.ended;
    const later = ending.is === 'ok' ? ending.reply.later : undefined;
    this.#ended(run, boundedEnding(later ? await endingOf(later) : ending));
  }

  #ended(run: Run, ending: RunEnding): void {
    const { hook, sessionId, turnId } = run;
    if (ending.is === 'failed' || ending.is === 'timeout') {
      this.#notices.tell(hook, ending.is, problemOf(ending.error), consequence(hook));
    }
    if (ending.is === 'ok') {
      for (const warning of ending.reply.warnings ?? []) this.#notices.tell(hook, 'warning', warning, '');
      if (ending.reply.message) this.#said.fire({ hook, sessionId, turnId, message: ending.reply.message });
      // Thousands in a turn: they would push out all that is of interest.
      if (hook.event === 'on_stream_delta' && !ending.reply.warnings?.length) return;
    }
    const entry = hookRun(run, ending, this.#parts.clock.now());
    if (this.#table.get(hook.id)) this.#log.add(entry);
    this.#ran.fire(entry);
  }

  /** Hooks that are not there any more. */
  #unload(gone: readonly Hook[]): void {
    const ids = new Set(gone.map(({ id }) => id));
    if (ids.size === 0) return;
    for (const id of ids) {
      this.#streams.retire(id);
      this.#log.forget(id);
    }
    for (const run of this.#running) if (ids.has(run.hook.id)) run.cancel('unloaded');
  }

  #tellLost(hook: Hook, why: 'full' | 'too_large'): void {
    const message =
      why === 'full'
        ? `More than ${this.#limits.streamQueue} events waited for it, and the oldest were dropped.`
        : `An event of more than ${this.#limits.streamEvent / 1024} KiB was left out.`;
    this.#notices.tell(hook, 'dropped', message, 'The answer itself is not affected.');
  }
}

/** Code that hangs can only be left alone; a process is over when it has been ended. */
function overOf({ hook, ended, through }: Run): Promise<unknown> {
  return hook.kind === 'code' ? ended : through;
}

const all: WhichHooks = () => true;

function consequence(hook: Hook): string {
  if (failsClosed(hook)) return 'The call was blocked.';
  return hook.answers ? 'The agent went on without its answer.' : 'Nothing else is affected.';
}
