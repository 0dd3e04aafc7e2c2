import type { ResultStatus, TurnResult } from '../../api.ts';
import type { Effect, LoopEvent, TurnEnd } from '../control/index.ts';
import { RateLimitWatch } from '../model/index.ts';
import type { DelegatePort, ProcessPort, TodoPort } from '../tools/types.ts';
import type { Announcer } from './announcer.ts';
import type { CallContext } from './call-context.ts';
import { closeCall } from './call-result.ts';
import { answerQuestion, beginCall, runCall } from './call-run.ts';
import { Compactor } from './compactor.ts';
import type { ContextWatch } from './context-watch.ts';
import type { History } from './history.ts';
import { tellCardClosed } from './hooks/card-hooks.ts';
import { tellEnd } from './hooks/end-hooks.ts';
import { finalizeTurn, goOnsUsedUp } from './hooks/going-on.ts';
import { tellOfApproval, tellOfEnd, tellOfQuestion } from './hooks/notifications.ts';
import { prepareTexts } from './hooks/prompt-hooks.ts';
import type { SessionHooks } from './hooks/session-hooks.ts';
import type { SessionLife } from './hooks/session-life.ts';
import { type LiveCall, LiveTurn } from './live-turn.ts';
import { PartialSaver } from './partial-saver.ts';
import { runRequest } from './request/run.ts';
import type { SentImages } from './request/sent-images.ts';
import { turnResult } from './rows.ts';
import type { AgentPorts } from './types.ts';

export interface RunnerParts {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly announcer: Announcer;
  readonly history: History;
  readonly watch: ContextWatch;
  readonly images: SentImages;
  readonly hooks: SessionHooks;
  readonly life: SessionLife;
  readonly processes: ProcessPort;
  readonly todos: TodoPort;
  readonly background: BackgroundPort;
  readonly delegates: DelegatePort | undefined;
  /** Rules that the user allowed for the session. */
  readonly sessionRules: Set<string>;
  modelRef(): string | undefined;
  /** False when what may be spent is spent: the turn has been stopped then. */
  mayAsk(): boolean;
  /** Feeds the machine. */
  tell(event: LoopEvent): void;
  /** A hook stops the turn. */
  stopByHook(): void;
  /** The state of a call in the machine. */
  callState(callId: string): string;
  started(): void;
  ended(turn: LiveTurn, result: TurnResult): void;
  settled(result: TurnResult): void;
}

/** Producer of the stop of a turn that a hook ended. */
export const BY_HOOK = 'hook';

/** Events that are the end of an attempt. */
const ENDS: ReadonlySet<LoopEvent['type']> = new Set(['answered', 'continues', 'failed', 'compacting']);

/** What runs beside the turn. */
export interface BackgroundPort {
  stopChild(childId: string): void;
  /** Has to tell `reviewEnded` in the end. */
  review(turnId: string): void;
  cancelReview(): void;
}

type Of<D extends Effect['do']> = Extract<Effect, { do: D }>;

type TurnEffect = Exclude<Effect, Of<'turnStarted' | 'stopChild' | 'review' | 'cancelReview'>>;

/** Carries out what the machine decided: asks models, runs tools, waits. It decides nothing itself. */
export class TurnRunner {
  turn: LiveTurn | undefined;
  readonly partial: PartialSaver;
  readonly #parts: RunnerParts;
  readonly #compactor: Compactor;
  /** What the providers say is left. */
  readonly limits = new RateLimitWatch();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#compactor = new Compactor(parts);
    this.partial = new PartialSaver(parts.ports, parts.sessionId, () => this.turn);
  }

  carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'turnStarted':
        return this.#turnStarted(effect);
      case 'stopChild':
        return this.#parts.background.stopChild(effect.childId);
      case 'review':
        return this.#parts.background.review(effect.turnId);
      case 'cancelReview':
        return this.#parts.background.cancelReview();
      default:
        return this.#ofTurn(effect);
    }
  }

  #ofTurn(effect: TurnEffect): void {
    const { ports } = this.#parts;
    const turn = this.turn;
    if (!turn || turn.id !== effect.turnId) {
      return ports.log.debug(`effect ${effect.do} of ${effect.turnId} came after its turn`);
    }
    switch (effect.do) {
      case 'prepare':
        turn.onlyCompacts = effect.items.length === 0;
        return prepareTexts({ ...this.#parts, turn }, effect.items);
      case 'gather':
        setImmediate(() => this.#parts.tell({ type: 'gathered', turnId: turn.id }));
        return;
      case 'request':
        return this.#request(turn, effect);
      case 'abortRequest':
        return this.#abortRequest(turn, effect);
      case 'wait':
        return this.#wait(turn, effect);
      case 'cancelWait':
        return turn.endWait();
      case 'cancelPrepare':
      case 'cancelCompaction':
      case 'cancelFinalize':
        return turn.controller.abort();
      case 'abandonAfter':
        turn.cancelAbandon = ports.clock.after(effect.ms, () => this.#parts.tell({ type: 'abandon', turnId: turn.id }));
        return;
      case 'holdStart':
        turn.cancelHold = ports.clock.after(effect.ms, () =>
          this.#parts.tell({ type: 'startAnyway', turnId: turn.id }),
        );
        return;
      case 'compact':
        return this.#compactor.start(turn, effect.trigger);
      case 'finalize':
        return finalizeTurn(this.#parts.hooks, turn, effect, this.#parts.tell);
      case 'goOnsUsedUp':
        return this.#noticeOf(turn, 'hook_limit', goOnsUsedUp(turn, effect.kind));
      case 'turnEnded':
        return this.#turnEnded(turn, effect.end);
      default:
        return this.#call(turn, effect);
    }
  }

  callContext(turn: LiveTurn): CallContext {
    const { ports, sessionId, hooks, processes, todos, announcer, tell } = this.#parts;
    return {
      ports,
      sessionId,
      turn,
      hooks,
      wait: ({ call: { callId } }, wait) => tell({ type: 'hooks', turnId: turn.id, callId, wait }),
      notice: (kind, text) => announcer.notice(kind, text, turn.id),
      stopTurn: ({ by, reason }) => {
        const why = reason === '' ? '.' : `: ${reason}`;
        turn.error = { kind: BY_HOOK, message: `The hook ${by} stopped the turn${why}` };
        this.#parts.stopByHook();
      },
      processes,
      todos,
      delegates: this.#parts.delegates,
      sessionRules: this.#parts.sessionRules,
      tell: (event) => {
        const call = event.type === 'result' ? turn.calls.get(event.callId) : undefined;
        announcer.events.afterwards(() => {
          if (call && event.type === 'result') announcer.tool(turn.id, call, event.status);
          tell(event);
        });
      },
      output: (call, text, replaced) => announcer.tool(turn.id, call, 'running', { text, replaced }),
    };
  }

  /** Ends everything at once; nothing is told any more. */
  dispose(): void {
    this.partial.save();
    this.partial.dispose();
    this.turn?.dispose();
  }

  #turnStarted({ turnId, seq }: Of<'turnStarted'>): void {
    this.turn = new LiveTurn(turnId, seq, this.#parts.ports.clock.now());
    this.#parts.started();
    this.#parts.announcer.emit({ type: 'turn.started', turnId });
  }

  #request(turn: LiveTurn, of: Of<'request'>): void {
    const { ports, sessionId, announcer, history, hooks, watch, images, tell } = this.#parts;
    const { turnId, request, attempt, mayCompact, continues, last } = of;
    announcer.emit({ type: 'request.started', turnId, request, attempt });
    const run = runRequest(
      {
        ports,
        sessionId,
        modelRef: this.#parts.modelRef(),
        turn,
        hooks,
        watch,
        images,
        limits: this.limits,
        mayCompact,
        continues,
        last,
        upTo: history.lastSeq,
        mayAsk: () => this.#parts.mayAsk(),
        messages: () => history.messages(),
        hasCall: (callId) => history.hasCall(callId),
        tell: (event) => {
          announcer.events.afterwards(() => {
            if (ENDS.has(event.type)) {
              announcer.emit({ type: 'request.ended', turnId, request, attempt, outcome: event.type });
            }
            tell(event);
          });
        },
        delta: (part, text) => {
          announcer.emit({ type: 'delta', turnId, request, attempt, part, text });
          if (part === 'text') this.partial.saveSoon();
        },
        notice: (kind, text) => announcer.notice(kind, text, turnId),
        callProgress: (name, characters) =>
          announcer.emit({ type: 'state', turnId, state: 'running', phase: 'model', label: `${name} ${characters}` }),
      },
      { turnId, request, attempt },
    );
    run.catch((error: unknown) => {
      ports.log.error(`request ${request} of ${turnId}: ${error instanceof Error ? error.stack : error}`);
      turn.error = { kind: 'internal', message: `Midcourse itself failed while it asked the model: ${error}` };
      tell({ type: 'failed', turnId, request, attempt, retry: undefined, exit: 'model_error' });
    });
  }

  #abortRequest(turn: LiveTurn, { turnId, request, attempt }: Of<'abortRequest'>): void {
    if (!turn.requestController || turn.requestController.signal.aborted) return;
    turn.requestController.abort();
    this.#parts.announcer.emit({ type: 'request.ended', turnId, request, attempt, outcome: 'aborted' });
  }

  #wait(turn: LiveTurn, { turnId, request, attempt, ms }: Of<'wait'>): void {
    const { ports, tell } = this.#parts;
    turn.waitUntil = ports.clock.now() + ms;
    turn.cancelWait = ports.clock.after(ms, () => {
      turn.endWait();
      tell({ type: 'waited', turnId, request, attempt });
    });
  }

  #call(
    turn: LiveTurn,
    effect: Of<'begin' | 'run' | 'closeCall' | 'abortCall' | 'killCall' | 'askYield' | 'answerQuestion'>,
  ): void {
    const call = turn.calls.get(effect.callId);
    if (!call) return;
    const context = this.callContext(turn);
    switch (effect.do) {
      case 'begin':
        void beginCall(context, call).then(() => this.#cardOpened(turn, call));
        return;
      case 'run':
        this.#parts.announcer.tool(turn.id, call, 'running');
        void runCall(context, call);
        return;
      case 'closeCall':
        return this.#closeCall(turn, call, effect.status);
      case 'abortCall':
        return call.controller.abort();
      case 'killCall':
        return call.killController.abort();
      case 'askYield':
        return call.yieldController.abort('redirect');
      case 'answerQuestion': {
        const { question } = call;
        if (!question) return;
        answerQuestion(context, call, effect.text);
        this.#parts.announcer.emit({ type: 'question.closed', turnId: turn.id, id: question.id });
        return;
      }
      default:
        effect satisfies never;
    }
  }

  /** The machine may have closed the card in the same step: then it never opens. */
  #cardOpened(turn: LiveTurn, call: LiveCall): void {
    const { announcer, callState, hooks } = this.#parts;
    const state = callState(call.call.callId);
    if (call.approval && state === 'approval') {
      announcer.tool(turn.id, call, 'approval');
      // Before the listeners, who may answer at once.
      tellOfApproval(hooks, turn, call);
      announcer.emit({ type: 'approval.opened', turnId: turn.id, id: call.approval.id });
    } else if (call.question && state === 'question') {
      announcer.tool(turn.id, call, 'question');
      tellOfQuestion(hooks, turn, call);
      announcer.emit({ type: 'question.opened', turnId: turn.id, id: call.question.id });
    }
  }

  #closeCall(turn: LiveTurn, call: LiveCall, status: ResultStatus): void {
    const { announcer, hooks } = this.#parts;
    const { approval, question } = call;
    closeCall(call, status);
    if (approval) {
      announcer.emit({ type: 'approval.closed', turnId: turn.id, id: approval.id, by: status });
      tellCardClosed(hooks, turn, call, { choice: 'cancelled', decidedBy: 'user' });
    }
    if (question) announcer.emit({ type: 'question.closed', turnId: turn.id, id: question.id });
    announcer.tool(turn.id, call, status);
  }

  #noticeOf({ id }: LiveTurn, kind: string, text: string | undefined): void {
    if (text !== undefined) this.#parts.announcer.notice(kind, text, id);
  }

  #turnEnded(turn: LiveTurn, end: TurnEnd): void {
    const { ports, sessionId, announcer, hooks } = this.#parts;
    turn.endTimers();
    turn.model?.wire.turnEnded?.(sessionId);
    this.partial.dispose();
    this.turn = undefined;
    const result = turn.record.result ?? turnResult(end, turn, [], ports.clock.now());
    this.#parts.ended(turn, result);
    announcer.emit({ type: 'turn.ended', turnId: turn.id, result });
    if (end.running && !end.cause) tellOfEnd(hooks, turn, ports.isShown(sessionId));
    void tellEnd(hooks, ports.clock, turn, end, result).then(() => {
      announcer.emit({ type: 'settled', turnId: turn.id, result });
      this.#parts.settled(result);
    });
  }
}
