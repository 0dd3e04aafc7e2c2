import * as vscode from 'vscode';
import { ChatConnection } from './chat-connection.ts';
import { chatHtml, chatPageOptions } from './chat-html.ts';
import type { ContextKeys } from './context-keys.ts';
import type { Core } from './core.ts';
import type { Page } from './page.ts';

/** Opens pages of the chat and remembers them: the view in the side bar and editor tabs. */
export class ChatPages implements vscode.Disposable {
  readonly #core: Core;
  readonly #keys: ContextKeys;
  readonly #connections = new Set<ChatConnection>();
  readonly #subscription: vscode.Disposable;
  #view: ChatConnection | undefined;

  constructor(core: Core, keys: ContextKeys) {
    this.#core = core;
    this.#keys = keys;
    // The view follows the shown session; a tab keeps the one it was opened with.
    this.#subscription = core.sessions.onDidChangeCurrent((session) => {
      if (![...this.#connections].some((one) => one !== this.#view && one.session === session))
        this.#view?.show(session);
    });
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
    const session = this.#core.sessions.ensureCurrent();
    const connection = this.#connect(page, new ChatConnection(page, session, this.#core, this.#keys));
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
    const connection = this.#connect(page, new ChatConnection(page, session, this.#core, this.#keys));
    panel.onDidChangeViewState(() => connection.visibilityChanged());
    panel.onDidDispose(() => this.#drop(connection));
  }

  /** The page of the session that keys and commands mean, if it can be seen. */
  visible(): ChatConnection | undefined {
    const { current } = this.#core.sessions;
    const seen = [...this.#connections].filter((connection) => connection.page.isVisible());
    return seen.find((connection) => connection.session === current) ?? seen[0];
  }

  /** Puts the cursor into the composer of the page that can be seen, as soon as it can be typed into. */
  focusComposer(): void {
    this.visible()?.focusComposer();
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const connection of this.#connections) connection.dispose();
    this.#connections.clear();
  }

  #connect(page: Page, connection: ChatConnection): ChatConnection {
    this.#connections.add(connection);
    page.webview.html = chatHtml(page.webview, this.#core.context.extensionUri);
    return connection;
  }

  #drop(connection: ChatConnection): void {
    this.#connections.delete(connection);
    connection.dispose();
  }
}
