import * as vscode from 'vscode';
import type { Agent, LiveSession } from '../agent/turn/index.ts';
import type { SearchHit, SessionEvent, SessionSummary } from '../api.ts';
import type { ViewMemory } from './view-memory.ts';

/** What the model is asked when an interrupted turn goes on. */
export const continueText = (): string => vscode.l10n.t('Continue where you were interrupted.');

/** The sessions of this window: those that live in it, and the one that its chat shows. */
export class Sessions implements vscode.Disposable {
  readonly #agent: Agent;
  readonly #memory: ViewMemory;
  readonly #followed = new Map<LiveSession, vscode.Disposable>();
  readonly #changedCurrent = new vscode.EventEmitter<LiveSession>();
  readonly #activity = new vscode.EventEmitter<{ readonly session: LiveSession; readonly event?: SessionEvent }>();
  /** One entry for each page, in the view or in a tab. */
  readonly #seen = new Set<{ readonly session: LiveSession }>();
  readonly #windowFocus: vscode.Disposable;
  #current: LiveSession | undefined;
  readonly onDidChangeCurrent = this.#changedCurrent.event;
  /** Fires for each event of a live session but streamed text and output, and when the shown session is another one. */
  readonly onDidAct = this.#activity.event;
  readonly #deleted = new vscode.EventEmitter<string>();
  /** With the id of a session that is gone for good. */
  readonly onDidDelete = this.#deleted.event;

  constructor(agent: Agent, memory: ViewMemory) {
    this.#agent = agent;
    this.#memory = memory;
    // The user comes back, perhaps from another window that went on with a session that is shown here.
    this.#windowFocus = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) for (const session of this.live()) if (this.isShown(session.id)) session.look();
    });
  }

  create(options?: { readonly title?: string; readonly model?: string }): LiveSession {
    return this.#follow(this.#agent.create(options));
  }

  /** A session without a message yet: the shown one if it is that, otherwise a new one in its place. */
  createFresh(shown: LiveSession | undefined = this.#current): LiveSession {
    return shown && shown.state === 'idle' && shown.rows({ limit: 1 }).length === 0 ? shown : this.#inPlaceOf(shown);
  }

  /** A new session for the chat: for hooks the shown one is over with it, though its turn may go on. */
  createInPlace(options?: { readonly title?: string; readonly model?: string }): LiveSession {
    return this.#inPlaceOf(this.#current, options);
  }

  /** @throws when there is no such session */
  open(id: string): LiveSession {
    return this.#follow(this.#agent.open(id));
  }

  get current(): LiveSession | undefined {
    return this.#current;
  }

  /** The shown session; at first the one that was shown last in this workspace, or a new one. */
  ensureCurrent(): LiveSession {
    if (this.#current) return this.#current;
    const last = this.#memory.lastSession;
    const session = last && this.#exists(last) ? this.open(last) : this.#first();
    this.show(session);
    session.resumeByItself({
      text: vscode.l10n.t('Continue where you were interrupted. (Midcourse sent this by itself after a reload.)'),
      notice: vscode.l10n.t('The turn that was interrupted goes on by itself (midcourse.resume). Stop ends it.'),
    });
    return session;
  }

  /** The session that keys and commands without an id mean from now on. */
  show(session: LiveSession): void {
    if (this.#current === session) return;
    this.#current = session;
    this.#memory.lastSession = session.id;
    this.#changedCurrent.fire(session);
    this.#activity.fire({ session });
    this.#letGoOfUnseen();
  }

  /** A page shows the session, until the returned object is disposed. */
  see(session: LiveSession): vscode.Disposable {
    const page = { session };
    this.#seen.add(page);
    return {
      dispose: () => {
        this.#seen.delete(page);
        this.#letGoOfUnseen();
      },
    };
  }

  isShown(id: string): boolean {
    return this.#current?.id === id || [...this.#seen].some(({ session }) => session.id === id);
  }

  /** The named session, or the shown one. */
  find(id: string | undefined): LiveSession {
    return id === undefined ? this.ensureCurrent() : this.open(id);
  }

  live(): readonly LiveSession[] {
    return this.#agent.live();
  }

  list(): readonly SessionSummary[] {
    return this.#agent.list();
  }

  search(query: string, limit?: number): readonly SearchHit[] {
    return this.#agent.search(query, limit);
  }

  /** Ends what runs in it and removes it for good; a deleted session that was shown gives way to a new one. */
  delete(id: string): void {
    const session = this.live().find((one) => one.id === id);
    this.#agent.delete(id);
    if (session) {
      this.#followed.get(session)?.dispose();
      this.#followed.delete(session);
      for (const process of session.processes()) {
        if (process.state === 'running') void session.killProcess(process.id);
      }
    }
    if (this.#current?.id === id) {
      this.#current = undefined;
      this.show(this.create());
    }
    // Whoever showed it finds the session that comes after it.
    this.#deleted.fire(id);
  }

  dispose(): void {
    this.#deleted.dispose();
    for (const subscription of this.#followed.values()) subscription.dispose();
    this.#followed.clear();
    this.#windowFocus.dispose();
    this.#changedCurrent.dispose();
    this.#activity.dispose();
  }

  #inPlaceOf(
    shown: LiveSession | undefined,
    options?: { readonly title?: string; readonly model?: string },
  ): LiveSession {
    const session = this.create(options);
    if (shown) {
      void shown.finalize('new_session', session.id);
      session.replace(shown.id);
    }
    return session;
  }

  /** A new one; where none can be stored, the newest one, to read. @throws StorageError when there is none either */
  #first(): LiveSession {
    const newest = this.#agent.readOnly === undefined ? undefined : this.list()[0];
    return newest ? this.open(newest.id) : this.create();
  }

  /** Those in which nothing runs and that nobody holds are closed. */
  #letGoOfUnseen(): void {
    for (const session of this.live()) if (!this.isShown(session.id)) session.dispose();
  }

  #exists(id: string): boolean {
    return this.#agent.list().some((session) => session.id === id);
  }

  #follow(session: LiveSession): LiveSession {
    if (this.#followed.has(session)) return session;
    const live = this.live();
    // Those that were closed when their holder let go of them.
    for (const [closed, subscription] of this.#followed) {
      if (live.includes(closed)) continue;
      subscription.dispose();
      this.#followed.delete(closed);
    }
    const subscription = session.onDidEmit((event) => {
      if (event.type !== 'delta' && event.type !== 'tool') this.#activity.fire({ session, event });
      if (event.type === 'settled') this.#letGoOfUnseen();
    });
    this.#followed.set(session, { dispose: () => void subscription.dispose() });
    return session;
  }
}
