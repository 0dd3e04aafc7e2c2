import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ModelServer } from '../model-server/index.ts';
import { approvalOf, forgetModel, inState, midcourse, serveModel } from './support.ts';

describe('stop everything in the editor', () => {
  let server: ModelServer;

  before(async () => {
    server = await serveModel();
  });
  after(() => forgetModel(server));

  it('ends every turn and every background command of the window, and says how many', async () => {
    const api = await midcourse();
    // What other tests have left.
    await vscode.commands.executeCommand('midcourse.stopEverything');
    server.script(
      { steps: [{ call: { name: 'terminal', input: { command: 'sleep 7544', background: true } } }] },
      { steps: [{ text: 'It runs.' }] },
      { steps: [{ text: 'Half of ' }, { pause: true }] },
    );
    const served = await api.sessions.create();
    served.send('Start a server');
    served.answer((await approvalOf(served)).id, 'once');
    await served.settled();
    await inState(served, 'idle');
    const asked = server.requests.length;
    const writing = await api.sessions.create();
    writing.send('Write');
    await (await server.request(asked)).paused();

    const stopped = await vscode.commands.executeCommand('midcourse.stopEverything');

    assert.deepEqual(stopped, { turns: 1, agents: 0, commands: 1 });
    assert.equal((await writing.settled()).stoppedBy, 'user');
    assert.deepEqual(
      served.processes().map((process) => process.state),
      ['killed'],
    );
    assert.deepEqual(await vscode.commands.executeCommand('midcourse.stopEverything'), {
      turns: 0,
      agents: 0,
      commands: 0,
    });
  });
});
