import * as vscode from 'vscode';

/** VS Code's form of an `AbortSignal`. Dispose it when the call is over. */
export function cancellationOf(signal: AbortSignal): { readonly token: vscode.CancellationToken } & Disposable {
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return {
    token: source.token,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}
