import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publishedTypes } from '../../../scripts/published-types.ts';
import { PluginRig } from './plugin-rig.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const api = join(root, 'plugin-api');

describe('what authors of plugins are given', () => {
  it('are the types that Midcourse uses itself (node scripts/plugin-api.ts writes them)', async () => {
    for (const [file, text] of Object.entries(await publishedTypes())) {
      assert.equal(readFileSync(join(api, file), 'utf8'), text, file);
    }
  });

  it('is a template whose code fits its types and whose test passes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'midcourse-template-'));
    try {
      cpSync(join(api, 'template'), folder, { recursive: true });
      for (const file of ['index.d.ts', 'hooks.d.ts']) cpSync(join(api, file), join(folder, 'types', file));
      const { stdout } = await run(process.execPath, ['--test'], { cwd: folder });
      assert.match(stdout, /pass 3/);
      await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(folder, 'jsconfig.json')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is a template that runs as it is, and says what it provides', async () => {
    const rig = new PluginRig();
    try {
      const at = rig.write('my-plugin', { 'x.txt': '' });
      cpSync(join(api, 'template'), at, { recursive: true });
      await rig.load();
      assert.equal(rig.state('my-plugin'), 'active');
      assert.deepEqual(rig.of('my-plugin').warnings, []);
      assert.equal(rig.of('my-plugin').registrations.size, 4);
      writeFileSync(join(at, 'x.txt'), 'changed');
      await rig.plugins.refresh();
      assert.equal(rig.state('my-plugin'), 'changed');
    } finally {
      await rig.close();
    }
  });
});
