/**
 * The world outside the control machine as a value: what its effects started and nothing has ended, and so which
 * events may come next. What is over stays remembered, because its events may still come late or twice.
 */

import type { Effect, GoOnKind, LoopEvent } from '../../src/agent/control/index.ts';
import { Violation } from './violation.ts';

export interface Outside {
  readonly prepare: { readonly turnId: string; readonly itemIds: readonly string[] } | undefined;
  /** The turn whose redirect waits for the end of the tick. */
  readonly gather: string | undefined;
  readonly request:
    | (Attempt & { readonly head: boolean; readonly mayCompact: boolean; readonly last: boolean })
    | undefined;
  readonly wait: Attempt | undefined;
  /** The turn whose history is being compacted. */
  readonly compaction: string | undefined;
  readonly finalize: { readonly turnId: string; readonly ask: readonly GoOnKind[] } | undefined;
  /** The turn whose tools are given up when the timer fires. */
  readonly abandon: string | undefined;
  /** The turn whose start waits for the review. */
  readonly hold: string | undefined;
  readonly review: 'running' | 'cancelled' | undefined;
  readonly calls: readonly OutsideCall[];
  readonly children: readonly OutsideChild[];
  /** Agents that were ever started. */
  readonly started: number;
  /** A call of this turn was given up while it was about to start an agent. */
  readonly lateChild: string | undefined;
  /** Events of what is over, the newest first. */
  readonly over: readonly LoopEvent[];
}

interface Attempt {
  readonly turnId: string;
  readonly request: number;
  readonly attempt: number;
}

export interface OutsideCall {
  readonly turnId: string;
  readonly callId: string;
  /** `ready`: the permission is there, the order to run is not. */
  readonly is: 'begun' | 'approval' | 'question' | 'ready' | 'running';
  readonly aborted: boolean;
}

export interface OutsideChild {
  readonly id: string;
  readonly startedBy: string;
  readonly stopped: boolean;
}

/** Delegated agents that one schedule may start. */
const CHILDREN = 3;

export const NOTHING: Outside = {
  prepare: undefined,
  gather: undefined,
  request: undefined,
  wait: undefined,
  compaction: undefined,
  finalize: undefined,
  abandon: undefined,
  hold: undefined,
  review: undefined,
  calls: [],
  children: [],
  started: 0,
  lateChild: undefined,
  over: [],
};

/** Enough to hold every late event of two turns in a row. */
const REMEMBERED = 40;

/** An event that may come, with a name that means the same in every schedule. */
export interface Possible {
  readonly label: string;
  readonly event: LoopEvent;
}

/** Everything that may happen next outside, whether the machine waits for it or not. */
export function possible(outside: Outside): readonly Possible[] {
  const { prepare, gather, request, wait, compaction, finalize, abandon, hold, review, calls } = outside;
  return [
    ...(prepare ? hookAnswers(prepare) : []),
    ...(gather ? [{ label: 'the tick ends', event: { type: 'gathered' as const, turnId: gather } }] : []),
    ...(request ? answers(request) : []),
    ...(wait ? [{ label: 'wait is over', event: { type: 'waited' as const, ...wait } }] : []),
    ...(compaction
      ? [
          { label: 'compacted', event: { type: 'compacted' as const, turnId: compaction, ok: true } },
          { label: 'compaction fails', event: { type: 'compacted' as const, turnId: compaction, ok: false } },
        ]
      : []),
    ...(review ? [{ label: 'review ends', event: { type: 'reviewEnded' as const } }] : []),
    ...(hold
      ? [{ label: 'patience with the review ends', event: { type: 'startAnyway' as const, turnId: hold } }]
      : []),
    ...childEvents(outside),
    ...(finalize ? endHooks(finalize) : []),
    ...(abandon ? [{ label: 'abandon', event: { type: 'abandon' as const, turnId: abandon } }] : []),
    ...calls.flatMap((call, index) => callEvents(call, index)),
  ];
}

/** One that was not asked says nothing; both may say something at once. */
function endHooks({ turnId, ask }: NonNullable<Outside['finalize']>): readonly Possible[] {
  const say = (label: string, kinds: readonly GoOnKind[]): Possible => ({
    label,
    event: { type: 'finalized', turnId, goOns: kinds.map((kind) => ({ kind, text: kind, by: 'a hook' })) },
  });
  return [
    say('end work is done', []),
    ...ask.map((kind) => say(`a ${kind} hook goes on`, [kind])),
    ...(ask.length > 1 ? [say('all end hooks go on', ask)] : []),
  ];
}

function childEvents({ children, calls, lateChild, started: count }: Outside): readonly Possible[] {
  const started = (label: string, startedBy: string): Possible => ({
    label,
    event: { type: 'childStarted', childId: `child-${count}`, startedBy },
  });
  const runner = calls.find(({ is, aborted }) => is === 'running' && !aborted);
  const room = count < CHILDREN;
  return [
    ...(runner && room ? [started('an agent starts', runner.turnId)] : []),
    ...(lateChild && room ? [started('an agent starts late', lateChild)] : []),
    ...children.map(
      ({ id }, index): Possible => ({
        label: `agent ${index} ends`,
        event: { type: 'childEnded', childId: id },
      }),
    ),
  ];
}

function hookAnswers({ turnId, itemIds }: { turnId: string; itemIds: readonly string[] }): readonly Possible[] {
  const blocked = itemIds.map((id) => ({ id, why: 'a hook said no' }));
  const answer = (label: string, refused: typeof blocked): Possible => ({
    label,
    event: { type: 'prepared', turnId, itemIds, blocked: refused },
  });
  return [
    answer('hooks allow', []),
    answer('hooks block', blocked),
    ...(blocked.length > 1 ? [answer('hooks block the first', blocked.slice(0, 1))] : []),
  ];
}

function answers(under: NonNullable<Outside['request']>): readonly Possible[] {
  const { turnId, request, attempt, head, mayCompact, last } = under;
  const of = { turnId, request, attempt };
  const calls = (segments: readonly number[]) =>
    segments.map((segment, index) => ({ id: `call-${request}.${index}`, segment }));
  const answered = (label: string, segments: readonly number[], substance = true): Possible => ({
    label,
    event: { type: 'answered', ...of, calls: calls(segments), substance },
  });
  const failed = (label: string, retry: { ms: number; retryAfter: boolean } | undefined): Possible => ({
    label,
    event: { type: 'failed', ...of, retry, exit: 'model_error' },
  });
  return [
    ...(head ? [] : [{ label: 'head', event: { type: 'head' as const, ...of } }]),
    answered('answer', []),
    // A last word is asked without tools.
    ...(last
      ? []
      : [
          answered('answer with one call', [0]),
          answered('answer with two calls at once', [0, 0]),
          answered('answer with two calls in order', [0, 1]),
        ]),
    { label: 'answer is cut and goes on', event: { type: 'continues' as const, ...of, why: 'length' as const } },
    answered('empty answer', [], false),
    failed('failure, back-off', { ms: 1000, retryAfter: false }),
    failed('failure, server says when', { ms: 1000, retryAfter: true }),
    failed('failure', undefined),
    { label: 'too long', event: { type: 'failed', ...of, retry: undefined, exit: 'context_exhausted' } },
    ...(head || !mayCompact ? [] : [{ label: 'compaction first', event: { type: 'compacting' as const, ...of } }]),
  ];
}

function callEvents({ turnId, callId, is, aborted }: OutsideCall, index: number): readonly Possible[] {
  const of = { turnId, callId };
  const result = (label: string, status: Extract<LoopEvent, { type: 'result' }>['status']): Possible => ({
    label: `${label} ${index}`,
    event: { type: 'result', ...of, status },
  });
  switch (is) {
    case 'begun':
      return [
        { label: `clear ${index}`, event: { type: 'cleared', ...of } },
        { label: `approval ${index}`, event: { type: 'approval', ...of } },
        { label: `question ${index}`, event: { type: 'question', ...of, freeText: true } },
        { label: `choice ${index}`, event: { type: 'question', ...of, freeText: false } },
        result('block', 'blocked'),
      ];
    case 'approval':
      return [{ label: `allow ${index}`, event: { type: 'allowed', ...of } }, result('deny', 'denied')];
    case 'question':
      return [{ label: `choose ${index}`, event: { type: 'allowed', ...of } }];
    case 'running':
      return aborted ? [result('finish', 'success'), result('give way', 'stopped')] : [result('finish', 'success')];
    case 'ready':
      return [];
    default:
      return is satisfies never;
  }
}

/** What is still outstanding once the loop has handed this event in. */
export function consume(outside: Outside, event: LoopEvent): Outside {
  switch (event.type) {
    case 'prepared':
      return { ...outside, prepare: undefined, over: remember(outside, event) };
    case 'gathered':
      return { ...outside, gather: undefined, over: remember(outside, event) };
    case 'head':
      return outside.request ? { ...outside, request: { ...outside.request, head: true } } : outside;
    case 'answered':
    case 'continues':
    case 'failed':
      return { ...outside, request: undefined, over: remember(outside, ...lateAnswers(event)) };
    case 'compacting':
      return { ...outside, request: undefined, over: remember(outside, ...lateAnswers(event)) };
    case 'waited':
      return { ...outside, wait: undefined, over: remember(outside, event) };
    case 'compacted':
      return { ...outside, compaction: undefined, over: remember(outside, event) };
    case 'cleared':
    case 'allowed':
      return mapCall(outside, event.callId, (call) => ({ ...call, is: 'ready' }));
    case 'approval':
    case 'question':
      return mapCall(outside, event.callId, (call) => ({ ...call, is: event.type }));
    case 'result':
      return callOver(outside, event.turnId, event.callId);
    case 'finalized':
      return { ...outside, finalize: undefined, over: remember(outside, event) };
    case 'abandon':
      return { ...outside, abandon: undefined, over: remember(outside, event) };
    case 'startAnyway':
      return { ...outside, hold: undefined, over: remember(outside, event) };
    case 'reviewEnded':
      return { ...outside, review: undefined };
    case 'childStarted': {
      const { childId: id, startedBy } = event;
      const lateChild = outside.lateChild === startedBy ? undefined : outside.lateChild;
      return {
        ...outside,
        lateChild,
        started: outside.started + 1,
        children: [...outside.children, { id, startedBy, stopped: false }],
      };
    }
    case 'childEnded':
      return { ...outside, children: outside.children.filter(({ id }) => id !== event.childId) };
    case 'hooks':
    case 'configured':
    case 'noticed':
    case 'storageFailed':
      return outside;
    default:
      return event satisfies never;
  }
}

/** Carries the effects out, in order. */
export function carryOut(outside: Outside, effects: readonly Effect[]): Outside {
  return effects.reduce(carry, outside);
}

function carry(outside: Outside, effect: Effect): Outside {
  switch (effect.do) {
    case 'prepare': {
      free(outside.prepare, 'prompt hooks run twice at a time');
      // The review is over or has had its time: nobody looks at that timer any more.
      const late: readonly LoopEvent[] = outside.hold ? [{ type: 'startAnyway', turnId: outside.hold }] : [];
      return {
        ...outside,
        prepare: { turnId: effect.turnId, itemIds: effect.items.map(({ id }) => id) },
        hold: undefined,
        over: remember(outside, ...late),
      };
    }
    case 'gather':
      free(outside.gather ?? outside.prepare ?? outside.request, 'redirects gather beside something else');
      return { ...outside, gather: effect.turnId };
    case 'cancelPrepare': {
      const { prepare, gather } = outside;
      const late: readonly LoopEvent[] = [
        ...(prepare ? [{ type: 'prepared' as const, ...prepare, blocked: [] }] : []),
        ...(gather ? [{ type: 'gathered' as const, turnId: gather }] : []),
      ];
      return { ...outside, prepare: undefined, gather: undefined, over: remember(outside, ...late) };
    }
    case 'request': {
      free(outside.request ?? outside.wait ?? outside.compaction, 'a request starts while another is under way');
      const { turnId, request, attempt, mayCompact, last } = effect;
      return { ...outside, request: { turnId, request, attempt, mayCompact, last, head: false } };
    }
    case 'compact':
      free(outside.compaction ?? outside.request ?? outside.wait, 'a compaction starts beside something else');
      return { ...outside, compaction: effect.turnId };
    case 'holdStart':
      free(outside.hold ?? outside.prepare, 'a start is held twice');
      return { ...outside, hold: effect.turnId };
    case 'review':
      free(outside.review, 'two reviews at a time');
      return { ...outside, review: 'running' };
    case 'cancelReview':
      if (outside.review !== 'running') throw new Violation('9 turns', 'a review is cancelled that does not run');
      return { ...outside, review: 'cancelled' };
    case 'stopChild':
      if (!outside.children.some(({ id }) => id === effect.childId)) {
        throw new Violation('9 turns', `${effect.childId} is stopped but does not run`);
      }
      return {
        ...outside,
        children: outside.children.map((child) => (child.id === effect.childId ? { ...child, stopped: true } : child)),
      };
    case 'abortRequest':
      return outside.request
        ? { ...outside, request: undefined, over: remember(outside, ...lateAnswers(outside.request)) }
        : outside;
    case 'wait': {
      free(outside.wait ?? outside.request, 'a wait starts while the request is under way');
      const { turnId, request, attempt } = effect;
      return { ...outside, wait: { turnId, request, attempt } };
    }
    case 'cancelWait':
      return outside.wait
        ? { ...outside, wait: undefined, over: remember(outside, { type: 'waited', ...outside.wait }) }
        : outside;
    case 'cancelCompaction': {
      const { compaction } = outside;
      if (!compaction) return outside;
      const late: LoopEvent = { type: 'compacted', turnId: compaction, ok: true };
      return { ...outside, compaction: undefined, over: remember(outside, late) };
    }
    case 'begin': {
      const { turnId, callId } = effect;
      free(find(outside, callId), `${callId} begins twice`);
      return { ...outside, calls: [...outside.calls, { turnId, callId, is: 'begun', aborted: false }] };
    }
    case 'run': {
      if (find(outside, effect.callId)?.is !== 'ready') {
        throw new Violation('3 calls', `${effect.callId} is told to run but has no permission`);
      }
      return mapCall(outside, effect.callId, (call) => ({ ...call, is: 'running' }));
    }
    case 'answerQuestion':
      if (find(outside, effect.callId)?.is !== 'question') {
        throw new Violation('3 calls', `${effect.callId} is answered but asks nothing`);
      }
      return mapCall(outside, effect.callId, (call) => ({ ...call, is: 'ready' }));
    case 'closeCall':
      return callOver(outside, effect.turnId, effect.callId);
    case 'abortCall':
      return mapCall(outside, effect.callId, (call) => ({ ...call, aborted: true }));
    case 'killCall':
    case 'askYield':
      if (find(outside, effect.callId)?.is !== 'running') {
        throw new Violation('3 calls', `${effect.do} for ${effect.callId}, which does not run`);
      }
      return outside;
    case 'abandonAfter':
      free(outside.abandon, 'two abandon timers');
      return { ...outside, abandon: effect.turnId };
    case 'finalize':
      free(outside.finalize, 'end-of-turn work starts twice');
      return { ...outside, finalize: { turnId: effect.turnId, ask: effect.ask } };
    case 'cancelFinalize':
      return outside.finalize
        ? {
            ...outside,
            finalize: undefined,
            over: remember(outside, wentOn(outside.finalize.turnId)),
          }
        : outside;
    case 'goOnsUsedUp':
      return outside;
    case 'turnEnded':
      return turnOver(outside, effect.turnId);
    case 'turnStarted':
      return outside;
    default:
      return effect satisfies never;
  }
}

/** A turn that has ended leaves nothing running: the next one starts on an empty field. */
function turnOver(outside: Outside, turnId: string): Outside {
  const left = [
    outside.prepare && 'prompt hooks',
    outside.request && 'a request',
    outside.wait && 'a wait',
    outside.compaction && 'a compaction',
    outside.finalize && 'end-of-turn work',
    outside.hold !== undefined && outside.hold !== turnId && 'a held start of another turn',
    ...outside.calls.map(({ callId }) => callId),
  ].filter((what) => typeof what === 'string');
  if (left.length > 0) throw new Violation('9 turns', `${turnId} ended and left behind: ${left.join(', ')}`);
  const late: LoopEvent[] = [
    { type: 'abandon', turnId },
    wentOn(turnId),
    { type: 'compacted', turnId, ok: true },
    { type: 'startAnyway', turnId },
    { type: 'storageFailed', turnId, callsUnstored: false },
  ];
  return { ...outside, abandon: undefined, hold: undefined, over: remember(outside, ...late) };
}

function wentOn(turnId: string): LoopEvent {
  return { type: 'finalized', turnId, goOns: [{ kind: 'stop', text: 'stop', by: 'a hook' }] };
}

function lateAnswers({ turnId, request, attempt }: Attempt): readonly LoopEvent[] {
  const of = { turnId, request, attempt };
  return [
    { type: 'head', ...of },
    { type: 'answered', ...of, calls: [{ id: `late-${request}`, segment: 0 }], substance: true },
    { type: 'continues', ...of, why: 'length' },
    { type: 'failed', ...of, retry: undefined, exit: 'model_error' },
    { type: 'compacting', ...of },
  ];
}

function callOver(outside: Outside, turnId: string, callId: string): Outside {
  const of = { turnId, callId };
  const late: readonly LoopEvent[] = [
    { type: 'cleared', ...of },
    { type: 'approval', ...of },
    { type: 'allowed', ...of },
    { type: 'result', ...of, status: 'success' },
  ];
  const calls = outside.calls.filter((call) => call.callId !== callId);
  // What a tool was about to do when it was given up may still happen.
  const gaveUp = find(outside, callId);
  const lateChild = gaveUp?.is === 'running' && gaveUp.aborted ? turnId : outside.lateChild;
  return { ...outside, calls, lateChild, over: remember(outside, ...late) };
}

function remember(outside: Outside, ...events: readonly LoopEvent[]): readonly LoopEvent[] {
  return [...events, ...outside.over].slice(0, REMEMBERED);
}

function find(outside: Outside, callId: string): OutsideCall | undefined {
  return outside.calls.find((call) => call.callId === callId);
}

function mapCall(outside: Outside, callId: string, change: (call: OutsideCall) => OutsideCall): Outside {
  return { ...outside, calls: outside.calls.map((call) => (call.callId === callId ? change(call) : call)) };
}

function free(busy: unknown, problem: string): void {
  if (busy !== undefined) throw new Violation('7 progress', problem);
}
