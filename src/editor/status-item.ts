import * as vscode from 'vscode';

/** What the window's sessions are doing, taken together. */
export type Activity =
  | { readonly is: 'idle' }
  | { readonly is: 'running' }
  | { readonly is: 'waiting'; readonly count: number };

/** The entry in the status bar: idle, running, or waiting for the user. A click brings the chat to the front. */
export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('midcourse.status', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.#item.name = 'Midcourse';
    this.#item.command = 'midcourse.focusChat';
    this.show({ is: 'idle' });
    this.#item.show();
  }

  show(activity: Activity): void {
    const { text, tooltip, warn } = look(activity);
    // Each assignment is a message to the window, and a turn tells of its state many times.
    if (this.#item.text === text && this.#item.tooltip === tooltip) return;
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `Midcourse: ${tooltip}`, role: 'button' };
    this.#item.backgroundColor = warn ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function look(activity: Activity): { readonly text: string; readonly tooltip: string; readonly warn?: boolean } {
  switch (activity.is) {
    case 'idle':
      return { text: '$(milestone) Midcourse', tooltip: vscode.l10n.t('Open the chat') };
    case 'running':
      return {
        text: `$(loading~spin) ${vscode.l10n.t('Midcourse: running')}`,
        tooltip: vscode.l10n.t('A turn is running'),
      };
    case 'waiting':
      return {
        text: `$(bell-dot) ${vscode.l10n.t('Midcourse: waiting for you')}`,
        tooltip:
          activity.count === 1
            ? vscode.l10n.t('One thing waits for your answer')
            : vscode.l10n.t('{0} things wait for your answer', activity.count),
        warn: true,
      };
    default:
      return activity satisfies never;
  }
}
