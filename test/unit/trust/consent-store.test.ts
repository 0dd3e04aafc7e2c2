import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Consentable, ConsentStore } from '../../../src/agent/trust/index.ts';
import { silentLog } from './silent-log.ts';

describe('the store of consents', () => {
  let folder: string;
  let store: ConsentStore;
  let now = 1;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consents-'));
    store = new ConsentStore({
      sealKey: async () => 'key',
      folder: join(folder, 'store'),
      log: silentLog,
      now: () => now++,
    });
  });
  afterEach(async () => {
    store.dispose();
    await rm(folder, { recursive: true });
  });

  const hook = (changes: Partial<Consentable> = {}): Consentable => ({
    id: 'hook:x#PreToolUse[0]',
    kind: 'hook',
    title: 'PreToolUse: ./check.sh',
    scope: 'workspace',
    path: join(folder, '.claude/settings.json'),
    wouldRun: './check.sh',
    definition: { event: 'PreToolUse', command: './check.sh' },
    files: [join(folder, 'check.sh')],
    root: folder,
    ...changes,
  });

  const allow = async (of: Consentable): Promise<boolean> => store.allow(of, (await store.check(of)).hash);

  it('does not care in which order the keys of a definition are written', async () => {
    await allow(hook({ definition: { command: './check.sh', event: 'PreToolUse' } }));
    assert.equal((await store.check(hook())).is, 'allowed');
  });

  it('takes a script that appears for a change', async () => {
    await allow(hook());
    await writeFile(join(folder, 'check.sh'), 'echo hello');
    const { is, ...consent } = await store.check(hook());
    assert.equal(is, 'changed');
    assert.deepEqual('changed' in consent && consent.changed, [
      { what: join(folder, 'check.sh'), before: undefined, after: 'echo hello' },
    ]);
  });

  it('says what changed in a script and in the definition', async () => {
    await writeFile(join(folder, 'check.sh'), 'one');
    await allow(hook());
    await writeFile(join(folder, 'check.sh'), 'two');
    const consent = await store.check(hook({ definition: { event: 'PreToolUse', command: './check.sh -x' } }));
    assert.ok(consent.is === 'changed');
    assert.deepEqual(
      consent.changed.map(({ what, before, after }) => [what === 'definition' ? what : 'script', before, after]),
      [
        [
          'definition',
          '{\n  "command": "./check.sh",\n  "event": "PreToolUse"\n}',
          '{\n  "command": "./check.sh -x",\n  "event": "PreToolUse"\n}',
        ],
        ['script', 'one', 'two'],
      ],
    );
  });

  it('keeps at most 1 MiB of text of one thing, and the hash of all of it', async () => {
    const files = Array.from({ length: 6 }, (_, index) => join(folder, `${index}.sh`));
    for (const file of files) await writeFile(file, 'x'.repeat(200 * 1024));
    await allow(hook({ files }));
    for (const file of files) await writeFile(file, 'changed');
    const consent = await store.check(hook({ files }));
    assert.ok(consent.is === 'changed');
    assert.equal(consent.changed.length, 6);
    assert.equal(consent.changed.filter(({ before }) => before === undefined).length, 1);
  });

  it('does not take a consent for given that was taken back after it was read', async () => {
    await allow(hook());
    assert.ok(await store.isAllowed(hook()));
    await store.revoke(hook());
    assert.equal(await store.isAllowed(hook()), false);
  });

  it('reads neither a script without end nor one that nobody writes to', async () => {
    const files = ['zero.sh', 'pipe.sh'].map((name) => join(folder, name));
    await symlink('/dev/zero', join(folder, 'zero.sh'));
    await promisify(execFile)('mkfifo', [join(folder, 'pipe.sh')]);
    await allow(hook({ files }));
    assert.ok(await store.isAllowed(hook({ files })));
    await rm(join(folder, 'zero.sh'));
    await writeFile(join(folder, 'zero.sh'), 'echo hello');
    assert.equal(await store.isAllowed(hook({ files })), false);
  });

  it('is not deceived by a script whose size and time are put back', async () => {
    const script = join(folder, 'check.sh');
    await writeFile(script, 'aaaa');
    await utimes(script, 1000, 1000);
    await allow(hook());
    assert.ok(await store.isAllowed(hook()));
    await writeFile(script, 'bbbb');
    await utimes(script, 1000, 1000);
    assert.equal(await store.isAllowed(hook()), false);
  });

  it('refuses the answer to what is not there any more', async () => {
    const { hash } = await store.check(hook());
    await writeFile(join(folder, 'check.sh'), 'rm -rf ~');
    assert.equal(await store.allow(hook(), hash), false);
    assert.equal((await store.check(hook())).is, 'waiting');
  });

  it('keeps an older version allowed, so that changing a branch does not ask each time', async () => {
    const script = join(folder, 'check.sh');
    for (const text of ['main', 'branch']) {
      await writeFile(script, text);
      await allow(hook());
    }
    await writeFile(script, 'main');
    assert.ok(await store.isAllowed(hook()));
  });

  it('keeps no text that is not text or is too long for a diff, but its hash', async () => {
    const script = join(folder, 'check.sh');
    await writeFile(script, Buffer.from([0, 1, 2]));
    await allow(hook());
    await writeFile(script, 'x'.repeat(300 * 1024));
    const consent = await store.check(hook());
    assert.ok(consent.is === 'changed');
    assert.deepEqual(consent.changed, [{ what: script, before: undefined, after: undefined }]);
  });

  it('tells when another window has answered', async () => {
    const other = new ConsentStore({
      sealKey: async () => 'key',
      folder: join(folder, 'store'),
      log: silentLog,
      now: () => now++,
    });
    try {
      await other.watching;
      const told = new Promise<void>((resolve) => {
        other.onDidChange(resolve);
      });
      await allow(hook());
      await told;
      assert.ok(await other.isAllowed(hook()));
    } finally {
      other.dispose();
    }
  });
});
