import * as vscode from 'vscode';

/** The name of the extension that the code which is being run was called by, from the paths on the stack. */
export function callingExtension(): string {
  const stack = new Error().stack ?? '';
  const callers = vscode.extensions.all.filter(
    ({ id, extensionPath }) => id !== 'midcourse.midcourse' && stack.includes(extensionPath),
  );
  // Of two that lie in each other the inner one has the longer path.
  const [caller] = callers.toSorted((one, other) => other.extensionPath.length - one.extensionPath.length);
  const name: unknown = caller?.packageJSON?.displayName;
  return (typeof name === 'string' && name) || caller?.id || vscode.l10n.t('another extension');
}
