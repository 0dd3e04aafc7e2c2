import type {
  ChildAgent,
  ChildState,
  Choice,
  InputOptions,
  PendingApproval,
  Receipt,
  SessionEvent,
  TurnResult,
} from '../../api.ts';
import type { Announcement, Clock, LiveSession } from '../turn/index.ts';
import { Activity } from './activity.ts';
import { type ChildEnd, endStateOf, whyUnfinished } from './child-end.ts';
import type { BY_PARENT } from './child-ports.ts';
import type { ChildProcesses } from './child-processes.ts';
import { nothingToStop, steerTooLate } from './ended-agent.ts';
import { shownTask } from './shown-task.ts';

/** Milliseconds between two reports of what an agent does; a change of its state is reported at once. */
const REPORT_EVERY = 200;

/** Notices of its session that somebody has to see; the others are about the session as an object. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['liveness', 'not_stored', 'output_limit']);

export interface RunParts {
  readonly id: string;
  readonly name: string;
  /** The name of its role, where it has one. */
  readonly role: string | undefined;
  readonly task: string;
  /** Of the parent. */
  readonly turnId: string;
  readonly callId: string;
  readonly startedAt: number;
  readonly mode: ChildAgent['mode'];
  readonly session: LiveSession;
  readonly processes: ChildProcesses;
  readonly clock: Clock;
  /** True once there is a place for it. */
  begun(): boolean;
  changed(agent: ChildAgent): void;
  /** Anything of it that moves, also what is not worth a report. */
  progress(): void;
  /** Something that its parent tells in its place. */
  announce(event: Announcement): void;
  ended(end: ChildEnd): void;
}

/** One delegated agent while it lives: a session of its own, and what its parent shows and tells of it. */
export class ChildRun {
  readonly id: string;
  readonly turnId: string;
  readonly callId: string;
  readonly role: string | undefined;
  /** Resolves once; never rejects. */
  readonly ended: Promise<ChildEnd>;
  readonly #parts: RunParts;
  readonly #session: LiveSession;
  readonly #activity = new Activity();
  readonly #ended = Promise.withResolvers<ChildEnd>();
  readonly #listening: { dispose(): unknown };
  #mode: ChildAgent['mode'];
  #requests = 0;
  #end: { readonly at: number; readonly end: ChildEnd } | undefined;
  #reported: ChildAgent | undefined;
  #cancelReport: (() => void) | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.turnId = parts.turnId;
    this.callId = parts.callId;
    this.role = parts.role;
    this.#mode = parts.mode;
    this.#session = parts.session;
    this.ended = this.#ended.promise;
    this.#listening = this.#session.onDidEmit((event) => this.#follow(event));
  }

  /** Gives it its task. Refused when that cannot be stored: it never lives then. */
  start(): Receipt {
    return this.#session.send(this.#parts.task);
  }

  /** There is a place for it. */
  began(): void {
    this.#report();
  }

  get value(): ChildAgent {
    const { name, task, startedAt } = this.#parts;
    return {
      id: this.id,
      name,
      task: shownTask(task),
      turnId: this.turnId,
      callId: this.callId,
      mode: this.#mode,
      state: this.#state(),
      startedAt,
      ...(this.#end === undefined ? {} : { endedAt: this.#end.at }),
      requests: this.#requests,
      usage: this.#session.usage,
      activity: this.#activity.lines,
    };
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  toBackground(): void {
    this.#mode = 'background';
    this.#report();
  }

  /** Pressed again, it ends its work at once. Its own background processes end with it. */
  stop(by: 'user' | typeof BY_PARENT, reason: string): Receipt {
    if (this.#end) return nothingToStop(this.#session.seq);
    this.#parts.processes.endAll();
    return this.#session.stop({ by, reason });
  }

  steer(text: string, options?: InputOptions): Receipt {
    // While it is being stopped a text would lead one more turn of it, behind the back of the stop.
    const over = this.#end !== undefined || this.#session.state === 'stopping';
    return over ? steerTooLate(this.#session.seq, options) : this.#session.steer(text, options);
  }

  /** Its ids are told apart from the parent's: providers use the same call ids for both. */
  approvals(): readonly PendingApproval[] {
    const child = { id: this.id, name: this.#parts.name };
    return this.#session.approvals().map((approval) => ({ ...approval, id: this.#outside(approval.id), child }));
  }

  /** @param approvalId as `approvals()` gives it */
  answer(approvalId: string, choice: Choice, reason: string | undefined, by: 'user' | 'api'): boolean {
    const own = this.#own(approvalId);
    return own !== undefined && this.#session.answer(own, choice, reason, by);
  }

  /** @param approvalId as `approvals()` gives it */
  commandOf(approvalId: string): string | undefined {
    const own = this.#own(approvalId);
    return own === undefined ? undefined : this.#session.commandOf(own);
  }

  #own(approvalId: string): string | undefined {
    return this.#session.approvals().find(({ id }) => this.#outside(id) === approvalId)?.id;
  }

  settingsChanged(): void {
    this.#session.settingsChanged();
  }

  /** Its parent is closed: nothing is told any more. */
  close(): void {
    this.#listening.dispose();
    this.#cancelReport?.();
    this.#session.close();
  }

  #follow(event: SessionEvent): void {
    if (event.type !== 'notice') this.#parts.progress();
    switch (event.type) {
      case 'approval.opened':
      case 'approval.closed': {
        const by = event.by === undefined ? {} : { by: event.by };
        this.#parts.announce({ type: event.type, id: this.#outside(event.id), ...by });
        return this.#report();
      }
      case 'notice':
        if (FOR_PEOPLE.has(event.kind)) {
          this.#parts.announce({ type: 'notice', kind: event.kind, text: `${this.#parts.name}: ${event.text}` });
        }
        return;
      case 'state':
        return this.#state() === this.#reported?.state ? undefined : this.#report();
      case 'request.started':
        if (event.attempt === 1) this.#requests += 1;
        this.#activity.follow(event);
        return this.#reportSoon();
      case 'tool':
      case 'delta':
      case 'row':
        if (this.#activity.follow(event)) this.#reportSoon();
        return;
      case 'turn.ended':
        // A text that it had not read leads one more turn of it.
        if (this.#session.state === 'idle') this.#finish(event.result);
        return;
      default:
    }
  }

  #state(): ChildState {
    if (this.#end) return this.#end.end.state;
    if (this.#session.state === 'stopping') return 'stopping';
    return this.#session.state === 'waiting' || !this.#parts.begun() ? 'waiting' : 'running';
  }

  #finish(result: TurnResult): void {
    const { clock, processes } = this.#parts;
    const state = endStateOf(result);
    if (state !== 'finished') processes.endAll();
    const end: ChildEnd = {
      state,
      why: whyUnfinished(result),
      text: result.finalText,
      survivors: result.survivors,
      unread: this.#session.items().filter((item) => item.sentAs === 'steer'),
      left: state === 'finished' ? processes.running() : [],
    };
    this.#end = { at: clock.now(), end };
    this.#report();
    this.close();
    this.#parts.ended(end);
    this.#ended.resolve(end);
  }

  #outside(approvalId: string): string {
    return `${this.id}/${approvalId}`;
  }

  #report(): void {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    this.#reported = this.value;
    this.#parts.changed(this.#reported);
  }

  #reportSoon(): void {
    this.#cancelReport ??= this.#parts.clock.after(REPORT_EVERY, () => {
      this.#cancelReport = undefined;
      this.#report();
    });
  }
}
