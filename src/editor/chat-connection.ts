import * as vscode from 'vscode';
import type { LiveSession } from '../agent/turn/index.ts';
import type { SessionEvent } from '../api.ts';
import { parseToHost, type ToHost, type ToView } from '../protocol/index.ts';
import { waitingCount } from './activity.ts';
import { handlePage } from './chat-notifications.ts';
import { answerPage } from './chat-requests.ts';
import { cardOf, forPage, meterOf, modelForPage, resultForPage, snapshot, viewSettings } from './chat-snapshot.ts';
import { systemClock } from './clock.ts';
import type { Core } from './core.ts';
import { EventBatches } from './event-batches.ts';
import { type Page, post } from './page.ts';
import { StreamedText } from './streamed-text.ts';

/** What is done with a page. */
export interface PageUse {
  gotFocus(connection: ChatConnection): void;
  /** It was asked and has it. */
  hasFocus(connection: ChatConnection): void;
  /** Also when it is hidden or loads anew. */
  lostFocus(connection: ChatConnection): void;
  /** The user asked for something in it: what follows is about its session. */
  used(connection: ChatConnection): void;
}

/**
 * Holds one page to one session: a snapshot, then numbered batches of events. A hidden page is sent nothing; when it
 * comes back, or has missed a number, it gets a new snapshot.
 */
export class ChatConnection implements vscode.Disposable {
  readonly page: Page;
  readonly core: Core;
  readonly #use: PageUse;
  readonly #batches = new EventBatches(systemClock, (events) => this.#sendEvents(events));
  readonly #subscriptions: readonly vscode.Disposable[];
  #session: LiveSession;
  #following: { dispose(): unknown } | undefined;
  /** The number the page is at; undefined until it has a snapshot of the session. */
  #at: number | undefined;
  #ready = false;
  #wasVisible: boolean;
  #snapshots = 0;
  /** What the page has of the answer that is being written. */
  readonly #streamed = new StreamedText();
  #wantsFocus = false;
  #told = '';

  constructor(page: Page, session: LiveSession, core: Core, use: PageUse) {
    this.page = page;
    this.core = core;
    this.#use = use;
    this.#session = session;
    this.#wasVisible = page.isVisible();
    this.#follow();
    this.#subscriptions = [
      page.webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw)),
      core.settings.onDidChange(() => {
        this.post({ type: 'settings', settings: viewSettings(core) });
        this.#tellProblems();
      }),
      core.models.onDidChange(() => this.#refreshModelSoon()),
      core.workspace.onDidChange(() => void this.sendSnapshot()),
    ];
  }

  get session(): LiveSession {
    return this.#session;
  }

  /** Shows another session. */
  show(session: LiveSession): void {
    if (session === this.#session) return;
    this.core.memory.leaveComposer(this.#session.id, this);
    this.#session = session;
    this.#follow();
    void this.sendSnapshot();
  }

  /** Shows another session because the user asked for it here. */
  open(session: LiveSession): void {
    this.show(session);
    this.used();
  }

  used(): void {
    this.#use.used(this);
  }

  /** Sends a message when the page can be seen; what it misses otherwise is in its next snapshot. */
  post(message: ToView): void {
    if (this.#ready && this.page.isVisible()) post(this.page, message);
  }

  focusComposer(): void {
    this.#wantsFocus = this.#at === undefined;
    this.post({ type: 'focusComposer' });
  }

  /** The page says whether it has the focus. */
  askFocus(): void {
    this.post({ type: 'askFocus' });
  }

  notice(level: 'info' | 'error', text: string): void {
    this.post({ type: 'notice', level, text });
  }

  /** May be called without a change: a tab also tells when it gets or loses the focus. */
  visibilityChanged(): void {
    if (this.page.isVisible() === this.#wasVisible) return;
    this.#wasVisible = this.page.isVisible();
    if (this.#wasVisible) {
      this.#session.look();
      void this.sendSnapshot();
      // It may have had the focus all the while, and has no reason to say so again.
      this.askFocus();
    } else {
      this.#at = undefined;
      this.#batches.clear();
      this.#use.lostFocus(this);
    }
  }

  /** The newest call wins: one that was overtaken while it looked for the model sends nothing. */
  async sendSnapshot(): Promise<void> {
    if (!this.#ready || !this.page.isVisible()) return;
    const turn = ++this.#snapshots;
    const session = this.#session;
    try {
      const model = await this.core.models.inUse(session.modelRef);
      if (turn !== this.#snapshots || session !== this.#session || !this.page.isVisible()) return;
      // No await from here on: an event between the snapshot and its number would be lost.
      const message = snapshot(session, this.core, model);
      this.#batches.clear();
      this.#streamed.restart(message.live);
      this.#at = message.seq;
      post(this.page, message);
      if (this.#wantsFocus) this.focusComposer();
      this.#tellProblems();
    } catch (error) {
      this.core.log.failed('The chat could not be brought up to date', error);
      this.notice(
        'error',
        vscode.l10n.t('This session could not be read. Your other sessions are not affected; the log has the details.'),
      );
    }
  }

  async refreshModel(): Promise<void> {
    const session = this.#session;
    const model = await this.core.models.inUse(session.modelRef);
    if (session !== this.#session) return;
    this.post({ type: 'model', model: modelForPage(model) });
    this.post({ type: 'meter', meter: meterOf(this.#session, model) });
  }

  dispose(): void {
    this.core.memory.leaveComposer(this.#session.id, this);
    this.#following?.dispose();
    this.#batches.clear();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refreshModelSoon(): void {
    this.refreshModel().catch((error: unknown) =>
      this.core.log.failed('The model in use could not be looked up', error),
    );
  }

  #follow(): void {
    const before = this.#following;
    this.#batches.clear();
    this.#at = undefined;
    const listening = this.#session.onDidEmit((event) => this.#onEvent(event));
    this.#following = vscode.Disposable.from(this.core.sessions.see(this.#session), {
      dispose: () => listening.dispose(),
    });
    // Last: letting go of a session closes those that no page shows.
    before?.dispose();
    this.page.setBadge(waitingCount(this.#session));
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === 'notice' && event.kind === 'title') {
      this.post({ type: 'title', title: event.text });
      return;
    }
    if (event.type === 'notice' && event.kind === 'reread') {
      void this.sendSnapshot();
      return;
    }
    if (this.#at !== undefined && this.page.isVisible()) this.#batches.push(event);
    if (event.type === 'delta' || event.type === 'tool') return;
    this.page.setBadge(waitingCount(this.#session));
    if (event.type === 'request.ended' || event.type === 'turn.ended') this.#refreshModelSoon();
  }

  #sendEvents(events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#at === undefined) return;
    const from = this.#at;
    this.#at = last.seq;
    const streamed = events.flatMap((event) => this.#streamed.follow(event) ?? []);
    const rows = events.flatMap((event) => (event.type === 'row' ? [event.row] : []));
    // The page is told a turn's result when it has ended; that its hooks have run is nothing it shows.
    const shown = events.filter((event) => event.type !== 'settled').map((event) => eventForPage(event, streamed));
    const calls = rows.flatMap((row) => cardOf(row) ?? []);
    const asks = (kind: string) => events.some((event) => event.type.startsWith(kind));
    post(this.page, {
      type: 'events',
      from,
      to: last.seq,
      events: shown,
      ...(streamed.length === 0 ? {} : { streamed }),
      ...(asks('item') ? { items: this.#session.items() } : {}),
      ...(asks('approval.') ? { approvals: this.#session.approvals() } : {}),
      ...(asks('question.') ? { questions: this.#session.questions() } : {}),
      ...(calls.length === 0 ? {} : { calls }),
    });
  }

  #receive(raw: unknown): void {
    const parsed = parseToHost(raw);
    if (!parsed.ok) {
      this.core.log.warn(`The chat's page sent a message that does not fit: ${parsed.problem}`);
      return;
    }
    this.#handle(parsed.message);
  }

  #handle(message: ToHost): void {
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        // Where the page was before, it was in another document.
        this.#use.lostFocus(this);
        void this.sendSnapshot();
        return;
      case 'resync':
        this.core.log.debug(`The page asks for a snapshot at ${message.have}`);
        void this.sendSnapshot();
        return;
      case 'focus':
        if (!message.focused || !this.page.isVisible()) this.#use.lostFocus(this);
        else if (message.asked) this.#use.hasFocus(this);
        else this.#use.gotFocus(this);
        return;
      case 'verb':
      case 'answer':
      case 'answerQuestion':
      case 'revealCommand':
      case 'olderRows':
      case 'childRows':
      case 'keepImage':
      case 'readImage':
        void answerPage(message, this.#session, this.core).then((reply) => post(this.page, reply));
        return;
      default:
        void handlePage(message, this).catch((error: unknown) => {
          this.core.log.failed(`The chat's request ${message.type} failed`, error);
          this.notice('error', error instanceof Error ? error.message : String(error));
        });
    }
  }

  /** Each different set of problems is told once: a page that comes back need not hear it again. */
  #tellProblems(): void {
    const problems = [
      ...(this.core.storeNotice ? [this.core.storeNotice.message] : []),
      ...this.core.settings.problems().map((problem) => problem.message),
    ].join('\n');
    if (problems === this.#told) return;
    this.#told = problems;
    if (problems !== '') this.notice('error', problems);
  }
}

function eventForPage(event: SessionEvent, streamed: readonly string[]): SessionEvent {
  if (event.type === 'turn.ended') return { ...event, result: resultForPage(event.result) };
  if (event.type !== 'row') return event;
  const row = forPage(event.row);
  return { ...event, row: streamed.includes(row.id) ? { ...row, displayText: '' } : row };
}
