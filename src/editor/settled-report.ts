import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';

/** Milliseconds without a further report after which a service has said what it has to say: syntax comes before types. */
const quiet = 500;

/** Resolves `true` when reports on one file have come and then stopped, `false` at the deadline without any. */
export class SettledReport {
  readonly done: Promise<boolean>;
  readonly #finish: () => void;
  #seen = false;
  #timer: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  constructor(reports: vscode.Event<string>, uri: string, deadline: AbortSignal) {
    let resolve: (seen: boolean) => void = () => {};
    this.done = new Promise((settle) => {
      resolve = settle;
    });
    const subscription = reports((reported) => {
      if (reported !== uri) return;
      this.#seen = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#finish, quiet);
    });
    this.#finish = () => {
      subscription.dispose();
      clearTimeout(this.#timer);
      clearTimeout(this.#limit);
      deadline.removeEventListener('abort', this.#finish);
      resolve(this.#seen);
    };
    if (deadline.aborted) this.#finish();
    else deadline.addEventListener('abort', this.#finish, { once: true });
  }

  /** As `done`, but `false` when no report has come within so many milliseconds. */
  within(limit: number): Promise<boolean> {
    this.#limit = setTimeout(() => this.#seen || this.#finish(), limit);
    return this.done;
  }

  /** Forgets what was reported so far. */
  restart(): void {
    this.#seen = false;
    clearTimeout(this.#timer);
  }

  end(): void {
    this.#finish();
  }
}

/** Waits until an open document has the text of its file; true when it had to. */
export async function followsDisk(document: vscode.TextDocument, deadline: AbortSignal): Promise<boolean> {
  if (document.isDirty) return false;
  const disk = normalized(await readFile(document.uri.fsPath, 'utf8'));
  if (normalized(document.getText()) === disk || deadline.aborted) return false;
  await new Promise<void>((resolve) => {
    const finish = () => {
      subscription.dispose();
      deadline.removeEventListener('abort', finish);
      resolve();
    };
    const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && normalized(document.getText()) === disk) finish();
    });
    deadline.addEventListener('abort', finish, { once: true });
  });
  return true;
}

function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}
