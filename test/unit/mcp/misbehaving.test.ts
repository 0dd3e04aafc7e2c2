import assert from 'node:assert/strict';
import { isRunning as isAlive } from '../turn/is-running.ts';
import { fixture, ServersRig } from './server-rig.ts';

describe('MCP servers that misbehave', () => {
  let rig: ServersRig;

  beforeEach(() => {
    rig = new ServersRig();
  });
  afterEach(() => rig.close());

  it('B188: one that ends at its start is shown with its last words, and the others work', async () => {
    await rig.start({ dead: fixture('crash-at-start'), good: fixture('talkative') });
    const { state } = rig.server('dead');
    assert.ok(state.is === 'failed');
    assert.match(state.why, /exit code 1[\s\S]*no database here/);
    assert.equal((await rig.call('good', 'repeated')).text, '{"answer": 42}');
  });

  it('B188: one that ends in a call answers it with an error and its last words, even while its child holds the pipe', async () => {
    await rig.start({ crashing: fixture('crash-in-call') });
    await assert.rejects(rig.call('crashing', 'work'), /has ended[\s\S]*exit code 1[\s\S]*out of paper/);
    assert.equal(rig.state('crashing'), 'failed');
  });

  it('one that ended is started again by the next call, and offers its tools meanwhile', async () => {
    await rig.start({ crashing: fixture('crash-in-call') });
    const before = await rig.call('crashing', 'quick');
    await assert.rejects(rig.call('crashing', 'work'));
    assert.deepEqual(rig.toolNames(), ['mcp__crashing__quick', 'mcp__crashing__work']);
    const after = await rig.call('crashing', 'quick');
    assert.match(after.text, /^pid \d+$/);
    assert.notEqual(after.text, before.text);
  });

  it('one that fails again and again is tried after growing pauses, and after five times only by the user', async () => {
    await rig.start({ dead: fixture('crash-at-start') });
    const attempt = () => rig.call('dead', 'work').then(String, (error: Error) => error.message);
    // The first restart is due at once.
    assert.match(await attempt(), /could not be started/);
    assert.match(await attempt(), /tried again in 1 s/);
    for (const pause of [1_000, 5_000, 20_000]) {
      rig.now += pause - 1;
      assert.match(await attempt(), /tried again in/);
      rig.now += 1;
      assert.match(await attempt(), /could not be started/);
    }
    rig.now += 86_400_000;
    assert.match(await attempt(), /not tried again by itself/);
    await assert.rejects(rig.server('dead').start('user'), /could not be started/);
  });

  it('B188: junk on its output is tolerated and logged', async () => {
    await rig.start({ junk: fixture('junk') });
    assert.equal((await rig.call('junk', 'work')).text, 'clean');
    assert.match(rig.server('junk').log, /Welcome to the server![\s\S]*\{"half":[\s\S]*working…/);
  });

  it('one that never lists its tools has failed when its time is over', async () => {
    await rig.close();
    rig = new ServersRig({ limits: { start: 300, ping: 100 } });
    await rig.start({ silent: fixture('hang-list') });
    const { state } = rig.server('silent');
    assert.ok(state.is === 'failed');
    assert.match(state.why, /did not finish its start/);
  });

  it('B187: a call that is never answered ends at its time limit, and the server is told', async () => {
    await rig.start({ hanging: fixture('hang', { timeout: 200 }) });
    await assert.rejects(rig.call('hanging', 'work'), /did not answer within/);
    await rig.said('hanging', 'told notifications/cancelled');
    assert.equal((await rig.call('hanging', 'quick')).text, 'quick answer');
    assert.equal(rig.state('hanging'), 'running');
  });

  it('B187: a call is over in the moment it is stopped; the server is told which one, and goes on to work', async () => {
    await rig.start({ hanging: fixture('hang') });
    const controller = new AbortController();
    const call = rig.call('hanging', 'work', controller.signal);
    await rig.said('hanging', 'called work as ');
    const id = /called work as (\d+)/.exec(rig.server('hanging').log)?.[1];
    controller.abort(new Error('stop'));
    await assert.rejects(call, /stop/);
    await rig.said('hanging', `told notifications/cancelled {"requestId":${id}`);
    assert.equal((await rig.call('hanging', 'quick')).text, 'quick answer');
  });

  it('a call that was answered is not cancelled when its signal aborts later', async () => {
    await rig.start({ hanging: fixture('hang') });
    const controller = new AbortController();
    await rig.call('hanging', 'quick', controller.signal);
    controller.abort();
    await rig.call('hanging', 'quick');
    assert.doesNotMatch(rig.server('hanging').log, /cancelled/);
  });

  it('a long answer is cut with words, a monstrous one ends the server and is an error', async () => {
    await rig.start({ huge: fixture('huge') });
    const { text } = await rig.call('huge', 'large');
    assert.ok(text.length < 51_000);
    assert.match(text, /^begin x[\s\S]*characters left out[\s\S]*x end$/);
    await assert.rejects(rig.call('huge', 'monstrous'), /a message of more than 10 MB/);
  });

  it('a server that says without end that its tools have changed is asked for them now and then', async () => {
    await rig.start({ flooding: fixture('list-flood') });
    await rig.call('flooding', 'flood');
    const lists = Number((await rig.call('flooding', 'lists')).text);
    assert.ok(lists <= 3, String(lists));
    // Half a character is nothing that a request can carry.
    assert.ok(rig.server('flooding').tools.every(({ description }) => description.isWellFormed()));
  });

  it('a tool that the server adds is offered as soon as it says so', async () => {
    await rig.start({ growing: fixture('list-changed') });
    assert.deepEqual(rig.toolNames(), ['mcp__growing__grow']);
    await rig.call('growing', 'grow');
    await rig.until(() => rig.toolNames().length === 2);
    assert.deepEqual(rig.toolNames(), ['mcp__growing__grow', 'mcp__growing__grown1']);
    assert.equal((await rig.call('growing', 'grown1')).text, 'grown1 done');
  });

  it('is ended with all that it started, also what detached itself, and gets no keys', async () => {
    process.env.ANTHROPIC_API_KEY = 'secret';
    try {
      await rig.start({ tree: fixture('tree', { env: { OWN: 'yes' } }) });
      const { server, child, env } = JSON.parse((await rig.call('tree', 'work')).text.replaceAll('\n', ''));
      assert.equal(env.ANTHROPIC_API_KEY, undefined);
      assert.equal(env.OWN, 'yes');
      assert.ok(isAlive(server) && isAlive(child));
      await rig.server('tree').stop();
      assert.deepEqual([isAlive(server), isAlive(child)], [false, false]);
    } finally {
      delete process.env.ANTHROPIC_API_KEY;
    }
  });

  it('a program that is not there is a failure in words', async () => {
    await rig.start({ missing: { command: 'no-such-program-here' } });
    const { state } = rig.server('missing');
    assert.ok(state.is === 'failed');
    assert.match(state.why, /no-such-program-here was not found/);
  });

  it('a server that the user stopped has no tools, and only the user starts it again', async () => {
    await rig.start({ growing: fixture('list-changed') });
    await rig.server('growing').stop();
    assert.deepEqual(rig.toolNames(), []);
    await rig.servers.startAllowed();
    assert.equal(rig.state('growing'), 'stopped');
    await assert.rejects(rig.call('growing', 'grow'), /stopped by the user/);
    await rig.server('growing').start('user');
    assert.deepEqual(rig.toolNames(), ['mcp__growing__grow']);
  });
});
