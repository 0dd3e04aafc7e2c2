import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable, HookPayload, MidcourseApi } from '../../../src/api.ts';
import { WebhookServer } from '../../hooks/webhook-server.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { configure, forgetModel, midcourse, serveModel, until } from '../support.ts';

describe('hooks: other extensions and webhooks', () => {
  let api: MidcourseApi;
  let server: ModelServer;
  const registered: Disposable[] = [];

  before(async () => {
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  afterEach(() => {
    for (const registration of registered.splice(0)) registration.dispose();
  });
  after(async () => {
    await configure('webhooks', undefined);
    await configure('hooks.enabled', undefined);
    await forgetModel(server);
  });

  const lists = () =>
    server.script({ steps: [{ call: { name: 'list_files', input: {} } }] }, { steps: [{ text: 'That is all.' }] });
  const turn = async () => {
    const session = await api.sessions.create();
    session.send('Go');
    const result = await session.settled();
    const transcript = await session.transcript();
    const statuses = transcript.flatMap(({ status }) => status ?? []);
    return { session, result, statuses };
  };

  it('a hook of another extension refuses a call, and is told what became of it', async () => {
    const results: HookPayload<'post_tool_call'>[] = [];
    registered.push(api.hooks.on('pre_tool_call', () => ({ block: 'not on Fridays' })));
    registered.push(api.hooks.on('post_tool_call', (payload) => void results.push(payload)));
    lists();
    const { session, result, statuses } = await turn();
    assert.deepEqual([result.finalText, statuses], ['That is all.', ['blocked']]);
    assert.deepEqual(
      results.map(({ session_id, status, platform }) => [session_id, status, platform]),
      [[session.id, 'blocked', 'vscode']],
    );
  });

  it('no hook runs while hooks are switched off', async () => {
    registered.push(api.hooks.on('pre_tool_call', () => ({ block: 'never' })));
    await configure('hooks.enabled', false);
    lists();
    assert.deepEqual((await turn()).statuses, ['success']);
    await configure('hooks.enabled', undefined);
    lists();
    assert.deepEqual((await turn()).statuses, ['blocked']);
  });

  it('a webhook of the settings is sent what happens, signed with the secret that is kept for it', async () => {
    await using hooked = await WebhookServer.start();
    await configure('webhooks', [{ name: 'ops', url: hooked.url, events: ['on_session_end'] }]);
    const stored = await vscode.commands.executeCommand('midcourse.setWebhookSecret', { name: 'ops', secret: 'k' });
    assert.equal(stored, true);
    server.script({ steps: [{ text: 'Done.' }] });
    const { session } = await turn();
    const [{ body, headers } = assert.fail()] = await hooked.has(1);
    const { hook_event_name, session_id, extra } = JSON.parse(String(body));
    assert.deepEqual([hook_event_name, session_id, extra.completed], ['on_session_end', session.id, true]);
    const signature = createHmac('sha256', 'k').update(body).digest('hex');
    assert.equal(headers['x-midcourse-signature-256'], `sha256=${signature}`);

    await configure('webhooks', []);
    server.script({ steps: [{ text: 'Done.' }] });
    await turn();
    assert.equal(hooked.received.length, 1);
  });

  it('a webhook that fails costs the turn nothing, and is listed with the hooks', async () => {
    await using hooked = await WebhookServer.start();
    hooked.answers = [404];
    await configure('webhooks', [{ name: 'gone', url: hooked.url, events: ['on_session_end'] }]);
    server.script({ steps: [{ text: 'Done.' }] });
    assert.equal((await turn()).result.completed, true);
    await hooked.has(1);
    const described = await until(async () => {
      const all = await vscode.commands.executeCommand<readonly { readonly name: string }[]>('midcourse.refreshHooks');
      return all.find(({ name }) => name === 'gone');
    });
    assert.ok(described);
  });
});
