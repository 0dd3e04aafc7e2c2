import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startBrowser } from '../../scripts/editor/browser.ts';
import { LaunchScope } from '../../scripts/editor/launch-scope.ts';
import { cacheFolder, editorVersion, repository } from '../../scripts/editor/places.ts';
import { testIds } from '../../src/protocol/test-ids.ts';

describe('npm start', function () {
  // It builds, and starts a browser twice.
  this.timeout(600_000);

  it('prints one line when the chat can be typed into, and leaves no process after Ctrl+C', async () => {
    const cache = await cacheWithEditor();
    const mark = `START_TEST=${cache}`;
    const env = { ...process.env, XDG_CACHE_HOME: cache, START_TEST: cache };
    const scope = await LaunchScope.open();
    let interrupt: (() => void) | undefined;
    try {
      const npm = spawn('npm', ['start', '--silent'], { cwd: repository, env, stdio: ['ignore', 'pipe', 'inherit'] });
      interrupt = () => npm.kill('SIGINT');
      const lines: string[] = [];
      const output = createInterface(npm.stdout).on('line', (line) => lines.push(line));
      const exit = once(npm, 'exit');
      await Promise.race([once(output, 'line'), exit]);
      const address = /^ready (http:\/\/127\.0\.0\.1:\d+\/\S+)$/.exec(lines[0] ?? '')?.[1];
      assert.ok(address, lines[0]);

      const browser = await startBrowser(scope);
      const page = await browser.newPage();
      await page.goto(address, { timeout: 120_000 });
      const composer = page.frameLocator('iframe.webview.ready').frameLocator('iframe').getByTestId(testIds.composer);
      await composer.fill('Can this be typed?', { timeout: 120_000 });
      assert.equal(await composer.inputValue(), 'Can this be typed?');
      await browser.close();

      interrupt();
      await exit;
      assert.equal(lines.length, 1);
      assert.deepEqual(await processesWith(mark), []);
    } finally {
      interrupt?.();
      await scope.close();
      await rm(cache, { recursive: true, force: true });
    }
  });
});

/** A user cache of its own, so that the test meets nobody's sessions; only the installed editor is shared. */
async function cacheWithEditor(): Promise<string> {
  const cache = await mkdtemp(path.join(tmpdir(), 'midcourse-cache-'));
  const own = cacheFolder({ XDG_CACHE_HOME: cache });
  await mkdir(own);
  await symlink(
    path.join(cacheFolder(), `code-server-${editorVersion}`),
    path.join(own, `code-server-${editorVersion}`),
  );
  return cache;
}

/** Command lines of the living processes whose environment holds the mark. */
async function processesWith(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, what: string) => readFile(`/proc/${pid}/${what}`, 'utf8').catch(() => '');
  const marked = await Promise.all(
    pids.map(async (pid) => ((await read(pid, 'environ')).split('\0').includes(mark) ? read(pid, 'cmdline') : '')),
  );
  return marked.filter(Boolean);
}
