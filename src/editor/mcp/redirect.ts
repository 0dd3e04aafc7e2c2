import * as vscode from 'vscode';
import { listenForRedirect, unlessAborted } from '../../agent/mcp/index.ts';

export interface BrowserRedirect {
  /** Where the browser comes back to. */
  readonly uri: string;
  answer(signal: AbortSignal): Promise<URL>;
  close(): void;
}

/**
 * On a desktop the browser comes back to a port of this machine, which VS Code forwards where the extension runs
 * elsewhere; in a browser it comes back to VS Code's own address.
 */
export async function browserRedirect(): Promise<BrowserRedirect> {
  return vscode.env.uiKind === vscode.UIKind.Web ? await throughEditor() : await throughPort();
}

async function throughPort(): Promise<BrowserRedirect> {
  const loopback = await listenForRedirect(
    vscode.l10n.t('Signed in. You can close this page and go back to the editor.'),
  );
  const external = await vscode.env.asExternalUri(vscode.Uri.parse(loopback.uri));
  return { ...loopback, uri: external.toString(true) };
}

async function throughEditor(): Promise<BrowserRedirect> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const handler = vscode.window.registerUriHandler({
    handleUri: (uri) => {
      if (uri.path === '/signed-in') resolve(new URL(uri.toString(true)));
    },
  });
  const own = vscode.Uri.parse(`${vscode.env.uriScheme}://midcourse.midcourse/signed-in`);
  const external = await vscode.env.asExternalUri(own);
  return {
    uri: external.toString(true),
    answer: (signal) => unlessAborted(promise, signal),
    close: () => handler.dispose(),
  };
}
