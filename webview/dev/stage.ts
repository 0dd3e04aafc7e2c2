/** The chat's page in a plain browser, with a stage hand in place of the extension host: for looking at it and for tests. */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Answer, RequestMessage, RequestType, ToHost, ToView } from '../../src/protocol/index.ts';
import themes from './themes.json' with { type: 'json' };

export type Theme = keyof typeof themes;

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Nothing is fetched from it: the stage answers every request itself. */
const origin = 'https://chat.invalid';
/** Milliseconds; a busy machine is no failure. */
const patience = 120_000;
const nonce = 'c3RhZ2U';

export class Stage {
  readonly #browser: Browser;
  readonly #files: ReadonlyMap<string, Uint8Array>;

  private constructor(browser: Browser, files: ReadonlyMap<string, Uint8Array>) {
    this.#browser = browser;
    this.#files = files;
  }

  /** Bundles the page and starts a browser; `CHROMIUM` names another one than Debian's. */
  static async open(): Promise<Stage> {
    const files = await bundle();
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    return new Stage(browser, files);
  }

  async chat(options: { theme?: Theme; width?: number; height?: number } = {}): Promise<ChatPage> {
    const { theme = 'dark', width = 400, height = 760 } = options;
    const page = await this.#browser.newPage({ viewport: { width, height } });
    page.setDefaultTimeout(patience);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.route('**/*', async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      const file = name === '' ? html(theme) : this.#files.get(name);
      if (file === undefined) await route.abort();
      else await route.fulfill({ body: Buffer.from(file), contentType: contentType(name) });
    });
    await page.addInitScript(() => {
      const posted: unknown[] = [];
      Object.assign(globalThis, {
        posted,
        acquireVsCodeApi: () => ({ postMessage: (message: unknown) => posted.push(message) }),
      });
      document.addEventListener('securitypolicyviolation', (event) =>
        console.error(`securitypolicyviolation ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
      );
    });
    await page.goto(`${origin}/`);
    return new ChatPage(page, problems);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

export class ChatPage {
  readonly page: Page;
  /** Errors and violations of the Content-Security-Policy. */
  readonly problems: readonly string[];
  readonly #answered = new Set<string>();

  constructor(page: Page, problems: readonly string[]) {
    this.page = page;
    this.problems = problems;
  }

  async send(...messages: readonly ToView[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const message of all) window.postMessage(message, '*');
    }, messages);
  }

  async posted(): Promise<readonly ToHost[]> {
    return this.page.evaluate(() => (globalThis as unknown as { posted: ToHost[] }).posted);
  }

  /** Answers every request of that type that has no answer yet, when at least one has come. */
  async reply<T extends RequestType>(type: T, value: Answer<T>): Promise<void> {
    await this.replyEach(type, () => value);
  }

  /** The same with an answer of its own for each. */
  async replyEach<T extends RequestType>(type: T, answer: (message: RequestMessage<T>) => Answer<T>): Promise<void> {
    await this.#waitForOpen(type);
    await this.answerOpen(type, answer);
  }

  /** The same without waiting for one. */
  async answerOpen<T extends RequestType>(type: T, answer: (message: RequestMessage<T>) => Answer<T>): Promise<void> {
    const isOpen = (message: ToHost): message is RequestMessage<T> =>
      message.type === type && !this.#answered.has((message as RequestMessage).requestId);
    for (const message of (await this.posted()).filter(isOpen)) {
      const { requestId } = message as RequestMessage;
      this.#answered.add(requestId);
      await this.send({ type: 'reply', requestId, ok: true, value: answer(message) });
    }
  }

  async #waitForOpen(type: RequestType): Promise<void> {
    await this.page.waitForFunction(
      ({ name, answered }) => {
        const { posted } = globalThis as unknown as { posted: { type: string; requestId: string }[] };
        return posted.some((message) => message.type === name && !answered.includes(message.requestId));
      },
      { name: type, answered: [...this.#answered] },
    );
  }

  testId(id: string) {
    return this.page.getByTestId(id);
  }
}

async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: 'webview/main.tsx' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'chrome132',
    outdir: '/',
    assetNames: '[name]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.ttf': 'copy' },
    logLevel: 'error',
  });
  return new Map(built.outputFiles.map((file) => [path.basename(file.path), file.contents]));
}

function html(theme: Theme): Buffer {
  const { class: className, variables } = themes[theme];
  const styles = Object.entries(variables).map(([name, value]) => `${name}: ${value};`);
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `font-src ${origin}`,
    'img-src data: blob:',
  ].join('; ');
  return Buffer.from(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">:root { ${styles.join(' ')} } body { background: var(--vscode-sideBar-background); } ::-webkit-scrollbar { width: 10px; height: 10px; } ::-webkit-scrollbar-thumb { background: var(--vscode-scrollbarSlider-background); }</style>
<link rel="stylesheet" nonce="${nonce}" href="main.css">
</head>
<body class="${className}">
<div id="midcourse"></div>
<script type="module" nonce="${nonce}" src="main.js"></script>
</body>
</html>`);
}

function contentType(name: string): string {
  switch (path.extname(name)) {
    case '.js':
      return 'text/javascript';
    case '.css':
      return 'text/css';
    case '.ttf':
      return 'font/ttf';
    default:
      return 'text/html';
  }
}
