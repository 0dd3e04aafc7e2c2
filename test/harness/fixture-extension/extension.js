import * as vscode from 'vscode';

export function activate(context) {
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('midcourse.chat', {
      resolveWebviewView(view) {
        view.webview.options = { enableScripts: true };
        view.webview.html = `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-abc'"></head>
          <body><textarea data-testid="composer"></textarea><p style="color:red">x</p><script nonce="abc">
          document.querySelector('textarea').addEventListener('keydown', e => { if (e.key==='Enter') { document.body.append('sent: '+e.target.value); } if (e.key==='!') throw new Error('boom'); });
          </script></body></html>`;
      },
    }),
    vscode.commands.registerCommand('midcourse.focusChat', () =>
      vscode.commands.executeCommand('midcourse.chat.focus'),
    ),
  );
}
