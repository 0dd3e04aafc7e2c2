import * as vscode from 'vscode';

/**
 * Which languages are worth waiting for. Most have no service that reports problems, and the wait after every edit of
 * such a file would be lost. A language counts as answering once somebody has reported on a file of it in this window;
 * one for which an extension with code is there gets one chance. What a service does for files with a tab says nothing
 * about files without.
 */
export class AnsweringLanguages {
  readonly #spoke = new Set<string>();
  readonly #silent = new Set<string>();

  constructor() {
    // Reported before anybody listened.
    for (const [uri] of vscode.languages.getDiagnostics()) {
      const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
      if (document) this.#spoke.add(key(document.languageId, true));
    }
  }

  speaks(language: string, tab: boolean): boolean {
    return this.#spoke.has(key(language, tab));
  }

  /** Nobody has reported on it yet, and it has not been waited for. */
  mayAnswer(language: string, tab: boolean): boolean {
    return !this.#silent.has(key(language, tab)) && hasExtension(language);
  }

  spoke(language: string, tab: boolean): void {
    this.#spoke.add(key(language, tab));
    // Who reports on files without a tab does so on those with one.
    if (!tab) this.#spoke.add(key(language, true));
  }

  silent(language: string, tab: boolean): void {
    this.#silent.add(key(language, tab));
  }
}

function key(language: string, tab: boolean): string {
  return `${tab} ${language}`;
}

/** An extension with code that is started by files of the language: by its word or, as it brings the language, without. */
function hasExtension(language: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const { main, browser, activationEvents = [], contributes = {}, isBuiltin = false } = packageJSON as Manifest;
    if (main === undefined && browser === undefined) return false;
    if (activationEvents.includes(`onLanguage:${language}`)) return true;
    // VS Code's own bring the languages of their settings and lists.
    return !isBuiltin && (contributes.languages ?? []).some(({ id }) => id === language);
  });
}

interface Manifest {
  readonly main?: string;
  readonly browser?: string;
  readonly isBuiltin?: boolean;
  readonly activationEvents?: readonly string[];
  readonly contributes?: { readonly languages?: readonly { readonly id: string }[] };
}
