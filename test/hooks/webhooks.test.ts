import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { HookRun } from '../../src/agent/hooks/index.ts';
import { Webhooks } from '../../src/agent/hooks/webhooks/index.ts';
import { callPayload, managerRig, never, payloadOf } from '../unit/hooks/manager-rig.ts';
import { WebhookServer } from './webhook-server.ts';

const ended = payloadOf('on_session_end', {
  completed: true,
  interrupted: false,
  failed: false,
  turn_exit_reason: 'answered',
});

describe('hooks: webhooks', () => {
  let server: WebhookServer;
  beforeEach(async () => {
    server = await WebhookServer.start();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  function open(entry: object = {}, of: { secret?: string; env?: NodeJS.ProcessEnv } = {}) {
    const rig = managerRig();
    const { manager: hooks, clock, log } = rig;
    const storedSecret = async () => of.secret;
    const webhooks = new Webhooks({ hooks, clock, log, env: of.env ?? {}, storedSecret });
    webhooks.configure([{ name: 'ops', url: server.url, events: ['on_session_end'], ...entry }]);
    const runs: HookRun[] = [];
    let told = () => {};
    hooks.onDidRun((run) => {
      runs.push(run);
      told();
    });
    /** Resolves when so many deliveries have become something. */
    const ran = async (count: number): Promise<readonly HookRun[]> => {
      while (runs.length < count) await new Promise<void>((resolve) => (told = resolve));
      return runs;
    };
    const fire = () => hooks.fire('on_session_end', ended, never);
    return { ...rig, webhooks, ran, fire };
  }

  it('32. signs the very bytes that it sends', async () => {
    const { fire } = open({}, { secret: 'k' });
    await fire();
    const [{ headers, body }] = (await server.has(1)) as [(typeof server.received)[0]];
    assert.equal(
      headers['x-midcourse-signature-256'],
      `sha256=${createHmac('sha256', 'k').update(body).digest('hex')}`,
    );
    assert.equal(headers['x-midcourse-event'], 'on_session_end');
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers['user-agent'] ?? '', /^Midcourse/);
  });

  it('32. sends no signature without a secret', async () => {
    const { fire } = open();
    await fire();
    const [received] = await server.has(1);
    assert.equal(received?.headers['x-midcourse-signature-256'], undefined);
  });

  it('33. sends it unsigned when the variable of the secret is not set, whatever is stored, and says so', async () => {
    const { fire, logged } = open({ secretEnv: 'HOOK_SECRET' }, { secret: 'stored' });
    await fire();
    const [received] = await server.has(1);
    assert.equal(received?.headers['x-midcourse-signature-256'], undefined);
    assert.match(logged.join('\n'), /HOOK_SECRET is not set.*not signed/);
  });

  it('33. signs with the variable’s value before a stored secret', async () => {
    const { fire } = open({ secretEnv: 'HOOK_SECRET' }, { secret: 'stored', env: { HOOK_SECRET: 'from env' } });
    await fire();
    const [{ headers, body }] = (await server.has(1)) as [(typeof server.received)[0]];
    const expected = createHmac('sha256', 'from env').update(body).digest('hex');
    assert.equal(headers['x-midcourse-signature-256'], `sha256=${expected}`);
  });

  it('34. tries once more after 500, a second later, with the same delivery id in header and body', async () => {
    server.answers = [500];
    const { fire, clock, ran } = open();
    await fire();
    await server.has(1);
    while (!clock.running().includes(1000)) await new Promise(setImmediate);
    clock.go(1000);
    const received = await server.has(2);
    const ids = received.flatMap(({ headers, body }) => [
      headers['x-midcourse-delivery'],
      JSON.parse(String(body)).delivery_id,
    ]);
    assert.equal(new Set(ids).size, 1);
    assert.match(String(ids[0]), /^[0-9a-f]{32}$/);
    const [run] = await ran(1);
    assert.deepEqual([run?.outcome, run?.stdout?.startsWith('HTTP 200')], ['ok', true]);
  });

  it('34. does not send again what was answered, although the answer does not end', async () => {
    const { fire, clock, ran } = open({ timeout: 1 });
    server.answers = [(response) => response.writeHead(200).write('.')];
    const head = Promise.withResolvers<void>();
    const seen = () => head.resolve();
    subscribe('http.client.response.finish', seen);
    await fire();
    await head.promise;
    unsubscribe('http.client.response.finish', seen);
    clock.go(1000);
    const [run] = await ran(1);
    assert.deepEqual([run?.outcome, server.received.length], ['ok', 1]);
  });

  it('34. gives up after the second attempt, and tells of it', async () => {
    server.answers = [503, 503];
    const { fire, clock, ran, problems } = open();
    await fire();
    await server.has(1);
    while (!clock.running().includes(1000)) await new Promise(setImmediate);
    clock.go(1000);
    const [run] = await ran(1);
    assert.equal(run?.outcome, 'failed');
    assert.match(problems[0]?.words ?? '', /ops.*HTTP 503 \(2 attempts\)/);
  });

  it('34. tries once more when nobody listens there, and when no answer comes in time', async () => {
    const { webhooks, fire, clock, ran } = open({ timeout: 1 });
    server.answers = [() => clock.go(1000)];
    await fire();
    await server.has(1);
    while (!clock.running().includes(1000)) await new Promise(setImmediate);
    clock.go(1000);
    assert.equal((await ran(1))[0]?.outcome, 'ok');
    webhooks.configure([{ name: 'nobody', url: 'http://127.0.0.1:9/', events: ['on_session_end'] }]);
    await fire();
    while (!clock.running().includes(1000)) await new Promise(setImmediate);
    clock.go(1000);
    assert.match((await ran(2))[1]?.problem ?? '', /ECONNREFUSED.*2 attempts/);
  });

  for (const status of [400, 404, 429]) {
    it(`does not try again after ${status}`, async () => {
      server.answers = [status];
      const { fire, ran, clock } = open();
      await fire();
      assert.match((await ran(1))[0]?.problem ?? '', new RegExp(`HTTP ${status}\\.$`));
      assert.deepEqual([server.received.length, clock.running()], [1, []]);
    });
  }

  it('does not follow a redirect, and does not try again', async () => {
    server.answers = [302];
    const { fire, ran, clock } = open();
    await fire();
    assert.match((await ran(1))[0]?.problem ?? '', /HTTP 302.*not followed/);
    assert.deepEqual([server.received.map(({ path }) => path), clock.running()], [['/hook'], []]);
  });

  it('37. drops the newest when 256 wait, counts it and says so, and keeps nobody waiting', async () => {
    let free = () => {};
    const { fire, webhooks, problems, ran } = open();
    server.answers = [(response) => (free = () => response.writeHead(200).end())];
    await fire();
    await server.has(1);
    for (let more = 0; more < 256 + 3; more++) await fire();
    assert.equal(webhooks.dropped, 3);
    await new Promise(setImmediate);
    assert.match(problems[0]?.message ?? '', /256 deliveries wait/);
    assert.equal(problems.length, 1);
    free();
    const runs = await ran(1 + 256 + 3);
    assert.equal(runs.filter(({ outcome }) => outcome === 'ok').length, 257);
    assert.equal(server.received.length, 257);
  });

  it('37. is never on the way of a turn: the event is over before anything is sent', async () => {
    server.answers = [() => {}];
    const { fire } = open();
    await fire();
    assert.equal(server.received.length, 0);
    await server.has(1);
  });

  it('38. sends what waits when the window closes, and takes nothing more', async () => {
    const { manager, fire, webhooks } = open();
    for (let turn = 0; turn < 5; turn++) await fire();
    await webhooks.close();
    assert.equal(server.received.length, 5);
    assert.equal(manager.has('on_session_end'), false);
  });

  it('38. gives up what has not been sent after five seconds', async () => {
    server.answers = [() => {}];
    const { fire, webhooks, clock, ran } = open({ timeout: 60 });
    await fire();
    await fire();
    await server.has(1);
    const closed = webhooks.close();
    while (!clock.running().includes(5000)) await new Promise(setImmediate);
    clock.go(5000);
    await closed;
    const runs = await ran(2);
    assert.deepEqual(
      runs.map(({ outcome }) => outcome),
      ['cancelled', 'cancelled'],
    );
    assert.equal(server.received.length, 1);
  });

  it('39. leaves out an address that is not of the web, with a warning; the others stay', () => {
    const { webhooks, logged } = open();
    webhooks.configure([
      { name: 'files', url: 'ftp://example.org/', events: ['on_session_end'] },
      { name: 'web', url: 'https://example.org/', events: ['on_session_end'] },
    ]);
    assert.deepEqual(
      webhooks.list().map(({ name }) => name),
      ['web'],
    );
    assert.match(logged.join('\n'), /files: it was left out.*https:/);
  });

  it('warns of an address that everyone on the way can read', () => {
    assert.match(open().logged.join('\n'), /ops: its address is http:\/\//);
  });

  it('is told of an event once, however often the same is written down or read', async () => {
    const { webhooks, manager, fire, ran, logged } = open();
    const entry = { name: 'ops', url: server.url, events: ['on_session_end', 'on_session_end'] };
    webhooks.configure([entry, { ...entry, name: 'again' }]);
    webhooks.configure([entry, { ...entry, name: 'again' }]);
    assert.equal(manager.list().length, 1);
    assert.match(logged.join('\n'), /again.*not sent twice/);
    await fire();
    await ran(1);
    assert.equal(server.received.length, 1);
  });

  it('keeps what it has to send when another webhook changes', async () => {
    const { webhooks, fire } = open();
    await fire();
    webhooks.configure([
      { name: 'ops', url: server.url, events: ['on_session_end'] },
      { name: 'new', url: 'https://example.org/', events: ['pre_tool_call'] },
    ]);
    await server.has(1);
  });

  it('sends the body of a command hook: tool, input and session apart, all else under extra', async () => {
    const { manager } = open({ events: ['pre_tool_call'] });
    await manager.fire('pre_tool_call', callPayload, never);
    await manager.fire(
      'pre_tool_call',
      { ...callPayload, session_id: '', parent_session_id: 'p', tool_input: [1] },
      never,
    );
    const [call, list] = (await server.has(2)).map(({ body }) => JSON.parse(String(body)));
    const { delivery_id, timestamp, extra, ...rest } = call;
    assert.deepEqual(rest, {
      hook_event_name: 'pre_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'ls', timeout: 5 },
      session_id: 's1',
      cwd: '/project',
    });
    assert.equal(extra.tool_call_id, 'c1');
    assert.ok(Date.parse(timestamp) > 0 && delivery_id);
    assert.deepEqual([list.tool_input, list.session_id], [null, 'p']);
  });

  it('matches the whole name of a tool, and drops a matcher where there is none', async () => {
    const { manager, ran, logged } = open({ events: ['pre_tool_call', 'on_session_end'], matcher: ' term|read_file ' });
    const call = (tool_name: string) => manager.fire('pre_tool_call', { ...callPayload, tool_name }, never);
    await Promise.all([call('terminal'), call('read_file'), manager.fire('on_session_end', ended, never)]);
    await ran(2);
    assert.deepEqual(
      server.received.map(({ body }) => JSON.parse(String(body)).tool_name),
      ['read_file', null],
    );
    assert.match(logged.join('\n'), /matcher does not count for on_session_end/);
  });

  it('does not take in an answer without an end', async () => {
    server.answers = [
      (response) => {
        const more = () => response.write('x'.repeat(10_000)) && setImmediate(more);
        response
          .writeHead(200)
          .on('drain', more)
          .on('error', () => undefined);
        more();
      },
    ];
    const { fire, ran } = open();
    await fire();
    assert.match((await ran(1))[0]?.stdout ?? '', /^HTTP 200/);
  });

  it('says what it cannot read of the setting', () => {
    const { webhooks, logged } = open();
    webhooks.configure([
      { name: 'a', url: server.url, events: ['onSessionEnd', 'on_session_end'], timeout: 600 },
      { name: 'b', url: server.url, events: ['pre_tool_call'], secret: 'plain' },
      7,
      { name: 'd', url: server.url, events: [] },
    ]);
    assert.deepEqual(
      webhooks.list().map(({ name, timeout, events }) => [name, timeout, events]),
      [['a', 60_000, ['on_session_end']]],
    );
    const words = logged.join('\n');
    for (const said of [
      /onSessionEnd; on_session_end is probably meant/,
      /60 s instead of 600/,
      /b:.*not kept in settings/,
      /no\. 3/,
      /d:.*no event/,
    ]) {
      assert.match(words, said);
    }
  });
});
