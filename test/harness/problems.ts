import type { BrowserContext, Page } from 'playwright-core';

/** Written by the page's own listeners, so that a violation in a frame reaches us with the frame's address. */
const prefix = 'midcourse-problem: ';

/** What must never happen in our chat page: CSP violations, uncaught errors, rejected promises, console errors. */
export class Problems {
  readonly #found: string[] = [];
  readonly #extension: string;

  /** `extension` is the id whose webviews are watched: the workbench around them is not ours. */
  constructor(extension: string) {
    this.#extension = extension;
  }

  get found(): readonly string[] {
    return this.#found;
  }

  /** Throws when there were any. */
  assertNone(): void {
    if (this.#found.length > 0) throw new Error(`Problems in the chat page:\n${this.#found.join('\n')}`);
  }

  /** Before the first page of the context is opened. */
  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(reportProblems, { prefix, extension: this.#extension.toLowerCase() });
  }

  follow(page: Page): void {
    page.on('console', (message) => {
      const text = message.text();
      if (text.startsWith(prefix)) this.#found.push(text.slice(prefix.length));
    });
  }
}

/** Runs in every frame of the page, before its own scripts. */
function reportProblems({ prefix, extension }: { prefix: string; extension: string }): void {
  // The inner frame of a webview is written into a blank document; the extension's id is in its own or its parent's address.
  const addresses = [location.href];
  try {
    addresses.push(parent.location.href);
  } catch {
    // A parent of another origin is not a webview's.
  }
  const isWebview = addresses.some(
    (address) => new URL(address, 'http://x').searchParams.get('extensionId')?.toLowerCase() === extension,
  );
  if (!isWebview) return;
  const original = console.error.bind(console);
  const report = (kind: string, text: string) => original(`${prefix}${kind}: ${text}`);
  document.addEventListener('securitypolicyviolation', (event) => {
    report(
      'blocked',
      `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`,
    );
  });
  window.addEventListener('error', (event) => report('error', event.error?.stack ?? event.message));
  window.addEventListener('unhandledrejection', (event) =>
    report('rejection', event.reason?.stack ?? String(event.reason)),
  );
  console.error = (...parts: unknown[]) => {
    original(...parts);
    report('console', parts.map(String).join(' '));
  };
}
