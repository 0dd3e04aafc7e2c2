import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchScope } from '../../../scripts/editor/launch-scope.ts';

/** A shell whose child and whose own session-leading grandchild both outlive it if nobody ends them. */
const family = ['-c', 'sleep 1000 & setsid sleep 1000 & echo started; wait'];

async function started({ stdout }: ChildProcess): Promise<void> {
  if (stdout) await once(stdout, 'data');
}

async function sleepersWith(environment: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return environments.filter((text) => text.split('\0').includes(environment)).length;
}

describe('launch scope', function () {
  this.timeout(20_000);
  if (process.platform !== 'linux') return;

  it('ends every descendant, also in other sessions, and removes its folder', async () => {
    const scope = await LaunchScope.open();
    const mark = `FAMILY=${scope.folder}`;
    await started(scope.spawn('sh', family, { stdio: ['ignore', 'pipe', 'ignore'], env: { FAMILY: scope.folder } }));
    // While one is being exchanged for its program the system shows no environment of it.
    while ((await sleepersWith(mark)) < 3) await delay(20);
    await scope.close();
    assert.equal(await sleepersWith(mark), 0);
    assert.equal(existsSync(scope.folder), false);
  });

  it('kills what ignores being asked', async () => {
    const scope = await LaunchScope.open();
    const deaf = scope.spawn('sh', ['-c', 'trap "" TERM; echo started; while true; do sleep 1; done'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await started(deaf);
    const exit = once(deaf, 'exit');
    await scope.close();
    assert.deepEqual(await exit, [null, 'SIGKILL']);
  });

  it('is cleaned up by its guard when its process is killed', async () => {
    const module = path.resolve(import.meta.dirname, '../../../scripts/editor/launch-scope.ts');
    const source = `
      import { LaunchScope } from ${JSON.stringify(module)};
      const scope = await LaunchScope.open();
      scope.spawn('sh', ${JSON.stringify(family)}, { stdio: 'ignore', env: { FAMILY: scope.folder } });
      process.stdout.write(scope.folder);
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const folder = String((await once(owner.stdout, 'data'))[0]);
    owner.kill('SIGKILL');
    while (existsSync(folder)) await delay(50);
    assert.equal(await sleepersWith(`FAMILY=${folder}`), 0);
  });

  it('adds nothing of npm to the environment of what it starts', async () => {
    const before = process.env;
    process.env = {
      ...before,
      npm_package_name: 'x',
      npm_config_user_agent: 'npm/10 node/v20',
      npm_config_registry: 'kept',
    };
    const scope = await LaunchScope.open();
    try {
      const environment = scope.environment();
      assert.equal(environment.npm_package_name, undefined);
      assert.equal(environment.npm_config_user_agent, undefined);
      assert.equal(environment.npm_config_registry, 'kept');
    } finally {
      process.env = before;
      await scope.close();
    }
  });
});
