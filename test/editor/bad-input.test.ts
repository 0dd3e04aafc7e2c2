import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { MidcourseApi, Session, TurnResult } from '../../src/api.ts';
import type { ModelServer } from '../model-server/index.ts';
import { approvalOf, configure, forgetModel, midcourse, serveModel, workspaceFolder } from './support.ts';

/** Each of these must end in words that help, keep what was typed, and leave the session usable. */
describe('what can be wrong with a model', () => {
  let api: MidcourseApi;
  let server: ModelServer;

  before(async () => {
    api = await midcourse();
    await configure('retry.attempts', 1);
  });
  beforeEach(async () => {
    server = await serveModel();
  });
  afterEach(() => forgetModel(server));
  after(() => configure('retry.attempts', undefined));

  it('an endpoint that nobody listens at', async () => {
    await configure('providers', { fake: { api: 'openai-chat', baseUrl: `http://127.0.0.1:${await freePort()}/v1` } });
    await failsInWords(/127\.0\.0\.1/, 'network');
  });

  it('a wrong key', async () => {
    server.settings.apiKey = 'right';
    const result = await failsInWords(/key/i, 'auth');
    assert.equal(result.error?.action, 'midcourse.setApiKey');
  });

  it('a web page instead of an answer', async () => {
    server.fallback = {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html><body>Sign in</body></html>',
    };
    await failsInWords(/web page|HTML/i, 'not_json');
  });

  it('a model that the server does not have', async () => {
    server.settings.models = ['another'];
    await failsInWords(/model/, 'model_not_found');
  });

  it('a model whose provider is not there', async () => {
    await configure('model', 'nowhere/model');
    await failsInWords(/nowhere\/model/, 'model_not_found');
  });

  async function failsInWords(words: RegExp, kind: string): Promise<TurnResult> {
    const session = await api.sessions.create();
    session.send('Keep these words');
    const result = await session.settled();
    assert.equal(result.exitReason, 'model_error');
    assert.equal(result.failed, true);
    assert.equal(result.error?.kind, kind, result.error?.message);
    assert.match(result.error?.message ?? '', words);
    assert.equal((await session.transcript())[0]?.displayText, 'Keep these words');
    await goesOn(session);
    return result;
  }

  /** The same session answers once the mistake is mended. */
  async function goesOn(session: Session): Promise<void> {
    await forgetModel(server);
    server = await serveModel();
    assert.equal(session.state, 'idle');
    server.script({ steps: [{ text: 'Here I am.' }] });
    session.send('And now?');
    const result = await session.settled();
    assert.equal(result.finalText, 'Here I am.', result.error?.message);
    assert.equal(server.requests.at(-1)?.invalid, undefined);
  }
});

describe('a folder that cannot be written', () => {
  let server: ModelServer;

  before(async () => {
    server = await serveModel();
  });
  after(() => forgetModel(server));

  it('fails the call in words and lets the model go on', async function () {
    if (process.getuid?.() === 0) this.skip(); // Nothing is read-only for root.
    const folder = join(workspaceFolder(), 'locked');
    await mkdir(folder);
    await chmod(folder, 0o555);
    server.script(
      { steps: [{ call: { name: 'write_file', input: { path: 'locked/new.txt', content: 'x' } } }] },
      { steps: [{ text: 'It is read-only.' }] },
    );
    const session = await (await midcourse()).sessions.create();
    session.send('Write there');
    const approval = await approvalOf(session);
    session.answer(approval.id, 'once');
    const result = await session.settled();
    assert.equal(result.finalText, 'It is read-only.');
    const row = (await session.transcript()).find((one) => one.role === 'tool');
    assert.equal(row?.status, 'error');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === 'object' && address);
  return address.port;
}
