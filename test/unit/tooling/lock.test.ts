import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tryLock } from '../../../scripts/editor/lock.ts';

describe('lock', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'midcourse-lock-'));
    file = path.join(folder, 'nested', 'lock');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is refused while a living process has it, and free again after its release', async () => {
    const first = await tryLock(file);
    assert.equal(await tryLock(file), undefined);
    await first?.release();
    assert.ok(await tryLock(file));
  });

  it('is taken over from a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const held = await tryLock(file);
    await held?.release();
    await writeFile(file, String(child.pid));
    assert.ok(await tryLock(file));
    assert.equal(await readFile(file, 'utf8'), String(process.pid));
  });

  it('goes to one of many processes that find the same dead owner', async () => {
    await (await tryLock(file))?.release();
    await writeFile(file, '999999999');
    const source = `
      import { tryLock } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../../scripts/editor/lock.ts'))};
      process.stdout.write((await tryLock(${JSON.stringify(file)})) ? 'taken' : 'refused');
      process.stdin.resume();`;
    const children = Array.from({ length: 4 }, () => spawn(process.execPath, ['--input-type=module', '-e', source]));
    const answers = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])));
    for (const { stdin } of children) stdin.end();
    await Promise.all(children.map((child) => once(child, 'exit')));
    assert.deepEqual(answers.sort(), ['refused', 'refused', 'refused', 'taken']);
  });
});
