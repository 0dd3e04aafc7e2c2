import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Customisations } from '../../src/agent/customisations/index.ts';
import { readWorkspaceServers } from '../../src/agent/mcp/index.ts';
import { discoverPlugins } from '../../src/agent/plugins/discovery.ts';
import { Machine } from '../hooks/trusting-window.ts';
import { PluginRig } from '../unit/plugins/plugin-rig.ts';
import { longestTurns } from './event-loop.ts';
import { writeHostile } from './hostile-files.ts';

/** Milliseconds that one turn of the event loop may take. */
const CONTRACT = 20;

const nothing = (): void => undefined;

/**
 * Opens until one time holds: code that runs for the first time is compiled in the same turn, and a machine that does
 * other work as well is slower. What is counted is this thread's own work.
 */
async function held(open: () => Promise<unknown>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3 && least > CONTRACT; time++) least = Math.min(least, (await longestTurns(open)).work);
  assert.ok(least <= CONTRACT, `the longest turn took ${least.toFixed(1)} ms`);
}

/** A folder of empty files; a program makes them in a tenth of the time that we would take. */
async function crowd(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('sh', ['-c', `seq ${count} | xargs touch`], { cwd: folder });
}

describe('a hostile repository of 2,000 files that is opened', function () {
  this.timeout(600_000);
  let machine: Machine;

  before(async () => {
    machine = await Machine.start();
    assert.ok((await writeHostile(machine.path('repository'), { each: 285 })) >= 2_000);
  });
  after(() => machine[Symbol.asyncDispose]());

  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const customisations = (trusted: boolean) =>
    new Customisations({
      roots: () => ({ folders: trusted ? [machine.path('repository')] : [], home: machine.home }),
      log,
    });

  it('C6a. untrusted: its hooks are listed and nothing else, and no turn of the event loop takes over 20 ms', async () => {
    await held(async () => {
      const window = await machine.open({ trusted: false });
      const listed = window.files.list();
      assert.ok(listed.length > 1_000);
      assert.ok(listed.every(({ hook, consentable }) => hook === undefined && consentable === undefined));
    });
  });

  it('C6b. untrusted: none of its instructions, skills, agents and prompts are read', async () => {
    await held(async () => {
      const { instructions, skills, agents, commands } = await customisations(false).refresh();
      assert.deepEqual([instructions, skills, agents, commands].flat(), []);
    });
  });

  it('C6c. trusted: hooks that nobody allowed wait with their state, none is registered, and no turn takes over 20 ms', async () => {
    await held(async () => {
      const window = await machine.open({ trusted: true });
      assert.ok(window.files.list().length > 1_000);
      assert.deepEqual(window.manager.list(), []);
    });
  });

  it('C6d. trusted: its instructions, skills, agents and prompts are read, and no turn takes over 20 ms', async () => {
    await held(async () => {
      const { instructions, skills, agents, unused } = await customisations(true).refresh();
      assert.ok(instructions.length + skills.length + agents.length + unused.length > 500);
    });
  });

  for (const trusted of [false, true]) {
    it(`C6${trusted ? 'g' : 'f'}. ${trusted ? 'trusted' : 'untrusted'}: the folders of its plugins are listed, none runs, and no turn takes over 20 ms`, async () => {
      const rig = new PluginRig();
      try {
        rig.trusted = trusted;
        await cp(machine.path('repository/.midcourse'), join(rig.folder, '.midcourse'), { recursive: true });
        await held(() => rig.plugins.refresh());
        const states = rig.plugins.list().map(({ state }) => state.is);
        assert.equal(states.length, 285);
        assert.deepEqual([...new Set(states)].sort(), ['broken', trusted ? 'waiting' : 'untrusted']);
      } finally {
        await rig.close();
      }
    });
  }

  it('C6h. a folder of 50,000 files where hooks, plugins and skills are looked for holds up no turn', async () => {
    await crowd(machine.path('crowded/files'), 50_000);
    for (const name of ['.github/hooks', '.github/prompts', '.midcourse/plugins', '.claude/skills']) {
      await mkdir(machine.path(dirname(`crowded/${name}`)), { recursive: true });
      await symlink(machine.path('crowded/files'), machine.path(`crowded/${name}`));
    }
    const folders = [machine.path('crowded')];
    await held(async () => void (await machine.open({ trusted: false, folders: ['crowded'] })));
    const all = new Customisations({ roots: () => ({ folders, home: machine.home }), log });
    await held(() => all.refresh());
    const homes = [
      { path: machine.path('crowded/.midcourse/plugins'), scope: 'workspace', folder: folders[0] ?? '' },
    ] as const;
    await held(() => discoverPlugins(homes));
  });

  it('C6e. its files of MCP servers are read without a turn over 20 ms: thousands of servers, nesting without an end', async () => {
    await held(async () => {
      for (const [name, form] of [
        ['.mcp.json', 'claude'],
        ['.vscode/mcp.json', 'vscode'],
      ] as const) {
        const path = machine.path(`repository/${name}`);
        const text = await readFile(path, 'utf8');
        const { broken, servers } = await readWorkspaceServers(text, {
          form,
          scope: 'workspace',
          folder: machine.path('repository'),
          path,
        });
        const said = [broken, ...servers.map((server) => server.broken)].join();
        assert.match(said, /declares 5000 servers|not declared as it should be/);
      }
    });
  });
});
