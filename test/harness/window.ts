import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { Chat } from './chat.ts';
import type { Host, HostFunction, Hosts } from './host.ts';
import { Problems } from './problems.ts';

/** One window of the editor: its page, its extension host and the chat in it. */
export class EditorWindow {
  readonly page: Page;
  readonly chat: Chat;
  readonly problems: Problems;
  readonly #context: BrowserContext;
  readonly #folder: string | undefined;
  readonly #hosts: Hosts;
  /** Hosts that belong to a window, of all windows: others may have the same folder. */
  readonly #taken: Set<Host>;
  #host: Host;

  private constructor(
    page: Page,
    problems: Problems,
    folder: string | undefined,
    hosts: Hosts,
    taken: Set<Host>,
    host: Host,
  ) {
    this.page = page;
    this.chat = new Chat(this);
    this.problems = problems;
    this.#context = page.context();
    this.#folder = folder;
    this.#hosts = hosts;
    this.#host = host;
    this.#taken = taken;
    this.#taken.add(host);
  }

  static async open(
    context: BrowserContext,
    url: string,
    folder: string | undefined,
    hosts: Hosts,
    taken: Set<Host>,
    extensionId: string,
  ): Promise<EditorWindow> {
    const page = await context.newPage();
    const problems = new Problems(page, extensionId);
    await page.goto(url, { timeout: 120_000 });
    return new EditorWindow(page, problems, folder, hosts, taken, await hosts.next(folder, taken));
  }

  get host(): Host {
    return this.#host;
  }

  /** Runs a function in the extension host, with `vscode` as its first parameter. */
  run<Value>(call: HostFunction<undefined, Value>): Promise<Value>;
  run<Argument, Value>(call: HostFunction<Argument, Value>, argument: Argument): Promise<Value>;
  run(call: HostFunction<never, unknown>, argument?: unknown): Promise<unknown> {
    return this.#host.run(call as HostFunction<unknown, unknown>, argument);
  }

  /** Runs a command as a keybinding would. */
  command(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#host.command(name, ...args);
  }

  /** *Reload Window*: the page and the extension host start anew, storage stays. */
  async reload(): Promise<void> {
    await this.page.reload({ timeout: 120_000 });
    this.#host = await this.#hosts.next(this.#folder, this.#taken);
    this.#taken.add(this.#host);
  }

  /** The page inside a webview: VS Code puts it two frames down, beside the next one while it loads anew. */
  webview(selector = 'iframe.webview.ready'): FrameLocator {
    return this.page.frameLocator(selector).frameLocator('iframe#active-frame');
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
