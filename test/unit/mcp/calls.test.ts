// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such a variable is filled in by the server
import assert from 'node:assert/strict';
import { readServersFile } from '../../../src/agent/mcp/index.ts';
import { fixture, ServersRig } from './server-rig.ts';

describe('calls of MCP servers', () => {
  let rig: ServersRig;

  beforeEach(() => {
    rig = new ServersRig();
  });
  afterEach(() => rig.close());

  const both = async (server: string) => {
    const answers = await Promise.all([rig.call(server, 'one'), rig.call(server, 'two')]);
    return answers.map(({ text }) => text);
  };

  it('run one after the other, also where the server says that they only read', async () => {
    await rig.start({ slow: fixture('slow') });
    assert.deepEqual(await both('slow'), ['one: at most 1 at once', 'two: at most 1 at once']);
  });

  it('overlap where the definition says that they may', async () => {
    await rig.start({ slow: fixture('slow', { parallel: true }) });
    assert.match((await both('slow')).join(), /at most 2 at once/);
  });

  it('overlap where the user says so for the server', async () => {
    rig.parallel.add('slow');
    await rig.start({ slow: fixture('slow') });
    assert.match((await both('slow')).join(), /at most 2 at once/);
  });

  it('end while they wait for another one, without being sent', async () => {
    await rig.start({ hanging: fixture('hang') });
    const first = new AbortController();
    const second = new AbortController();
    const hanging = rig.call('hanging', 'work', first.signal);
    await rig.said('hanging', 'called work');
    const waiting = rig.call('hanging', 'quick', second.signal);
    second.abort(new Error('second'));
    await assert.rejects(waiting, /second/);
    first.abort(new Error('first'));
    await assert.rejects(hanging, /first/);
    assert.equal((await rig.call('hanging', 'quick')).text, 'quick answer');
    assert.equal(rig.server('hanging').log.match(/called quick/g)?.length, 1);
  });

  it('G2d. are kept alive by a server that tells how far they are, and by no other', async () => {
    await rig.start({ progressing: fixture('progressing', { timeout: 1_500 }) });
    assert.equal((await rig.call('progressing', 'told')).text, 'told is through');
    await assert.rejects(rig.call('progressing', 'quiet'), /did not answer within/);
  });

  it('answer with the text of all that is text, and say what else there was', async () => {
    await rig.start({ talkative: fixture('talkative') });
    const { text, structured } = await rig.call('talkative', 'everything');
    assert.match(text, /^words\n\[image, image\/png, 3 KB: not shown to you\]\n\[resource file:\/\/\/a\.txt\]\ninside/);
    assert.match(text, /\[resource file:\/\/\/b\.bin, application\/zip, 3 bytes: not shown to you\]/);
    assert.match(text, /\[link to c: https:\/\/example\.com\/c\] further/);
    assert.match(text, /kind that is not known: \{"type":"hologram","depth":3\}/);
    assert.match(text, /\{"answer":42\}$/);
    assert.deepEqual(structured, { answer: 42 });
  });

  it('give structured content once when the server gave it as text too', async () => {
    await rig.start({ talkative: fixture('talkative') });
    assert.equal((await rig.call('talkative', 'repeated')).text, '{"answer": 42}');
  });

  it('tell that the tool failed', async () => {
    await rig.start({ talkative: fixture('talkative') });
    assert.deepEqual(await rig.call('talkative', 'failing'), { text: 'that went wrong', isError: true });
  });

  it('of a tool or a server that is not there say what there is', async () => {
    await rig.start({ talkative: fixture('talkative') });
    await assert.rejects(rig.call('talkative', 'nothing'), /has no tool "nothing". Nothing was run/);
    await assert.rejects(rig.call('nobody', 'nothing'), /no MCP server "nobody". There are: talkative/);
  });

  it('start a server that may run and does not run yet', async () => {
    rig.declare({ talkative: fixture('talkative') });
    assert.equal(rig.state('talkative'), 'stopped');
    assert.equal((await rig.call('talkative', 'repeated')).text, '{"answer": 42}');
  });

  it('find the server of a plugin by its name there', async () => {
    rig.declare({ plugin_review_tools: fixture('talkative') });
    assert.equal((await rig.call('plugin:review:tools', 'repeated')).text, '{"answer": 42}');
  });
});

describe('which MCP servers run', () => {
  it('one that may not run is held with the reason, starts no process, and offers nothing', async () => {
    const rig = new ServersRig({ mayRun: async () => ({ is: 'waiting' }) });
    await rig.start({ tree: fixture('tree') });
    assert.deepEqual([rig.state('tree'), rig.server('tree').pid, rig.toolNames()], ['held', undefined, []]);
    await assert.rejects(rig.call('tree', 'work'), /has not allowed it yet/);
    await rig.close();
  });

  it('one that may not run any more is ended when it is looked at again', async () => {
    let allowed = true;
    const rig = new ServersRig({ mayRun: async () => (allowed ? { is: 'active' } : { is: 'changed', changed: [] }) });
    await rig.start({ growing: fixture('list-changed') });
    assert.equal(rig.state('growing'), 'running');
    allowed = false;
    await rig.servers.review();
    assert.deepEqual([rig.state('growing'), rig.server('growing').pid, rig.toolNames()], ['held', undefined, []]);
    allowed = true;
    await rig.servers.startAllowed();
    assert.equal(rig.state('growing'), 'running');
    await rig.close();
  });

  it('one that changes while the user enters a value for it does not start', async () => {
    let allowed = true;
    const rig = new ServersRig({
      mayRun: async () => (allowed ? { is: 'active' } : { is: 'changed', changed: [] }),
      variables: () => ({
        env: process.env,
        own: {},
        home: '/',
        folder: undefined,
        input: async () => {
          allowed = false;
          return 'entered';
        },
      }),
    });
    const env = { KEY: `\${input:key}` };
    const text = JSON.stringify({
      servers: { asking: fixture('talkative', { env }) },
      inputs: [{ type: 'promptString', id: 'key' }],
    });
    const { servers } = readServersFile(text, { form: 'vscode', sourceAt: () => ({ is: 'settings' }) });
    rig.servers.replace('file', servers);
    await rig.servers.startAllowed();
    assert.deepEqual([rig.state('asking'), rig.server('asking').pid], ['held', undefined]);
    await rig.close();
  });

  it('what is declared as before goes on running, what changed is started anew, what is gone is ended', async () => {
    const rig = new ServersRig();
    await rig.start({ same: fixture('talkative'), other: fixture('talkative'), gone: fixture('talkative') });
    const pids = ['same', 'other'].map((name) => rig.server(name).pid);
    await rig.start({ same: fixture('talkative'), other: fixture('talkative', { timeout: 5 }) });
    assert.equal(rig.server('same').pid, pids[0]);
    assert.notEqual(rig.server('other').pid, pids[1]);
    assert.equal(rig.servers.find('gone'), undefined);
    assert.ok(rig.toolNames().every((name) => !name.includes('gone')));
    await rig.close();
  });

  it('of two with one name the first has it, and the other says so', async () => {
    const rig = new ServersRig();
    rig.declare({ twin: fixture('talkative') });
    rig.servers.replace(
      'files',
      rig.servers.list().map(({ declared }) => ({ ...declared, folder: '/elsewhere' })),
    );
    await rig.servers.startAllowed();
    const [first, second] = rig.servers.list();
    assert.equal(first?.state.is, 'running');
    assert.deepEqual(second?.state, {
      is: 'held',
      run: { is: 'broken', why: 'Another server is called "twin" already. Give one of them another name.' },
    });
    await rig.close();
  });

  it('one that failed is tried again as a turn begins, when it is due', async () => {
    let path = 'crash-at-start';
    const rig = new ServersRig({
      variables: () => ({
        env: { FIXTURE: path },
        own: {},
        home: '/',
        folder: '/',
        input: async () => undefined,
      }),
    });
    const { args } = fixture('${FIXTURE}');
    await rig.start({ late: { command: process.execPath, args } });
    assert.equal(rig.state('late'), 'failed');
    path = 'list-changed';
    rig.registry.ready(new AbortController().signal);
    await rig.until(() => rig.state('late') === 'running');
    assert.deepEqual(rig.toolNames(), ['mcp__late__grow']);
    await rig.close();
  });

  it('a turn that begins waits for the tools of servers that are starting', async () => {
    const rig = new ServersRig();
    rig.declare({ growing: fixture('list-changed') });
    void rig.servers.startAllowed();
    const ready = rig.registry.ready(new AbortController().signal);
    assert.ok(ready);
    await ready;
    assert.deepEqual(rig.toolNames(), ['mcp__growing__grow']);
    await rig.close();
  });
});
