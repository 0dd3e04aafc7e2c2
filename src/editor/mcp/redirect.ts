import * as vscode from 'vscode';
import { answersSignIn, listenForRedirect, unlessAborted } from '../../agent/mcp/index.ts';

export interface BrowserRedirect {
  /** Where the browser comes back to. */
  readonly uri: string;
  /** Resolves with the first answer that has this state; others are ignored. */
  answer(state: string, signal: AbortSignal): Promise<URL>;
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
  const words = {
    signedIn: vscode.l10n.t('Signed in. You can close this page and go back to the editor.'),
    refused: vscode.l10n.t('This is not the answer that the editor waits for. Its sign-in continues.'),
  };
  return await listenForRedirect(words, async (uri) => {
    return (await vscode.env.asExternalUri(vscode.Uri.parse(uri))).toString(true);
  });
}

async function throughEditor(): Promise<BrowserRedirect> {
  const own = vscode.Uri.parse(`${vscode.env.uriScheme}://midcourse.midcourse/signed-in`);
  const external = await vscode.env.asExternalUri(own);
  let heard: (uri: vscode.Uri) => void = () => undefined;
  // Any page and any program can call it.
  const handler = vscode.window.registerUriHandler({ handleUri: (uri) => heard(uri) });
  return {
    uri: external.toString(true),
    answer: (state, signal) => {
      const { promise, resolve } = Promise.withResolvers<URL>();
      heard = (uri) => {
        const url = new URL(uri.toString(true));
        if (uri.path === '/signed-in' && answersSignIn(url, state)) resolve(url);
      };
      return unlessAborted(promise, signal);
    },
    close: () => handler.dispose(),
  };
}
