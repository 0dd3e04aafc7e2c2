import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { startsPrograms } from '../../src/agent/safety/index.ts';

const root = join(import.meta.dirname, '../..');

const property = z.looseObject({
  scope: z.string().optional(),
  type: z.unknown(),
  enum: z.array(z.unknown()).optional(),
});
const manifest = z.looseObject({
  capabilities: z.looseObject({
    untrustedWorkspaces: z.looseObject({ supported: z.unknown(), restrictedConfigurations: z.array(z.string()) }),
  }),
  contributes: z.looseObject({
    configuration: z
      .union([z.array(z.unknown()), z.unknown()])
      .transform((one) => [one].flat())
      .pipe(z.array(z.looseObject({ properties: z.record(z.string(), property) }))),
  }),
});

/**
 * What a workspace may set, and why that hurts nobody. Everything else belongs to the person: VS Code reads settings of
 * the scopes `application` and `machine` from no workspace, trusted or not.
 */
const OF_A_WORKSPACE: Readonly<Record<string, string>> = {
  'midcourse.model': 'a name among the providers that the person set up; not read in an untrusted workspace',
  'midcourse.effort': 'a word of a list; not read in an untrusted workspace',
  'midcourse.retry.attempts': 'a small number',
  'midcourse.busyInput': 'a word of a list',
  'midcourse.queue.onStop': 'a word of a list',
  'midcourse.resume': 'a word of a list',
  'midcourse.compaction.threshold': 'a share',
  'midcourse.compaction.native': 'yes or no',
  'midcourse.compaction.enabled': 'yes or no',
};

/** A repository brings a .vscode/settings.json. */
describe('settings of a workspace', () => {
  const read = async () => manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const settings = async () => {
    const { contributes } = await read();
    return Object.fromEntries(contributes.configuration.flatMap(({ properties }) => Object.entries(properties)));
  };

  it('P3. name no host, program, path, key or approval: only what is listed here may be set by a workspace', async () => {
    const all = Object.entries(await settings());
    assert.ok(all.length > 20);
    const open = all.filter(([, { scope }]) => scope !== 'application' && scope !== 'machine').map(([name]) => name);
    assert.deepEqual(open.sort(), Object.keys(OF_A_WORKSPACE).sort());
  });

  it('P3a. are plain words, numbers and switches: no list and no map, where an address could hide', async () => {
    const all = await settings();
    for (const name of Object.keys(OF_A_WORKSPACE)) {
      const { type, enum: words } = all[name] ?? {};
      assert.ok(
        type === 'boolean' || type === 'number' || type === 'integer' || words || /\.(model|effort)$/.test(name),
        name,
      );
    }
    for (const [name, { scope, type }] of Object.entries(all)) {
      const isDangerous =
        /url|host|proxy|shell|path|command|key|provider|webhook|server|plugin|hook|approv|fallback|env/i.test(name);
      if (isDangerous || type === 'object' || type === 'array') {
        assert.ok(scope === 'machine' || scope === 'application', `${name}: ${scope}`);
      }
    }
  });

  it('P3b. that choose a model count only in a trusted workspace', async () => {
    const { untrustedWorkspaces } = (await read()).capabilities;
    assert.equal(untrustedWorkspaces.supported, 'limited');
    for (const name of ['midcourse.model', 'midcourse.effort']) {
      assert.ok(untrustedWorkspaces.restrictedConfigurations.includes(name), name);
    }
  });

  it('P3c. of the editor are not read for anything but its look, how files are written, and variables that load nothing', async () => {
    const sections = new Set<string>();
    for (const entry of await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      for (const [, section = ''] of text.matchAll(/getConfiguration\(\s*(?:'([^']*)')?/g)) sections.add(section);
    }
    // The nameless one is the switch of TypeScript's own problems, `typescript.validate.enable` or `javascript.…`.
    // `files`: encoding, line end, read-only marks. Of the terminals' variables a workspace may set those that load nothing.
    assert.deepEqual([...sections].sort(), ['', 'chat', 'editor', 'files', 'midcourse', 'terminal.integrated.env']);
  });

  it('P3d. set no variable by which a command would load or start something, or find another program', () => {
    const loading = [
      'PATH',
      'Path',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'PYTHONPATH',
      'BASH_ENV',
      'GIT_SSH_COMMAND',
      'PAGER',
    ];
    for (const name of loading) assert.equal(startsPrograms(name, './evil'), true, name);
    assert.equal(startsPrograms('NODE_OPTIONS', '--require ./evil.js'), true);
    assert.equal(startsPrograms('NODE_OPTIONS', '--max-old-space-size=4096'), false);
    assert.equal(startsPrograms('RUST_LOG', 'debug'), false);
    assert.equal(startsPrograms('PATH', null), false);
  });
});
