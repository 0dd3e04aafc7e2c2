import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { callPayload, never } from '../unit/hooks/manager-rig.ts';
import { type LiveSession, type Rig, startRig } from '../unit/plugins/plugged-rig.ts';
import { isAlive, PluginRig } from '../unit/plugins/plugin-rig.ts';

const blocks = (words: string) => `ctx.registerHook('pre_tool_call', () => ({ block: '${words}' }));`;

describe('hooks: plugins', () => {
  let rig: PluginRig;
  beforeEach(() => {
    rig = new PluginRig();
  });
  afterEach(() => rig.close());

  const fire = () => rig.manager.fire('pre_tool_call', { ...callPayload, cwd: rig.folder }, never);

  it('54. a plugin of a workspace is not loaded before it is allowed, nor where the user switches them off', async () => {
    const marker = join(rig.home, 'ran');
    const body = `(await import('node:fs')).writeFileSync(${JSON.stringify(marker)}, '');`;
    rig.code('one', body, {}, 'workspace');
    await rig.plugins.refresh();
    assert.equal(rig.state('one'), 'waiting');
    assert.ok(!existsSync(marker));
    rig.settings = { ...rig.settings, ofWorkspaces: false };
    await rig.load();
    assert.deepEqual(rig.plugins.list(), []);
    assert.ok(!existsSync(marker));
    rig.settings = { ...rig.settings, ofWorkspaces: true };
    await rig.load();
    assert.equal(rig.state('one'), 'active');
    assert.ok(existsSync(marker));
  });

  it('56. one without its entry file, or without a register function, is listed with an error, and others load', async () => {
    rig.write('a', { 'plugin.json': { name: 'a', main: './index.mjs' } });
    rig.write('b', { 'plugin.json': { name: 'b', main: './index.mjs' }, 'index.mjs': 'export const other = 1;' });
    rig.write('c', { 'plugin.json': { name: 'c', main: './index.mjs' }, 'index.mjs': 'syntax error' });
    rig.code('d', `throw new Error('not today');`);
    rig.code('e', blocks('no'));
    await rig.load();
    assert.match(rig.state('a'), /^broken: .*index\.mjs" is not there/);
    assert.match(rig.state('b'), /^broken: .*exports no function "register"/);
    assert.match(rig.state('c'), /^broken: .*SyntaxError/);
    assert.match(rig.state('d'), /^broken: .*not today/);
    assert.equal(rig.state('e'), 'active');
    assert.equal((await fire()).block?.by, 'e');
  });

  it('57. a hook that raises keeps no other plugin from answering', async () => {
    rig.code('a', `ctx.registerHook('pre_tool_call', () => { throw new Error('oh'); }, { failClosed: false });`);
    rig.code('b', `ctx.registerHook('pre_tool_call', () => null);`);
    rig.code('c', blocks('no'));
    await rig.load();
    assert.deepEqual((await fire()).block?.by, 'c');
  });

  it('58. of two plugins the first valid answer counts, and a guard that raises blocks', async () => {
    rig.code('a', `ctx.registerHook('pre_tool_call', () => ({ block: '' }));`);
    rig.code('b', blocks('said why'));
    await rig.load();
    assert.equal((await fire()).block?.reason, 'said why');
    rig.code('b', `ctx.registerHook('pre_tool_call', () => { throw new Error('broken gate'); });`);
    await rig.load();
    assert.match((await fire()).block?.modelText ?? '', /was not run.*broken gate/s);
  });

  it(`59. a tool with a built-in's name is refused and the built-in stays, also when it comes late`, async () => {
    const tool = (name: string) =>
      `ctx.registerTool({ name: '${name}', description: 'Mine.', input: { type: 'object' }, run: () => 'mine' });`;
    rig.code(
      'one',
      `${tool('read_file')}
       ${tool('fine')}
       ctx.registerCommand({ name: 'late', description: '', run() { setTimeout(() => { ${tool('Read-File')} }, 1); return {}; } });`,
    );
    await rig.load();
    const builtIn = rig.tools.find('read_file');
    assert.notEqual(builtIn?.description, 'Mine.');
    assert.equal(rig.tools.find('fine')?.description, 'Mine.');
    assert.match(rig.problems[0]?.words ?? '', /"read_file" is taken/);
    await rig.plugins.commands()[0]?.run('', never);
    await rig.until(() => rig.problems.length === 2);
    assert.match(rig.problems[1]?.words ?? '', /"Read-File" is taken/);
    assert.equal(rig.tools.find('read_file'), builtIn);
  });

  it(`59. a plugin's tool takes the place of a built-in one where the user says so`, async () => {
    rig.settings = { ...rig.settings, mayReplaceTools: { one: ['read_file'] } };
    const tool = `ctx.registerTool({ name: 'read_file', description: 'Mine.', input: { type: 'object' }, run: () => 'mine' });`;
    rig.code('one', tool);
    rig.code('two', tool);
    await rig.load();
    assert.equal(rig.tools.find('read_file')?.description, 'Mine.');
    assert.equal(rig.tools.list().filter(({ name }) => name === 'read_file').length, 1);
    assert.deepEqual(
      rig.problems.map(({ plugin }) => plugin),
      ['two'],
    );
    rig.disabled.add('one').add('two');
    await rig.plugins.refresh();
    assert.notEqual(rig.tools.find('read_file')?.description, 'Mine.');
  });

  it('61. a path that leads out of the plugin, or an absolute one, is refused in its manifest and in its API', async () => {
    rig.write('a', { 'plugin.json': { name: 'a', main: '../x/index.mjs' } });
    rig.write('b', { 'plugin.json': { name: 'b', main: '/x/index.mjs' } });
    rig.write('c', { '.claude-plugin/plugin.json': { name: 'c', hooks: './../hooks.json' } });
    rig.code('d', `ctx.registerSkill('../skills');`);
    rig.code('e', `ctx.registerSkill('/skills');`);
    await rig.load();
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      assert.match(rig.state(id), /^broken: .*("\.\." is not allowed|relative to the plugin)/s, id);
    }
  });

  it('62. of three nested category folders the third level is not looked at', async () => {
    rig.code('one', '');
    rig.code('tools/two', '', { name: 'two' });
    rig.code('tools/more/three', '', { name: 'three' });
    await rig.load();
    assert.deepEqual(
      rig.plugins.list().map(({ plugin }) => plugin.id),
      ['one', 'two'],
    );
  });

  const command = (line: string) => ({ type: 'command', command: line });
  const claude = (events: Readonly<Record<string, unknown>>) => ({
    '.claude-plugin/plugin.json': { name: 'guard' },
    'hooks/hooks.json': { hooks: events },
  });
  const onBash = (line: string) => ({ PreToolUse: [{ matcher: 'Bash', hooks: [command(line)] }] });

  const rootsLine = `echo "$CLAUDE_PLUGIN_ROOT|$PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA|$PLUGIN_DATA|$CLAUDE_PROJECT_DIR" >&2; exit 2`;

  it('F34. the root variables of all systems are set for every hook of a plugin', async () => {
    const root = rig.write('guard', claude(onBash(rootsLine)));
    await rig.load();
    const data = join(rig.home, 'data/data/guard');
    assert.deepEqual((await fire()).block?.reason.trim().split('|'), [root, root, data, data, rig.folder]);
    assert.ok(existsSync(data));
  });

  it('F9. after an update the root variable names the folder of the version that runs', async () => {
    const [first, second] = ['1', '2'].map((version) =>
      rig.write(`../versions/${version}`, { ...claude(onBash(rootsLine)), 'version.txt': version }),
    );
    assert.ok(first && second);
    const link = join(rig.home, '.midcourse/plugins/guard');
    mkdirSync(dirname(link), { recursive: true });
    for (const root of [first, second]) {
      rmSync(link, { force: true });
      symlinkSync(root, link);
      await rig.load();
      assert.equal((await fire()).block?.reason.split('|')[0], root);
    }
  });

  it('F10. a reload leaves nothing of the version before', async () => {
    const root = rig.code(
      'one',
      `${blocks('old')} ctx.registerTool({ name: 'old', description: '', input: { type: 'object' }, run: () => '' });`,
    );
    await rig.load();
    const before = Number(rig.pid('one'));
    assert.equal((await fire()).block?.reason, 'old');
    writeFileSync(join(root, 'index.mjs'), `export function register(ctx) { ${blocks('new')} }`);
    await rig.load();
    assert.equal((await fire()).block?.reason, 'new');
    assert.equal(rig.manager.list().length, 1);
    assert.equal(rig.tools.find('old'), undefined);
    assert.ok(!isAlive(before));
    rig.disabled.add('one');
    await rig.plugins.refresh();
    assert.deepEqual([rig.manager.list().length, await fire()], [0, {}]);
  });

  it('F10. a plugin that was changed refuses with what it guarded until the change is allowed', async () => {
    const root = rig.code('one', blocks('old'));
    await rig.load();
    const before = Number(rig.pid('one'));
    writeFileSync(join(root, 'index.mjs'), 'export function register() {}');
    await rig.plugins.refresh();
    assert.equal(rig.state('one'), 'changed');
    assert.ok(!isAlive(before));
    assert.match((await fire()).block?.reason ?? '', /was changed since you allowed it/);
    await rig.load();
    assert.deepEqual(await fire(), {});
  });

  it('F35. the same event and command in the files of two systems runs once', async () => {
    const ran = join(rig.home, 'ran');
    const line = `echo x >> ${ran}`;
    rig.write('guard', {
      '.codex-plugin/plugin.json': { name: 'guard', hooks: ['./hooks/hooks.json', './codex.json'] },
      '.claude-plugin/plugin.json': { name: 'guard' },
      'hooks/hooks.json': { hooks: onBash(line) },
      'codex.json': { hooks: { PreToolUse: [{ matcher: 'Bash|Edit', hooks: [command(line)] }] } },
    });
    await rig.load();
    assert.equal(rig.of('guard').fileHooks.length, 2);
    await fire();
    assert.equal(readFileSync(ran, 'utf8'), 'x\n');
  });

  describe('in a turn', () => {
    let loop: Rig;
    let session: LiveSession;
    beforeEach(async () => {
      await rig.close();
      ({ loop, rig, session } = await startRig());
    });
    afterEach(() => loop.close());

    const asksFor = (name: string, input: object) =>
      loop.server.script({ steps: [{ call: { name, input } }] }, { steps: [{ text: 'Well.' }] });
    const results = async () =>
      (await session.transcript()).filter(({ role }) => role === 'tool').map(({ status }) => status);

    it('F8. hooks of a plugin count like those of settings: before a call, and where the model wants to end', async () => {
      const went = join(rig.home, 'went-on');
      const stop = `test -e ${went} || { touch ${went}; echo '{"decision":"block","reason":"Run the tests."}'; }`;
      rig.write('guard', claude({ ...onBash('echo "not here" >&2; exit 2'), Stop: [{ hooks: [command(stop)] }] }));
      await rig.load();
      loop.server.script(
        { steps: [{ call: { name: 'terminal', input: { command: 'ls' } } }] },
        { steps: [{ text: 'Done.' }] },
        { steps: [{ text: 'Done, with tests.' }] },
      );
      session.send('Go');
      assert.equal((await session.settled()).finalText, 'Done, with tests.');
      assert.deepEqual(await results(), ['blocked']);
      assert.match(JSON.stringify(loop.server.requests[1]?.body), /not here/);
      assert.match(JSON.stringify(loop.server.requests[2]?.body), /Run the tests\./);
    });

    it('a tool of a plugin is offered to the model, asks where it changes things, and its answer reaches the model', async () => {
      rig.code(
        'one',
        `ctx.registerTool({ name: 'plant', description: 'Plants.', run: ({ what }) => 'planted ' + what,
          input: { type: 'object', properties: { what: { type: 'string' } } } });`,
      );
      await rig.load();
      asksFor('plant', { what: 'a tree' });
      loop.always.add('plugin:one:plant');
      session.send('Go');
      await session.settled();
      assert.match(JSON.stringify(loop.server.requests[0]?.body), /"plant"/);
      assert.match(JSON.stringify(loop.server.requests[1]?.body), /planted a tree/);
    });
  });
});
