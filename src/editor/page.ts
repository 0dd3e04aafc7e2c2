import type * as vscode from 'vscode';
import type { ToView } from '../protocol/index.ts';

/** A place where the chat's page is shown: the view, or an editor tab. */
export interface Page {
  readonly webview: vscode.Webview;
  isVisible(): boolean;
  /** How many answers the user owes; shown as a badge where the place has one. */
  setBadge(count: number): void;
  reveal(): void;
}

/** Sends one message; a page that has gone drops it. */
export function post(page: Page, message: ToView): void {
  void page.webview.postMessage(message);
}
