import type { Choice, PendingApproval, PendingQuestion, ToolCallState } from '../../api.ts';
import { callWords } from '../../words/call-words.ts';
import type { ControlState } from '../control/index.ts';
import type { Announcer } from './announcer.ts';
import { answerApproval } from './call-permission.ts';
import { answerQuestion } from './call-run.ts';
import type { LiveCall } from './live-turn.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { LiveView } from './types.ts';

/** The calls of a session that are not over: their cards, what a user may do to them, and how they are shown. */
export class OpenCalls {
  readonly #runner: TurnRunner;
  readonly #announcer: Announcer;
  readonly #state: () => ControlState;

  constructor(runner: TurnRunner, announcer: Announcer, state: () => ControlState) {
    this.#runner = runner;
    this.#announcer = announcer;
    this.#state = state;
  }

  approvals(): readonly PendingApproval[] {
    return this.#list().flatMap((call) => call.approval ?? []);
  }

  /** What an open approval would run, unmasked. */
  commandOf(approvalId: string): string | undefined {
    return this.#list().find((call) => call.approval?.id === approvalId)?.need?.command;
  }

  /** False when that approval is not open, or does not offer this choice. */
  answer(approvalId: string, choice: Choice, reason: string | undefined, by: 'user' | 'api'): boolean {
    const call = this.#list().find((candidate) => candidate.approval?.id === approvalId);
    const { turn } = this.#runner;
    if (!call?.approval || !turn || !call.approval.choices.includes(choice)) return false;
    answerApproval(this.#runner.callContext(turn), call, choice, reason, by);
    this.#announcer.emit({ type: 'approval.closed', turnId: turn.id, id: approvalId, by: choice });
    return true;
  }

  questions(): readonly PendingQuestion[] {
    return this.#list().flatMap((call) => call.question ?? []);
  }

  answerQuestion(id: string, answer: string | readonly string[]): boolean {
    const call = this.#list().find((candidate) => candidate.question?.id === id);
    const { turn } = this.#runner;
    if (!call?.question || !turn) return false;
    answerQuestion(this.#runner.callContext(turn), call, answer);
    this.#announcer.emit({ type: 'question.closed', turnId: turn.id, id });
    return true;
  }

  /** Lets a running command or agent go on in the background; its call returns at once. False when it cannot. */
  moveToBackground(callId: string): boolean {
    const call = this.#running(callId);
    if (!call?.tool?.longRunning) return false;
    call.yieldController.abort('user');
    return true;
  }

  /** Ends one running call, at once when asked twice; its turn goes on. False when it does not run. */
  stop(callId: string): boolean {
    const call = this.#running(callId);
    if (!call) return false;
    if (call.controller.signal.aborted) call.killController.abort();
    else call.controller.abort();
    return true;
  }

  /** A command has a time limit of its own and an agent is watched for itself: silence does not mean that it is stuck. */
  get runsLong(): boolean {
    return this.#list().some(({ call, tool }) => tool?.longRunning && this.#running(call.callId) !== undefined);
  }

  /** What a view that opens or comes back has to show beside the rows. */
  view(): LiveView | undefined {
    const { turn } = this.#runner;
    if (!turn) return undefined;
    const activity = this.#state().turn?.activity.is;
    const writing = activity === 'model' || activity === 'backoff';
    return {
      turnId: turn.id,
      startedAt: turn.startedAt,
      request: turn.request,
      attempt: turn.attempt,
      text: writing ? turn.text : '',
      reasoning: writing ? turn.reasoning : '',
      tools: this.#list().map(({ call, subject, startedAt, output }) => ({
        callId: call.callId,
        name: call.name,
        state: callState(this.#state(), call.callId),
        label: callWords(subject, shownState(this.#state(), call.callId)),
        subject,
        startedAt,
        output,
      })),
    };
  }

  #running(callId: string): LiveCall | undefined {
    if (callState(this.#state(), callId) !== 'running') return undefined;
    return this.#list().find(({ call }) => call.callId === callId);
  }

  #list(): readonly LiveCall[] {
    const activity = this.#state().turn?.activity;
    if (activity?.is !== 'tool' && activity?.is !== 'stopping') return [];
    return activity.calls.flatMap((call) =>
      call.state.is === 'done' ? [] : (this.#runner.turn?.calls.get(call.id) ?? []),
    );
  }
}

/** A call that begins is not running yet. */
function shownState(state: ControlState, callId: string): ToolCallState {
  const is = callState(state, callId);
  return is === 'approval' || is === 'question' || is === 'running' ? is : 'waiting';
}

/** `done` also for a call that is not of the running batch. */
export function callState(state: ControlState, callId: string): string {
  const activity = state.turn?.activity;
  if (activity?.is !== 'tool' && activity?.is !== 'stopping') return 'done';
  return activity.calls.find((call) => call.id === callId)?.state.is ?? 'done';
}
