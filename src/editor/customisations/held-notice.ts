import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Customisations, Unused } from '../../agent/customisations/index.ts';
import type { OutputLog } from '../log.ts';
import type { ReadableFiles } from './readable-files.ts';

/** Says once of each text that it is held back, or that something of it was removed; nothing of it is modal. */
export class HeldNotice {
  readonly #customisations: Customisations;
  readonly #readable: ReadableFiles;
  readonly #log: OutputLog;
  readonly #told = new Set<string>();

  constructor(customisations: Customisations, readable: ReadableFiles, log: OutputLog) {
    this.#customisations = customisations;
    this.#readable = readable;
    this.#log = log;
  }

  /** Looks at what was read last. */
  tell(): void {
    const { instructions, skills, commands, agents, unused } = this.#customisations.collection;
    for (const one of unused) {
      if (one.held === undefined || !this.#isNews(one.held)) continue;
      askAboutHeld(one, this.#readable, this.#customisations).catch((error: unknown) => {
        this.#log.failed('A file that is held back could not be asked about', error);
      });
    }
    for (const one of [...instructions, ...skills, ...commands, ...agents, ...this.#customisations.notedOnTheWay]) {
      const hidden = one.notes?.find((note) => note.includes('cannot be seen'));
      if (hidden === undefined || !this.#isNews(`${one.path} ${hidden}`)) continue;
      void this.#open(one.path, vscode.l10n.t('{0}: {1}', basename(one.path), hidden));
    }
  }

  #isNews(what: string): boolean {
    const isNews = !this.#told.has(what);
    this.#told.add(what);
    return isNews;
  }

  async #open(path: string, words: string): Promise<void> {
    const open = vscode.l10n.t('Open File');
    if ((await vscode.window.showWarningMessage(words, open)) === open) await show(path);
  }
}

/** Offers to read the file and to have it loaded as it is now. True when it is loaded. */
export async function askAboutHeld(
  { path, why, held }: Unused,
  readable: ReadableFiles,
  customisations: Customisations,
): Promise<boolean> {
  const [open, load] = [vscode.l10n.t('Open File'), vscode.l10n.t('Load Anyway')];
  const words = vscode.l10n.t('{0} is not loaded: {1}', basename(path), why);
  const answer = await vscode.window.showWarningMessage(words, open, load);
  if (answer === open) await show(path);
  if (answer !== load || held === undefined) return false;
  await readable.add(held);
  await customisations.refresh();
  return true;
}

async function show(path: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(path));
}
