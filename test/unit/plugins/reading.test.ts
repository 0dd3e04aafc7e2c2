import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { consentableOf } from '../../../src/agent/plugins/consentable.ts';
import { discoverPlugins } from '../../../src/agent/plugins/index.ts';
import { PluginRig } from './plugin-rig.ts';

const agentPlugins = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
const hooks = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } };

describe('reading plugins', () => {
  let rig: PluginRig;
  beforeEach(() => {
    rig = new PluginRig();
  });
  afterEach(() => rig.close());

  async function read(name: string) {
    const home = { path: join(rig.home, '.midcourse/plugins'), scope: 'user' as const };
    const { plugins } = await discoverPlugins([home]);
    const plugin = plugins.find(({ root }) => root.endsWith(`/${name}`));
    assert.ok(plugin, `${name} was not found`);
    return plugin;
  }
  async function why(name: string): Promise<string> {
    const plugin = await read(name);
    return 'broken' in plugin ? plugin.broken : 'it is fine';
  }
  async function fine(name: string) {
    const plugin = await read(name);
    assert.ok(!('broken' in plugin), 'broken' in plugin ? plugin.broken : '');
    return plugin;
  }

  it('takes a portable plugin by its schema, with its skills and servers but no hooks that it does not name', async () => {
    rig.write('one', {
      'plugin.json': {
        $schema: agentPlugins,
        name: 'one',
        version: '1.2.0',
        author: { name: 'Ada' },
        extensions: { 'com.x': {} },
      },
      'skills/a/SKILL.md': '',
      'mcp.json': { mcpServers: {} },
      'hooks/hooks.json': hooks,
    });
    const plugin = await fine('one');
    assert.deepEqual([plugin.format, plugin.version, plugin.author], ['agent-plugins', '1.2.0', 'Ada']);
    assert.deepEqual([plugin.skills.length, plugin.mcp.length, plugin.hookFiles.length], [1, 1, 0]);
    assert.deepEqual(plugin.warnings, []);
  });

  it('L2a. reads the manifest whose hooks say more where there are two, Claude’s before Codex’s, and says which', async () => {
    const named = (name: string, more: object = {}) => ({ name, ...more });
    rig.write('superpowers', {
      '.claude-plugin/plugin.json': named('superpowers'),
      '.codex-plugin/plugin.json': named('superpowers', { hooks: {} }),
      'hooks/hooks.json': hooks,
    });
    rig.write('everything', {
      '.claude-plugin/plugin.json': named('everything'),
      '.codex-plugin/plugin.json': named('everything'),
      'hooks/hooks.json': hooks,
    });
    rig.write('codex-more', {
      '.claude-plugin/plugin.json': named('codex-more'),
      '.codex-plugin/plugin.json': named('codex-more', { hooks: './codex.json' }),
      'codex.json': hooks,
    });
    for (const [name, format, words] of [
      ['superpowers', 'claude', /\.claude-plugin\/plugin\.json is used, .*\.codex-plugin\/plugin\.json is not/],
      ['everything', 'claude', /two manifests/],
      ['codex-more', 'codex', /\.codex-plugin\/plugin\.json is used, as its hooks say more/],
    ] as const) {
      const plugin = await fine(name);
      assert.equal(plugin.format, format, name);
      assert.deepEqual(
        plugin.hookFiles.map(({ dialect }) => dialect),
        [format],
        name,
      );
      assert.match(plugin.warnings.join('\n'), words, name);
    }
  });

  it('L2b. reads the plugins that a marketplace lists, also those that are declared only there', async () => {
    rig.write('market', {
      '.claude-plugin/marketplace.json': {
        name: 'official',
        owner: { name: 'Ada' },
        plugins: [
          {
            name: 'ts-lsp',
            description: 'TypeScript',
            version: '1.0.0',
            category: 'development',
            source: './plugins/ts-lsp',
            strict: false,
            lspServers: { ts: { command: 'tsls', extensionToLanguage: { '.ts': 'typescript' } } },
          },
          { name: 'own', source: './plugins/own', description: 'of the list', hooks },
          { name: 'far', source: { source: 'github', repo: 'a/b' } },
          { name: 'out', source: '../../elsewhere' },
        ],
      },
      'plugins/ts-lsp/README.md': 'Install it.',
      'plugins/own/.claude-plugin/plugin.json': { name: 'own', description: 'its own words' },
    });
    const lsp = await fine('ts-lsp');
    assert.deepEqual([lsp.id, lsp.format, lsp.description, lsp.warnings], ['ts-lsp', 'claude', 'TypeScript', []]);
    assert.match(lsp.languageServers[0]?.text ?? '', /tsls/);
    const own = await fine('own');
    assert.deepEqual([own.description, own.hookFiles.length], ['its own words', 1]);
    const home = { path: join(rig.home, '.midcourse/plugins'), scope: 'user' as const };
    const { skipped } = await discoverPlugins([home]);
    assert.match(skipped.map(({ why }) => why).join('\n'), /far has to be fetched.*\n.*out .*"\.\." is not allowed/);
  });

  it('L2c. a repository that is its own marketplace is one plugin, and what the list says of it is a part of the consent', async () => {
    rig.write('one', {
      '.claude-plugin/marketplace.json': { name: 'm', plugins: [{ name: 'one', source: './', hooks }] },
      '.claude-plugin/plugin.json': { name: 'one' },
    });
    const home = { path: join(rig.home, '.midcourse/plugins'), scope: 'user' as const };
    const { plugins } = await discoverPlugins([home]);
    assert.deepEqual(
      plugins.map(({ id }) => id),
      ['one'],
    );
    const one = await fine('one');
    assert.match(JSON.stringify(consentableOf(one, []).definition), /Stop/);
  });

  it('says of an unknown field that it has no effect, and uses the plugin', async () => {
    rig.write('one', { 'plugin.json': { $schema: agentPlugins, name: 'one', colour: 'red' } });
    assert.match((await fine('one')).warnings.join(), /"colour" is not known/);
  });

  for (const [what, manifest, words] of [
    ['a field of the wrong type', { name: 'one', main: 7 }, /"main".*string/],
    ['a name that is none', { name: 'One--Two', main: './index.mjs' }, /"name".*a–z/],
    [
      'a manifest of a later version',
      { $schema: agentPlugins.replace('1.0.0', '2.0.0'), name: 'one' },
      /"\$schema".*not known/,
    ],
    [
      'a config schema that has no form',
      { name: 'one', configSchema: { type: 'object', properties: { a: { type: 'null' } } } },
      /configSchema/,
    ],
  ] as const) {
    it(`refuses ${what} in words`, async () => {
      rig.write('one', { 'plugin.json': manifest, 'index.mjs': '' });
      assert.match(await why('one'), words);
    });
  }

  it('refuses a manifest that is no JSON', async () => {
    rig.write('one', { 'plugin.json': '{' });
    assert.match(await why('one'), /cannot be read/);
  });

  it('reads Claude before Codex before Copilot', async () => {
    const files = {
      'plugin.json': { name: 'copilot' },
      '.claude-plugin/plugin.json': { name: 'claude' },
      '.codex-plugin/plugin.json': { name: 'codex', interface: { displayName: 'Codex!' } },
      'hooks/hooks.json': hooks,
    };
    rig.write('all', files);
    rig.write('two', {
      'plugin.json': files['plugin.json'],
      '.claude-plugin/plugin.json': { name: 'second' },
    });
    rig.write('last', { 'plugin.json': { name: 'last' }, 'hooks.json': { version: 1, hooks: { preToolUse: [] } } });
    rig.write('older', { '.plugin/plugin.json': { name: 'older' } });
    rig.write('codex', {
      'plugin.json': files['plugin.json'],
      '.codex-plugin/plugin.json': files['.codex-plugin/plugin.json'],
    });
    assert.equal((await fine('all')).format, 'claude');
    const codex = await fine('codex');
    assert.deepEqual([codex.id, codex.label, codex.format], ['codex', 'Codex!', 'codex']);
    assert.equal((await fine('two')).format, 'claude');
    const last = await fine('last');
    assert.deepEqual([last.format, last.hookFiles[0]?.dialect], ['copilot', 'copilot']);
    assert.equal((await fine('older')).format, 'copilot');
  });

  it('takes a folder without a manifest for a Claude plugin with its usual places', async () => {
    rig.write('bare', { 'hooks/hooks.json': hooks, 'commands/a.md': '', '.mcp.json': {}, '.lsp.json': {} });
    const { id, format, hookFiles, commands, mcp, languageServers } = await fine('bare');
    assert.deepEqual([id, format], ['bare', 'claude']);
    assert.deepEqual([hookFiles.length, commands.length, mcp.length, languageServers.length], [1, 1, 1, 1]);
  });

  it('takes what a Claude manifest names beside or instead of the usual places', async () => {
    rig.write('one', {
      '.claude-plugin/plugin.json': {
        name: 'one',
        skills: './more',
        commands: ['./own'],
        hooks: { Stop: [] },
        mcpServers: { a: { command: 'a' } },
      },
      'skills/a/SKILL.md': '',
      'more/b/SKILL.md': '',
      'commands/a.md': '',
      'own/b.md': '',
      'hooks/hooks.json': hooks,
    });
    const { skills, commands, hookFiles, mcp } = await fine('one');
    assert.deepEqual(
      skills.map((path) => path.split('/').at(-1)),
      ['skills', 'more'],
    );
    assert.deepEqual(
      commands.map((path) => path.split('/').at(-1)),
      ['own'],
    );
    assert.deepEqual(
      hookFiles.map(({ inline }) => inline),
      [false, true],
    );
    assert.equal(mcp.length, 1);
  });

  for (const path of ['../other/index.mjs', '/etc/passwd.mjs', './a/../../b.mjs', '~/x.mjs', 'C:\\x.mjs']) {
    it(`refuses ${path} for a plugin's file`, async () => {
      rig.write('other', { 'plugin.json': { name: 'other' }, 'index.mjs': '' });
      rig.write('one', { 'plugin.json': { name: 'one', main: path } });
      assert.match(await why('one'), /relative to the plugin|".." is not allowed/);
    });
  }

  it('refuses a link that leads out, as its manifest, its usual folder or its module', async () => {
    const outside = rig.write('other', { 'plugin.json': { name: 'other' }, 'index.mjs': '', 'skills/a/SKILL.md': '' });
    for (const [name, link] of [
      ['manifest', 'plugin.json'],
      ['folder', 'skills'],
      ['module', 'index.mjs'],
    ] as const) {
      rig.write(
        name,
        name === 'manifest' ? { 'a.txt': '' } : { 'plugin.json': { name, main: './index.mjs' }, 'a.txt': '' },
      );
      if (name === 'folder') rig.write(name, { 'index.mjs': '' });
      symlinkSync(join(outside, link), join(rig.home, '.midcourse/plugins', name, link));
      assert.match(await why(name), /link that leads out/, name);
    }
  });

  it('lists a second plugin of the same name as broken, and that of the workspace never hides that of the user', async () => {
    rig.code('one', '', {}, 'workspace');
    rig.code('one', '', {}, 'user');
    await rig.load();
    assert.equal(rig.of('one').plugin.scope, 'user');
    assert.match(rig.state('one (workspace)'), /^broken: Another plugin is called one/);
  });

  it('says of a folder that a repository links to elsewhere that it is not used', async () => {
    const outside = rig.code('one', '');
    mkdirSync(join(rig.folder, '.midcourse/plugins'), { recursive: true });
    symlinkSync(outside, join(rig.folder, '.midcourse/plugins/linked'));
    await rig.load();
    assert.match(rig.state('linked'), /link that leads out of the workspace/);
  });
});
