import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MidcourseApi } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { approvalOf, forgetModel, midcourse, serveModel } from '../support.ts';

describe('security: an approval that is answered by a command', () => {
  let api: MidcourseApi;
  let server: ModelServer;

  before(async () => {
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  after(() => forgetModel(server));

  for (const [number, what, command] of [
    ['A5y', 'has a danger', 'rm -rf build'],
    ['A4k', 'is too long for a line', `echo ${'x'.repeat(200)}; touch MARK; echo ${'y'.repeat(200)}`],
    ['A4l', 'has several lines', 'npm --version\n\n\ntouch MARK'],
  ] as const) {
    it(`${number}. a command that ${what} is decided in the chat, where all of it is shown`, async () => {
      server.script({ steps: [{ call: { name: 'terminal', input: { command } } }] }, { steps: [{ text: 'Done.' }] });
      const session = await api.sessions.create();
      session.send('Run it');
      const approval = await approvalOf(session);
      const answered = await vscode.commands.executeCommand('midcourse.approve', { sessionId: session.id });
      assert.equal(answered, false);
      assert.equal(session.state, 'waiting', 'nothing was allowed');
      assert.equal(session.answer(approval.id, 'deny'), true);
      await session.settled();
    });
  }
});
