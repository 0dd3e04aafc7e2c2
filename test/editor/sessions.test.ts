import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MidcourseApi } from '../../src/api.ts';
import type { ConnectionReport } from '../../src/editor/connection-test.ts';
import type { ModelServer } from '../model-server/index.ts';
import { approvalOf, forgetModel, inState, midcourse, serveModel, workspaceFolder } from './support.ts';

for (const wire of ['openai-chat', 'anthropic'] as const) {
  describe(`a session over the extension API (${wire})`, () => {
    let api: MidcourseApi;
    let server: ModelServer;

    before(async () => {
      api = await midcourse();
      server = await serveModel(wire);
    });
    beforeEach(() => server.reset());
    after(() => forgetModel(server));

    it('answers, keeps the transcript and lists the session by its first words', async () => {
      server.script({ steps: [{ text: 'Hello ' }, { text: 'there.' }] });
      const session = await api.sessions.create();
      const receipt = session.send('Greet me, please');
      assert.equal(receipt.outcome, 'started');
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.finalText, 'Hello there.');
      const rows = await session.transcript();
      assert.deepEqual(
        rows.map((row) => [row.role, row.displayText]),
        [
          ['user', 'Greet me, please'],
          ['assistant', 'Hello there.'],
        ],
      );
      const listed = (await api.sessions.list()).find(({ id }) => id === session.id);
      assert.match(listed?.title ?? '', /Greet me/);
      const hits = await api.sessions.search('Greet');
      assert.ok(hits.some((hit) => hit.sessionId === session.id));
    });

    it('asks before it writes, writes after the answer, and reads the file for free', async () => {
      const path = `made-${wire}.txt`;
      server.script(
        { steps: [{ call: { name: 'write_file', input: { path, content: 'made\n' } } }] },
        { steps: [{ text: 'Done.' }] },
      );
      const session = await api.sessions.create();
      session.send('Make a file');
      const approval = await approvalOf(session);
      assert.equal(existsSync(join(workspaceFolder(), path)), false);
      assert.equal(session.state, 'waiting');
      assert.equal(session.answer(approval.id, 'once'), true);
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      assert.equal(await readFile(join(workspaceFolder(), path), 'utf8'), 'made\n');
      assert.equal(server.requests.at(-1)?.invalid, undefined);
    });

    it('runs nothing that was denied, and tells the model why', async () => {
      server.script(
        { steps: [{ call: { name: 'terminal', input: { command: 'touch denied.txt' } } }] },
        { steps: [{ text: 'I did not.' }] },
      );
      const session = await api.sessions.create();
      session.send('Touch a file');
      const approval = await approvalOf(session);
      assert.match(approval.command ?? '', /touch denied\.txt/);
      session.answer(approval.id, 'deny', 'not in this folder');
      await session.settled();
      assert.equal(existsSync(join(workspaceFolder(), 'denied.txt')), false);
      assert.match(JSON.stringify(server.requests.at(-1)?.body), /not in this folder/);
    });

    it('stops in the middle of a text: the socket closes, the text is kept, the next request is legal', async () => {
      server.script({ steps: [{ text: 'Half a ' }, { pause: true }, { text: 'never' }] });
      const session = await api.sessions.create();
      session.send('Write something long');
      const request = await server.nextRequest();
      await request.paused();
      await new Promise<void>((resolve) => {
        const subscription = session.onDidEmit((event) => {
          if (event.type === 'delta') {
            subscription.dispose();
            resolve();
          }
        });
        if (session.events(0).some((event) => event.type === 'delta')) resolve();
      });
      assert.equal(session.stop().outcome, 'stopping');
      const result = await session.settled();
      assert.equal(result.exitReason, 'interrupted_by_user');
      assert.equal((await request.closed).by, 'client');
      assert.equal(session.state, 'idle');
      server.script({ steps: [{ text: 'Fine.' }] });
      session.send('Go on differently');
      assert.equal((await session.settled()).exitReason, 'answered');
      const next = server.requests.at(-1);
      assert.equal(next?.invalid, undefined);
      assert.match(JSON.stringify(next?.body), /Half a/);
    });

    it('delivers a steer after the running tool, as a user message of its own', async () => {
      server.script(
        { steps: [{ call: { name: 'read_file', input: { path: 'package.json' } } }, { pause: 'call' }] },
        { steps: [{ text: 'As you wish.' }] },
      );
      const session = await api.sessions.create();
      session.send('Read the manifest');
      const request = await server.nextRequest();
      await request.paused('call');
      const receipt = session.steer('and look at the name');
      assert.equal(receipt.outcome, 'steering');
      request.release('call');
      await session.settled();
      const item = session.item(receipt.id);
      assert.equal(item?.state.is, 'delivered');
      const rows = await session.transcript();
      assert.deepEqual(
        rows.map((row) => row.kind),
        ['message', 'text', 'tool_result', 'steer', 'text'],
      );
      assert.equal(server.requests.at(-1)?.invalid, undefined);
    });

    it('redirects in the middle of a text within the same turn, and queues for a turn of its own', async () => {
      server.script(
        { steps: [{ text: 'Wrong ' }, { pause: true }] },
        { steps: [{ text: 'Right.' }] },
        { steps: [{ text: 'Later.' }] },
      );
      const session = await api.sessions.create();
      session.send('Tell me');
      const request = await server.nextRequest();
      await request.paused();
      const queued = session.queue('And then this');
      assert.equal(queued.outcome, 'queued');
      const redirected = session.redirect('No, the other way');
      assert.equal(redirected.outcome, 'redirecting');
      const first = await session.settled(redirected.turnId);
      assert.equal(first.finalText, 'Right.');
      assert.equal((await request.closed).by, 'client');
      await inState(session, 'idle');
      const last = await session.settled();
      assert.equal(last.finalText, 'Later.');
      assert.notEqual(last.turnId, first.turnId);
    });

    it('exports what was said', async () => {
      server.script({ steps: [{ text: 'Exported answer.' }] });
      const session = await api.sessions.create({ title: 'To export' });
      session.send('Say something');
      await session.settled();
      assert.match(await session.export('markdown'), /# To export[\s\S]*Exported answer\./);
      assert.equal(JSON.parse(await session.export('json')).session.title, 'To export');
    });
  });
}

describe('hooks and tools of other extensions', () => {
  let api: MidcourseApi;
  let server: ModelServer;

  before(async () => {
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  after(() => forgetModel(server));

  it('calls a registered read-only tool without asking', async () => {
    const registration = api.tools.register({
      name: 'weather',
      description: 'Tells the weather.',
      inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
      readOnly: true,
      invoke: async (input) => `Sunny in ${(input as { place: string }).place}`,
    });
    server.script(
      { steps: [{ call: { name: 'weather', input: { place: 'Bern' } } }] },
      { steps: [{ text: 'It is sunny.' }] },
    );
    const session = await api.sessions.create();
    session.send('How is the weather?');
    await session.settled();
    registration.dispose();
    assert.match(JSON.stringify(server.requests.at(-1)?.body), /Sunny in Bern/);
  });

  it('tells a hook of a stop exactly once, after the turn has ended', async () => {
    const seen: Readonly<Record<string, unknown>>[] = [];
    const registration = api.hooks.on('agent_loop_stopped', (payload) => void seen.push(payload));
    server.script({ steps: [{ text: 'Working' }, { pause: true }] });
    const session = await api.sessions.create();
    session.send('Work');
    await (await server.nextRequest()).paused();
    session.stop({ reason: 'api' });
    await session.settled();
    registration.dispose();
    assert.equal(seen.length, 1);
    assert.equal(seen[0]?.reason, 'user_stop');
  });

  it('survives a hook that throws', async () => {
    const registration = api.hooks.on('pre_llm_call', () => {
      throw new Error('broken hook');
    });
    server.script({ steps: [{ text: 'Still here.' }] });
    const session = await api.sessions.create();
    session.send('Hello');
    assert.equal((await session.settled()).finalText, 'Still here.');
    registration.dispose();
  });

  it('lets a hook refuse a prompt', async () => {
    const registration = api.hooks.on('pre_llm_call', () => ({ block: 'not today' }));
    const session = await api.sessions.create();
    const before = server.requests.length;
    session.send('Hello');
    await inState(session, 'idle');
    registration.dispose();
    assert.equal(server.requests.length, before);
  });
});

describe('commands as scripts use them', () => {
  let server: ModelServer;

  before(async () => {
    await midcourse();
    server = await serveModel();
  });
  after(() => forgetModel(server));

  it('sends, stops, renames, exports and deletes with arguments alone', async () => {
    server.script({ steps: [{ text: 'One ' }, { pause: true }] });
    const run = (name: string, argument?: unknown) => vscode.commands.executeCommand(`midcourse.${name}`, argument);
    const sessionId = (await run('newSession', { title: 'By command' })) as string;
    const receipt = (await run('send', { text: 'Count', id: 'item-1' })) as { outcome: string; id: string };
    assert.equal(receipt.outcome, 'started');
    assert.equal(receipt.id, 'item-1');
    await (await server.nextRequest()).paused();
    const queued = (await run('queue', { text: 'next', sessionId })) as { outcome: string; id: string };
    assert.equal(queued.outcome, 'queued');
    const withdrawn = (await run('withdrawItem', { itemId: queued.id })) as { outcome: string };
    assert.equal(withdrawn.outcome, 'changed');
    const stopped = (await run('stop')) as { outcome: string };
    assert.equal(stopped.outcome, 'stopping');
    const session = await (await midcourse()).sessions.open(sessionId);
    assert.equal((await session.settled()).stoppedBy, 'user');
    await run('renameSession', { title: 'Renamed' });
    assert.equal(session.title, 'Renamed');
    const path = join(workspaceFolder(), 'exported.md');
    await run('exportSession', { format: 'markdown', path });
    assert.match(await readFile(path, 'utf8'), /# Renamed/);
    assert.equal(await run('deleteSession', { sessionId, confirmed: true }), true);
    const listed = await (await midcourse()).sessions.list();
    assert.equal(
      listed.some(({ id }) => id === sessionId),
      false,
    );
  });

  it('refuses an argument that does not fit, in words', async () => {
    await assert.rejects(
      Promise.resolve(vscode.commands.executeCommand('midcourse.send', { words: 1 })),
      /does not fit/,
    );
  });

  it('tells what a real request to the model found out, and why one failed', async () => {
    server.fallback = { steps: [{ text: 'ready' }, { call: { name: 'report_ready', input: { ready: true } } }] };
    const good = await vscode.commands.executeCommand<ConnectionReport>('midcourse.testConnection');
    assert.equal(good.ok, true, good.message);
    assert.deepEqual(
      [good.api, good.streams, good.callsTools, good.windowFrom],
      ['openai-chat', true, true, 'unknown'],
    );
    assert.match(good.message, /API: openai-chat at 127\.0\.0\.1\. It calls tools\. Tokens: \d+ read/);
    server.fallback = { steps: [{ text: 'I cannot.' }] };
    const toolless = await vscode.commands.executeCommand<ConnectionReport>('midcourse.testConnection');
    assert.deepEqual([toolless.ok, toolless.callsTools], [true, false]);
    assert.match(toolless.message, /did not call the tool/);
    server.fallback = { status: 401, body: { error: { message: 'Incorrect API key', type: 'invalid_request_error' } } };
    const bad = await vscode.commands.executeCommand<ConnectionReport>('midcourse.testConnection');
    assert.equal(bad.ok, false);
    assert.equal(bad.action, 'midcourse.setApiKey');
  });
});
