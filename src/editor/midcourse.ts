import * as vscode from 'vscode';
import type { MidcourseApi } from '../api.ts';
import { createApi } from './api.ts';
import { callingExtension } from './calling-extension.ts';
import type { ChatPages } from './chat-view.ts';
import type { CommandHost } from './commands/command.ts';
import { registerCommands } from './commands/register.ts';
import { ContextKeys } from './context-keys.ts';
import type { Core } from './core.ts';
import { HookRegistrations } from './hook-registrations.ts';
import { OutputLog } from './log.ts';
import { StatusItem } from './status-item.ts';
import { ToolRegistrations } from './tool-registrations.ts';

/**
 * The extension in one window. Activation makes only what can be seen or called at once; the core (agent, store, model
 * wires, the page) is loaded by the first use of chat, command or API.
 */
export class Midcourse implements vscode.Disposable, vscode.WebviewViewProvider {
  readonly api: MidcourseApi;
  readonly #context: vscode.ExtensionContext;
  readonly #log = new OutputLog();
  readonly #keys = new ContextKeys();
  readonly #hooks = new HookRegistrations(this.#log, callingExtension);
  readonly #tools = new ToolRegistrations(this.#log);
  readonly #status = new StatusItem();
  readonly #subscriptions: readonly vscode.Disposable[];
  #opening: Promise<CommandHost> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.api = createApi(async () => (await this.#open()).core, this.#hooks, this.#tools);
    this.#subscriptions = [
      this.#log,
      this.#status,
      registerCommands(() => this.#open(), this.#log),
      vscode.commands.registerCommand('midcourse.focusChat', () => this.#focusChat()),
      vscode.commands.registerCommand('midcourse.showLog', () => this.#log.show()),
      vscode.window.registerWebviewViewProvider('midcourse.chat', this, {
        webviewOptions: { retainContextWhenHidden: true },
      }),
    ];
    this.#continuePractice().catch((error: unknown) => this.#log.failed('The practice session did not start', error));
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const { chatPageOptions, failureHtml } = await import('./chat-html.ts');
    view.webview.options = chatPageOptions(this.#context.extensionUri);
    try {
      const { pages } = await this.#open();
      pages.fillView(view);
    } catch (error) {
      view.webview.html = failureHtml(error instanceof Error ? error.message : String(error));
      await this.#offerAnotherTry(view, error);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ends what runs and closes the store. VS Code waits for it for a few seconds. */
  async close(): Promise<void> {
    try {
      const opened = await this.#opening;
      opened?.pages.dispose();
      await opened?.core.close();
    } finally {
      this.#opening = undefined;
      this.dispose();
    }
  }

  #open(): Promise<CommandHost> {
    if (!this.#opening) {
      const opening = this.#load();
      // The next use tries again: the disk may be back, another window may have let go of the database.
      opening.catch((error: unknown) => {
        this.#opening = undefined;
        this.#log.failed('Midcourse could not be opened', error);
      });
      this.#opening = opening;
    }
    return this.#opening;
  }

  async #load(): Promise<CommandHost> {
    const { openCore, ChatPages, followActivity } = await import('./loaded.ts');
    const core: Core = openCore({ context: this.#context, log: this.#log, hooks: this.#hooks, tools: this.#tools });
    await core.ready;
    followActivity(core.sessions, this.#status, this.#keys);
    const pages: ChatPages = new ChatPages(core, this.#keys);
    return { core, pages };
  }

  async #focusChat(): Promise<void> {
    await vscode.commands.executeCommand('midcourse.chat.focus');
    (await this.#open()).pages.focusView();
  }

  async #continuePractice(): Promise<void> {
    if (this.#context.globalState.get('midcourse.practiceFolder') === undefined) return;
    const { continuePractice } = await import('./practice.ts');
    await continuePractice(this.#context, async () => (await this.#open()).core);
  }

  async #offerAnotherTry(view: vscode.WebviewView, error: unknown): Promise<void> {
    const again = vscode.l10n.t('Try again');
    const showLog = vscode.l10n.t('Show log');
    const words = error instanceof Error ? error.message : String(error);
    const answer = await vscode.window.showErrorMessage(
      vscode.l10n.t('Midcourse could not be opened. {0}', words),
      again,
      showLog,
    );
    if (answer === again) await this.resolveWebviewView(view);
    else if (answer === showLog) this.#log.show();
  }
}
