import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { terminalEnv } from '../../src/editor/terminal-env.ts';

const { Global, Workspace } = vscode.ConfigurationTarget;

describe('the environment of the editor’s terminals', () => {
  const env = () => vscode.workspace.getConfiguration('terminal.integrated.env');
  afterEach(async () => {
    for (const target of [Global, Workspace]) await env().update('linux', undefined, target);
  });

  it('I2b. is that of commands: of the user and of the workspace, filled in, with what is taken away', async () => {
    await env().update('linux', { OWN: `$\{env:HOME}/x`, GONE: null, BOTH: 'user', PATH: '/own/bin' }, Global);
    await env().update(
      'linux',
      { OF_WORKSPACE: `$\{workspaceFolder}`, BOTH: 'workspace', ODD: `$\{command:x}` },
      Workspace,
    );
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.deepEqual(terminalEnv().set, {
      OWN: `${process.env.HOME}/x`,
      GONE: null,
      BOTH: 'workspace',
      PATH: '/own/bin',
      OF_WORKSPACE: folder,
    });
  });

  it('I2c. takes no variable of a workspace by which every command would load or start something', async () => {
    await env().update('linux', { LD_PRELOAD: '/own.so' }, Global);
    await env().update(
      'linux',
      { LD_PRELOAD: './evil.so', PATH: './bin', NODE_OPTIONS: '--require ./evil.js', FINE: '1' },
      Workspace,
    );
    const { set, leftOut } = terminalEnv();
    assert.deepEqual(set, { LD_PRELOAD: '/own.so', FINE: '1' });
    assert.deepEqual([...leftOut].sort(), ['LD_PRELOAD', 'NODE_OPTIONS', 'PATH']);
  });
});
