import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { rootElementId, stringsElementId } from '../protocol/index.ts';

/** Where the bundled page is, below the extension's folder. */
const pageFolder = ['dist', 'webview'];

export function chatPageOptions(extension: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extension, ...pageFolder)] };
}

/** The chat's page. Its policy allows our own two files by nonce and nothing else; strings come as a table of their own. */
export function chatHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(18).toString('base64');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...pageFolder, name)).toString();
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    'img-src data: blob:',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" nonce="${nonce}" href="${escaped(file('main.css'))}">
<title>Midcourse</title>
</head>
<body>
<div id="${rootElementId}"></div>
${stringTable()}
<script type="module" nonce="${nonce}" src="${escaped(file('main.js'))}"></script>
</body>
</html>`;
}

/** A page that says why there is no chat; without scripts. */
export function failureHtml(message: string): string {
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>Midcourse</title>
</head>
<body><h3>${escaped(vscode.l10n.t('The chat cannot be opened'))}</h3><p>${escaped(message)}</p></body>
</html>`;
}

/** Data, not code: the policy does not concern it. A `<` inside could end the element. */
function stringTable(): string {
  const { bundle } = vscode.l10n;
  if (!bundle) return '';
  const json = JSON.stringify(bundle).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${stringsElementId}">${json}</script>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
