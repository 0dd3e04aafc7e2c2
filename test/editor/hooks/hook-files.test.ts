import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { MidcourseApi } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { approvalOf, forgetModel, midcourse, serveModel, until, workspaceFolder } from '../support.ts';

interface Described {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly why?: string;
  readonly line?: number;
}

describe('hooks: files of the workspace', () => {
  let api: MidcourseApi;
  let server: ModelServer;
  const guard = '#!/bin/sh\necho "nobody touches $CLAUDE_PROJECT_DIR" >&2\nexit 2\n';

  const place = (name: string): string => join(workspaceFolder(), name);
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(place(name)), { recursive: true });
    await writeFile(place(name), text);
    if (name.endsWith('.sh')) await chmod(place(name), 0o755);
  };
  const hooks = async (): Promise<readonly Described[]> => {
    const all = await vscode.commands.executeCommand<readonly Described[]>('midcourse.refreshHooks');
    return all.filter(({ name }) => name.includes('guard.sh'));
  };
  const hook = async (): Promise<Described> => {
    const [found] = await hooks();
    assert.ok(found);
    return found;
  };
  const asksToTouch = (name: string): void =>
    server.script(
      { steps: [{ call: { name: 'terminal', input: { command: `touch ${name}` } } }] },
      { steps: [{ text: 'That is all.' }] },
    );
  /** The text that the review shows, while it asks. */
  const reviewed = (): Promise<string> =>
    until(() => {
      const texts = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'midcourse');
      return texts.map((document) => document.getText()).find((text) => text.includes('guard.sh'));
    });

  /** Gives the answer as soon as the question is there; nobody tells when it is. */
  const answered = async (review: Thenable<unknown>, command: string): Promise<unknown> => {
    let answer: { readonly of: unknown } | undefined;
    void review.then((of) => {
      answer = { of };
    });
    return (
      await until(async () => {
        await vscode.commands.executeCommand(command);
        return answer;
      })
    ).of;
  };

  before(async () => {
    api = await midcourse();
    server = await serveModel();
    await write('guard.sh', guard);
    const entry = { matcher: 'Bash', hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/guard.sh' }] };
    await write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [entry] } }, undefined, 2));
  });
  beforeEach(() => server.reset());
  after(async () => {
    for (const name of ['.claude', 'guard.sh', 'touched']) await rm(place(name), { recursive: true, force: true });
    await forgetModel(server);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('wait for consent when they appear, and do not run', async () => {
    const { state, line } = await hook();
    assert.equal(state, 'waiting');
    assert.equal(line, 7);
    asksToTouch('touched');
    const session = await api.sessions.create();
    session.send('Touch it');
    const approval = await approvalOf(session);
    session.answer(approval.id, 'deny');
    await session.settled();
  });

  it('F15. can be reviewed and allowed by a command, which shows the script and the version that is allowed', async () => {
    const { id } = await hook();
    const review = vscode.commands.executeCommand('midcourse.allowHook', { id });
    const text = await reviewed();
    assert.ok(text.includes(guard.trim()), text);
    assert.equal(await answered(review, 'workbench.action.closeQuickOpen'), false);
    const hash = /`([0-9a-f]{64})`/.exec(text)?.[1];
    assert.equal(await vscode.commands.executeCommand('midcourse.allowHook', { id, hash: '0'.repeat(64) }), false);
    assert.equal((await hook()).state, 'waiting');
    assert.equal(await vscode.commands.executeCommand('midcourse.allowHook', { id, hash }), true);
    assert.equal((await hook()).state, 'active');
  });

  it('run in a turn once they are allowed; the blocked call names the hook and its reason', async () => {
    asksToTouch('touched');
    const session = await api.sessions.create();
    session.send('Touch it');
    await session.settled();
    assert.equal(existsSync(place('touched')), false);
    const row = (await session.transcript()).find(({ role }) => role === 'tool');
    assert.match(row?.card?.blockedBy?.hook ?? '', /guard\.sh/, JSON.stringify(await session.transcript()));
    assert.equal(row?.card?.blockedBy?.reason, `nobody touches ${workspaceFolder()}`);
  });

  it('can be tried with a sample, outside of any turn', async () => {
    const { id } = await hook();
    const run = await vscode.commands.executeCommand<{ exitCode: number; decided: string }>('midcourse.runHook', {
      id,
    });
    assert.equal(run.exitCode, 2);
    assert.match(run.decided, /^blocked: nobody touches/);
  });

  it('are seen in their view', async () => {
    await vscode.commands.executeCommand('midcourse.manageHooks');
    await vscode.commands.executeCommand('midcourse.groupHooksBySource');
    await vscode.commands.executeCommand('midcourse.groupHooksByEvent');
  });

  it('do not run any more when their script changes, until they are allowed again', async () => {
    await write('guard.sh', guard.replace('exit 2', 'exit 0'));
    asksToTouch('touched');
    const session = await api.sessions.create();
    session.send('Touch it');
    const approval = await approvalOf(session);
    session.answer(approval.id, 'deny');
    await session.settled();
    const { id, state } = await hook();
    assert.equal(state, 'changed');
    const review = vscode.commands.executeCommand('midcourse.allowHook', { id });
    await until(() => vscode.window.tabGroups.activeTabGroup.activeTab?.label.includes('changed since you allowed it'));
    const shown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(shown instanceof vscode.TabInputTextDiff);
    // The question lies over the first lines, so that nothing of the script may be there.
    for (const uri of [shown.original, shown.modified]) {
      assert.match((await vscode.workspace.openTextDocument(uri)).getText(), /^\n{4}#!/);
    }
    assert.equal(await answered(review, 'workbench.action.acceptSelectedQuickOpenItem'), true);
    assert.equal((await hook()).state, 'active');
  });

  it('wait again when their consent is revoked, and are gone with their file', async () => {
    const { id } = await hook();
    assert.equal(await vscode.commands.executeCommand('midcourse.revokeHook', { id }), true);
    assert.equal((await hook()).state, 'waiting');
    await rm(place('.claude'), { recursive: true });
    assert.deepEqual(await hooks(), []);
    assert.match(await readFile(place('guard.sh'), 'utf8'), /exit 0/);
  });
});
