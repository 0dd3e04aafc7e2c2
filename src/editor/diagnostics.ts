import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import * as vscode from 'vscode';
import type { Diagnostic, DiagnosticsAnswer } from '../agent/tools/types.ts';
import { PreviewTabs } from './preview-tabs.ts';

/** Milliseconds that an answer may take in all. */
const patience = 3000;
/** Milliseconds without a further report after which a service has said what it has to say: syntax comes before types. */
const quiet = 500;
/** Milliseconds that a service may need for its start: TypeScript first loads the project. */
const startOfService = 30_000;

/**
 * Tells which problems an edit brought. A language service reports on files that have a tab (TypeScript tests exactly
 * that), so a file without one is shown for the time of the check. "None" is not the same as "not checked": a file that
 * no service reported on after its edit counts as not checked.
 */
export class DiagnosticsWatch implements vscode.Disposable {
  readonly #before = new Map<string, ReadonlyMap<string, number>>();
  readonly #reported = new vscode.EventEmitter<string>();
  readonly #languages = new AnsweringLanguages();
  readonly #subscription: vscode.Disposable;
  #covers: (path: string) => boolean = () => false;

  constructor() {
    this.#subscription = vscode.languages.onDidChangeDiagnostics((event) => {
      for (const uri of event.uris) {
        this.#reported.fire(uri.toString());
        const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
        if (document) this.#languages.waited(this.#languageOf(document), true);
      }
    });
  }

  /** A file that a language server of this extension reports on counts by its ending: VS Code may have no language for it. */
  serversCover(covers: (path: string) => boolean): void {
    this.#covers = covers;
  }

  /** Remembers the problems of files before an edit. */
  snapshot(paths: readonly string[]): void {
    for (const path of paths) this.#before.set(path, counted(vscode.languages.getDiagnostics(vscode.Uri.file(path))));
  }

  /** New problems since the snapshot, after at most three seconds. */
  async check(paths: readonly string[], signal: AbortSignal): Promise<DiagnosticsAnswer> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const tabs = new PreviewTabs();
    const looks = paths.map((path) => {
      const report = new SettledReport(this.#reported.event, vscode.Uri.file(path).toString(), deadline);
      return { report, shown: this.#show(path, report, { tabs, alone: paths.length === 1, deadline }) };
    });
    const answered = await Promise.all(looks.map(({ report }) => report.done));
    // Read before the tabs go, with which the service takes its problems back.
    const news = paths.flatMap((path) => this.#news(path));
    for (const path of paths) this.#before.delete(path);
    // A busy window may show a file only after the deadline: then nobody waits, and the tab goes when it has come.
    const closed = Promise.all(looks.map(({ shown }) => shown)).then(() => tabs.close());
    await Promise.race([closed, aborted(deadline)]);
    return answered.some(Boolean)
      ? { checked: true, diagnostics: news }
      : { checked: false, why: unchecked(signal.aborted) };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#reported.dispose();
  }

  /** Gives the file a tab, so that a service reports on its present text. Never rejects. */
  async #show(
    path: string,
    report: SettledReport,
    { tabs, alone, deadline }: { readonly tabs: PreviewTabs; readonly alone: boolean; readonly deadline: AbortSignal },
  ): Promise<void> {
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const language = this.#languageOf(document);
      if (deadline.aborted || !this.#languages.mayAnswer(language)) return report.end();
      await tabs.show(document, { preview: alone });
      // An open buffer follows the disk a moment later; a report from before speaks of the old text.
      if (await followsDisk(document, deadline)) report.restart();
      this.#languages.waited(language, await report.done);
    } catch {
      // The file is gone or is no text: nobody will report on it.
      report.end();
    }
  }

  #languageOf({ uri, languageId }: vscode.TextDocument): string {
    return this.#covers(uri.fsPath) ? `*${extname(uri.fsPath)}` : languageId;
  }

  #news(path: string): Diagnostic[] {
    const known = new Map(this.#before.get(path) ?? []);
    return vscode.languages.getDiagnostics(vscode.Uri.file(path)).flatMap((diagnostic) => {
      const key = identity(diagnostic);
      const count = known.get(key) ?? 0;
      if (count > 0) known.set(key, count - 1);
      return count > 0 ? [] : [toDiagnostic(path, diagnostic)];
    });
  }
}

/**
 * Which languages are worth waiting for. Most have no service that reports problems, and three seconds after every edit
 * of such a file would be lost; so one that stayed silent while a service would have started, is not waited for again
 * until it speaks.
 */
class AnsweringLanguages {
  /** When each silent language was first waited for, on the clock of `performance.now()`. */
  readonly #silentSince = new Map<string, number>([['plaintext', Number.NEGATIVE_INFINITY]]);

  mayAnswer(language: string): boolean {
    const since = this.#silentSince.get(language);
    return since === undefined || performance.now() - since < startOfService;
  }

  waited(language: string, answered: boolean): void {
    if (answered) this.#silentSince.delete(language);
    else if (!this.#silentSince.has(language)) this.#silentSince.set(language, performance.now());
  }
}

/** Resolves `true` when reports on one file have come and then stopped, `false` at the deadline without any. */
class SettledReport {
  readonly done: Promise<boolean>;
  readonly #finish: () => void;
  #seen = false;
  #timer: NodeJS.Timeout | undefined;

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
      deadline.removeEventListener('abort', this.#finish);
      resolve(this.#seen);
    };
    if (deadline.aborted) this.#finish();
    else deadline.addEventListener('abort', this.#finish, { once: true });
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
async function followsDisk(document: vscode.TextDocument, deadline: AbortSignal): Promise<boolean> {
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function unchecked(stopped: boolean): string {
  return stopped
    ? vscode.l10n.t('stopped before a language service answered')
    : vscode.l10n.t('no language service reported on it within 3 seconds');
}

/** Lines move with an edit, so a problem is known by what it says. */
function identity(diagnostic: vscode.Diagnostic): string {
  return `${diagnostic.severity}\n${diagnostic.source ?? ''}\n${diagnostic.message}`;
}

function counted(diagnostics: readonly vscode.Diagnostic[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const diagnostic of diagnostics) {
    const key = identity(diagnostic);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const severities = ['error', 'warning', 'information', 'hint'] as const;

function toDiagnostic(path: string, diagnostic: vscode.Diagnostic): Diagnostic {
  return {
    path,
    line: diagnostic.range.start.line + 1,
    column: diagnostic.range.start.character + 1,
    severity: severities[diagnostic.severity] ?? 'error',
    message: diagnostic.message,
    ...(diagnostic.source === undefined ? {} : { source: diagnostic.source }),
  };
}
