import * as vscode from 'vscode';
import type { HookProblems } from '../hook-problems.ts';

/** Says in the status bar that hooks have failed, until the user has looked at the view *Hooks*. */
export class ProblemStatus implements vscode.Disposable {
  readonly #problems: HookProblems;
  readonly #subscription: vscode.Disposable;
  #item: vscode.StatusBarItem | undefined;

  constructor(problems: HookProblems) {
    this.#problems = problems;
    this.#subscription = problems.onDidChange(() => this.#show());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item?.dispose();
  }

  #show(): void {
    const problems = this.#problems.all();
    if (problems.length === 0) {
      this.#item?.hide();
      return;
    }
    this.#item ??= this.#make();
    const words =
      problems.length === 1 ? vscode.l10n.t('Hook problem') : vscode.l10n.t('{0} hook problems', problems.length);
    this.#item.text = `$(warning) ${words}`;
    this.#item.tooltip = problems.map((problem) => problem.words).join('\n\n');
    this.#item.accessibilityInformation = {
      label: `Midcourse: ${words}. ${problems.at(-1)?.words ?? ''}`,
      role: 'button',
    };
    this.#item.show();
  }

  #make(): vscode.StatusBarItem {
    const item = vscode.window.createStatusBarItem('midcourse.hookProblems', vscode.StatusBarAlignment.Right, 99);
    item.name = vscode.l10n.t('Midcourse: hook problems');
    item.command = 'midcourse.manageHooks';
    return item;
  }
}
