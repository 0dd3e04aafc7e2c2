import * as vscode from 'vscode';
import type { LiveSession } from '../agent/turn/index.ts';
import { ChatConnection } from './chat-connection.ts';
import { chatHtml, chatPageOptions } from './chat-html.ts';
import type { ContextKeys } from './context-keys.ts';
import type { Core } from './core.ts';
import type { Page } from './page.ts';
import { PageFocus } from './page-focus.ts';

/**
 * Opens pages of the chat and remembers them: the view in the side bar and editor tabs. Keys and commands that name no
 * session mean that of the page that has the focus or had it last: `Sessions.current` is kept at that.
 */
export class ChatPages implements vscode.Disposable {
  readonly #core: Core;
  readonly #keys: ContextKeys;
  readonly #focus = new PageFocus<ChatConnection>({
    changed: () => {
      const { holder } = this.#focus;
      // First what the keys ask of its session.
      if (holder) this.#core.sessions.show(holder.session);
      this.#keys.set('midcourse.chatFocus', holder !== undefined);
    },
    ask: (connection) => connection.askFocus(),
  });
  readonly #subscriptions: readonly vscode.Disposable[];
  #view: ChatConnection | undefined;

  constructor(core: Core, keys: ContextKeys) {
    this.#core = core;
    this.#keys = keys;
    this.#subscriptions = [
      core.sessions.onDidChangeCurrent((session) => this.#becameCurrent(session)),
      core.sessions.onDidDelete((id) => {
        for (const page of this.#focus.recent) if (page.session.id === id) page.show(core.sessions.ensureCurrent());
      }),
    ];
  }

  fillView(view: vscode.WebviewView): void {
    const page: Page = {
      webview: view.webview,
      isVisible: () => view.visible,
      setBadge(count) {
        view.badge = count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t('Waiting for you: {0}', count) };
      },
      reveal: () => view.show(false),
    };
    const connection = this.#connect(page, this.#core.sessions.ensureCurrent());
    this.#view = connection;
    view.onDidChangeVisibility(() => connection.visibilityChanged());
    view.onDidDispose(() => {
      this.#drop(connection);
      if (this.#view === connection) this.#view = undefined;
    });
  }

  openTab(): void {
    const session = this.#core.sessions.ensureCurrent();
    const panel = vscode.window.createWebviewPanel(
      'midcourse.chat',
      session.title || 'Midcourse',
      vscode.ViewColumn.Active,
      {
        ...chatPageOptions(this.#core.context.extensionUri),
        retainContextWhenHidden: true,
      },
    );
    panel.iconPath = vscode.Uri.joinPath(this.#core.context.extensionUri, 'media', 'midcourse.svg');
    const page: Page = {
      webview: panel.webview,
      isVisible: () => panel.visible,
      setBadge() {
        // A tab has none; the status item tells.
      },
      reveal: () => panel.reveal(),
    };
    const connection = this.#connect(page, session);
    panel.onDidChangeViewState(() => connection.visibilityChanged());
    panel.onDidDispose(() => this.#drop(connection));
  }

  /** The page that has the focus: a key that was pressed in the chat was pressed there. */
  focused(): ChatConnection | undefined {
    return this.#focus.holder;
  }

  /** The page that commands mean, if it can be seen: the one that has the focus or had it last. */
  visible(): ChatConnection | undefined {
    return this.#focus.recent.find((connection) => connection.page.isVisible());
  }

  /** Puts the cursor into the composer of the view, as soon as it can be typed into. */
  focusView(): void {
    this.#view?.focusComposer();
  }

  /** What follows is about the session that the view shows. */
  useView(): void {
    if (this.#view) this.#use(this.#view);
  }

  /** Brings the page that shows the session to the front, with the cursor in its composer. False when none shows it. */
  reveal(session: LiveSession): boolean {
    const connection = this.#showing(session);
    connection?.page.reveal();
    connection?.focusComposer();
    return connection !== undefined;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const connection of this.#focus.recent) {
      this.#focus.closed(connection);
      connection.dispose();
    }
  }

  /** A session that no page shows is shown by the page in use; in a window whose pages are hidden, by the view. */
  #becameCurrent(session: LiveSession): void {
    const showing = this.#showing(session);
    const target = showing ?? this.visible() ?? this.#view;
    if (!target) return;
    this.#focus.used(target);
    target.show(session);
  }

  #use(connection: ChatConnection): void {
    this.#focus.used(connection);
    this.#core.sessions.show(connection.session);
  }

  #showing(session: LiveSession): ChatConnection | undefined {
    return this.#focus.recent.find((connection) => connection.session === session);
  }

  #connect(page: Page, session: LiveSession): ChatConnection {
    const connection = new ChatConnection(page, session, this.#core, {
      gotFocus: (one) => this.#focus.focused(one),
      hasFocus: (one) => this.#focus.confirmed(one),
      lostFocus: (one) => this.#focus.left(one),
      used: (one) => this.#use(one),
    });
    this.#focus.opened(connection);
    page.webview.html = chatHtml(page.webview, this.#core.context.extensionUri);
    return connection;
  }

  #drop(connection: ChatConnection): void {
    const last = this.#focus.recent[0];
    this.#focus.closed(connection);
    connection.dispose();
    // Keys and commands mean the page that was used before it.
    const next = this.#focus.recent[0];
    if (last === connection && next) this.#core.sessions.show(next.session);
  }
}
