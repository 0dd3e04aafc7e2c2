import * as vscode from 'vscode';
import type { Diagnostic, DiagnosticsAnswer } from '../agent/tools/types.ts';
import { AnsweringLanguages } from './answering-languages.ts';
import { followsDisk, SettledReport } from './settled-report.ts';
import { askTypeScript, isTypeScript } from './typescript-problems.ts';

/** Milliseconds that an answer may take in all. */
const patience = 3000;
/** Milliseconds for the problems before an edit, which waits for them. */
const patienceBefore = 1000;
/** Milliseconds for a service of which it is only learned what it does: an unchanged result is not reported at all. */
const patienceShort = 1000;
/** Milliseconds for a service that did not answer in time, such as one that reads a large project first. */
const patienceLate = 60_000;

/** The problems of a file before its edit; `unknown` when they were asked for and did not come in time. */
type Before = ReadonlyMap<string, number> | 'unknown';

/**
 * Tells which problems an edit brought. The user's editor is left alone: a file without a tab is opened as a document,
 * which nobody sees. TypeScript publishes problems for files with a tab only and is asked directly; of other services it
 * is learned whether they do. "None" is not the same as "not checked".
 */
export class DiagnosticsWatch implements vscode.Disposable {
  readonly #before = new Map<string, Before>();
  /** Files whose service is late, with what ends the wait for it. */
  readonly #late = new Map<string, { readonly before: Before | undefined; readonly wait: AbortController }>();
  readonly #reported = new vscode.EventEmitter<string>();
  readonly #languages = new AnsweringLanguages();
  readonly #subscription: vscode.Disposable;
  #covers: (path: string) => boolean = () => false;

  constructor() {
    this.#subscription = vscode.languages.onDidChangeDiagnostics((event) => {
      for (const uri of event.uris) {
        this.#reported.fire(uri.toString());
        const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
        if (document) this.#languages.spoke(document.languageId, hasTab(uri));
      }
    });
  }

  /** A file that a language server of this extension reports on counts by its ending: VS Code may have no language for it. */
  serversCover(covers: (path: string) => boolean): void {
    this.#covers = covers;
  }

  /** Remembers the problems of files before an edit, after at most a second. Never rejects. */
  async snapshot(paths: readonly string[]): Promise<void> {
    const deadline = AbortSignal.timeout(patienceBefore);
    await Promise.all(
      paths.map(async (path) => {
        const uri = vscode.Uri.file(path);
        const late = this.#late.get(path);
        if (late) {
          // What the earlier edit brought was not told yet: both are compared with what was there before.
          late.wait.abort();
          this.#late.delete(path);
          if (late.before !== undefined) this.#before.set(path, late.before);
          return;
        }
        this.#before.set(path, counted(published(uri)));
        if (hasTab(uri)) return;
        try {
          const document = await vscode.workspace.openTextDocument(uri);
          if (!isTypeScript(document)) return;
          const problems = await askTypeScript(document, deadline);
          this.#before.set(path, problems ? counted([...problems, ...published(uri)]) : 'unknown');
        } catch {
          // There is no such file yet: it has no problems.
        }
      }),
    );
  }

  /** New problems since the snapshot, after at most three seconds; without paths all that are known. */
  async check(paths: readonly string[], signal: AbortSignal, tellLate?: TellLate): Promise<DiagnosticsAnswer> {
    if (paths.length === 0) return { checked: true, diagnostics: allPublished() };
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const looks = await Promise.all(paths.map((path) => this.#look(path, deadline)));
    const before = paths.map((path) => this.#before.get(path));
    for (const path of paths) this.#before.delete(path);
    const mayCome = !signal.aborted && looks.some((look) => look.mayCome);
    if (tellLate && mayCome) {
      for (const [at, path] of paths.entries())
        if (looks[at]?.mayCome) void this.#lookLater(path, before[at], tellLate);
    }
    const found = looks.flatMap((look, at) => (look.problems ? news(look.problems, before[at]) : []));
    if (looks.some(({ problems }) => problems)) {
      const unknown = looks.some(({ problems }, at) => problems && before[at] === 'unknown');
      return { checked: true, diagnostics: found, ...(unknown ? { before: 'unknown' } : {}) };
    }
    const why = signal.aborted ? stopped() : (looks[0]?.why ?? noService());
    return { checked: false, why, ...(mayCome ? { mayCome } : {}) };
  }

  /** Never rejects. */
  async #lookLater(path: string, before: Before | undefined, tell: TellLate): Promise<void> {
    const wait = new AbortController();
    this.#late.set(path, { before, wait });
    const deadline = AbortSignal.any([wait.signal, AbortSignal.timeout(patienceLate)]);
    const { problems = [] } = await this.#look(path, deadline, patienceLate);
    if (wait.signal.aborted) return;
    this.#late.delete(path);
    const brought = news(problems, before);
    if (brought.length > 0) tell(brought);
  }

  dispose(): void {
    for (const { wait } of this.#late.values()) wait.abort();
    this.#subscription.dispose();
    this.#reported.dispose();
  }

  /** The problems of the present text; without any, why nobody looked. Never rejects. */
  async #look(path: string, deadline: AbortSignal, short = patienceShort): Promise<Look> {
    const uri = vscode.Uri.file(path);
    // Before the document is opened: the service may be quick.
    const report = new SettledReport(this.#reported.event, uri.toString(), deadline);
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      if (deadline.aborted) return { why: noAnswer(), mayCome: true };
      const tab = hasTab(uri);
      if (isTypeScript(document) && !tab) return await this.#askTypeScript(document, report, deadline);
      const { languageId } = document;
      const sure = this.#covers(path) || isTypeScript(document);
      const known = sure || this.#languages.speaks(languageId, tab);
      if (!known && !this.#languages.mayAnswer(languageId, tab)) return { why: tab ? noService() : noTab() };
      // An open buffer follows the disk a moment later; a report from before speaks of the old text.
      if (await followsDisk(document, deadline)) report.restart();
      const answered = await (sure || (known && tab) ? report.done : report.within(short));
      if (!answered) this.#languages.silent(languageId, tab);
      return answered ? { problems: published(uri) } : { why: noAnswer(), mayCome: true };
    } catch {
      // The file is gone or is no text: nobody will report on it.
      return { why: noService() };
    } finally {
      report.end();
    }
  }

  /** Linters may report on files without a tab beside it. */
  async #askTypeScript(document: vscode.TextDocument, report: SettledReport, deadline: AbortSignal): Promise<Look> {
    if (await followsDisk(document, deadline)) report.restart();
    const problems = await askTypeScript(document, deadline);
    if (this.#languages.speaks(document.languageId, false)) await report.within(patienceShort);
    if (!problems) return deadline.aborted ? { why: noAnswer(), mayCome: true } : { why: noTab() };
    return { problems: [...problems, ...published(document.uri)] };
  }
}

interface Look {
  readonly problems?: readonly Diagnostic[];
  readonly why?: string;
  /** The service may still report. */
  readonly mayCome?: boolean;
}

type TellLate = (problems: readonly Diagnostic[]) => void;

function hasTab(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return vscode.window.tabGroups.all.some((group) =>
    group.tabs.some(({ input }) => {
      if (input instanceof vscode.TabInputText) return input.uri.toString() === key;
      return (
        input instanceof vscode.TabInputTextDiff &&
        [input.original, input.modified].some((one) => one.toString() === key)
      );
    }),
  );
}

function news(problems: readonly Diagnostic[], before: Before | undefined): readonly Diagnostic[] {
  if (before === undefined || before === 'unknown') return problems;
  const known = new Map(before);
  return problems.filter((problem) => {
    const key = identity(problem);
    const count = known.get(key) ?? 0;
    if (count > 0) known.set(key, count - 1);
    return count === 0;
  });
}

/** Lines move with an edit, so a problem is known by what it says. */
function identity({ severity, source = '', message }: Diagnostic): string {
  return `${severity}\n${source}\n${message}`;
}

function counted(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const diagnostic of diagnostics) {
    const key = identity(diagnostic);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function published(uri: vscode.Uri): readonly Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).map((diagnostic) => toDiagnostic(uri.fsPath, diagnostic));
}

function allPublished(): readonly Diagnostic[] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) =>
      uri.scheme === 'file' ? diagnostics.map((diagnostic) => toDiagnostic(uri.fsPath, diagnostic)) : [],
    );
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

const stopped = () => vscode.l10n.t('stopped before a language service answered');
const noAnswer = () => vscode.l10n.t('no language service reported on it in time');
const noService = () => vscode.l10n.t('no language service reports on it');
const noTab = () => vscode.l10n.t('the file is not open in a tab, and no language service reports on it otherwise');
