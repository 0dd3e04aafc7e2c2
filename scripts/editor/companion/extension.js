'use strict';

const net = require('node:net');
const readline = require('node:readline');
const vscode = require('vscode');

/**
 * MIDCOURSE_OPEN: a command to run when a window has started (npm start: the chat).
 * MIDCOURSE_COMPANION: a socket at which a test waits for the windows it has opened. Each line there is
 * `{ id, source, argument }`: a function of (vscode, argument, require), to be called here, in the extension host.
 */
exports.activate = async (context) => {
  const socketPath = process.env.MIDCOURSE_COMPANION;
  if (socketPath) context.subscriptions.push(listenTo(socketPath));
  const command = process.env.MIDCOURSE_OPEN;
  if (command) await vscode.commands.executeCommand(command);
};

function listenTo(socketPath) {
  const socket = net.connect(socketPath);
  const write = (message) => socket.write(`${JSON.stringify(message)}\n`);
  socket.on('error', (error) => console.error('companion:', error.message));
  socket.once('connect', () =>
    write({ hello: { folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath, pid: process.pid } }),
  );
  readline.createInterface({ input: socket }).on('line', async (line) => {
    const { id, source, argument } = JSON.parse(line);
    try {
      const call = new Function(`return (${source});`)();
      write({ id, value: await call(vscode, argument, require) });
    } catch (error) {
      write({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  return { dispose: () => socket.destroy() };
}
