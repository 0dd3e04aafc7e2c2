import * as vscode from 'vscode';

/** The context keys that menus, keys and commands of package.json ask for. */
export interface ContextKeyValues {
  /** The page of a chat has the focus: VS Code has no key of its own for the inside of a webview. */
  'midcourse.chatFocus': boolean;
  /** The chat shows a session. */
  'midcourse.sessionOpen': boolean;
  /** A turn of the shown session runs or is stopping. */
  'midcourse.turnRunning': boolean;
  /** Delegated agents of the shown session are at work, also behind an idle session. */
  'midcourse.agentsWork': boolean;
  /** The shown session waits for the user: an approval or a question. */
  'midcourse.waiting': boolean;
  /** Another window runs the shown session and can be asked for it. */
  'midcourse.canTakeOver': boolean;
  /** The shown session has messages that are not delivered. */
  'midcourse.hasQueue': boolean;
  /** Some of them are held. */
  'midcourse.hasHeld': boolean;
  /** The user has corrected a running turn at least once; ends the walkthrough. */
  'midcourse.steered': boolean;
}

/** Sets context keys; each change is one message to the window, so equal values are not sent again. */
export class ContextKeys {
  readonly #values = new Map<string, boolean>();

  set<Key extends keyof ContextKeyValues>(key: Key, value: ContextKeyValues[Key]): void {
    if (this.#values.get(key) === value) return;
    this.#values.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }

  get(key: keyof ContextKeyValues): boolean {
    return this.#values.get(key) ?? false;
  }
}
