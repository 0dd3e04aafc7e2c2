import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { windowAddress } from './address.ts';
import { startBrowser } from './browser.ts';
import { installEditor } from './install.ts';
import { LaunchScope } from './launch-scope.ts';
import { startServer } from './server.ts';

/**
 * What `code` does with --extensionDevelopmentPath and --extensionTestsPath, on VS Code's server in a headless browser:
 * runs the tests in the extension host, prints the errors that are logged and ends with the tests' exit code. Other flags are ignored.
 */
const { values, positionals } = parseArgs({
  options: {
    extensionDevelopmentPath: { type: 'string', multiple: true },
    extensionTestsPath: { type: 'string' },
    'user-data-dir': { type: 'string' },
    'extensions-dir': { type: 'string' },
    'disable-workspace-trust': { type: 'boolean' },
  },
  strict: false,
  allowPositionals: true,
});

/** A host that hangs would otherwise hang the test run. */
const patience = Number(process.env.MIDCOURSE_EDITOR_PATIENCE ?? 15 * 60_000);

process.exitCode = await runTests();

async function runTests(): Promise<number> {
  const tests = values.extensionTestsPath;
  if (typeof tests !== 'string')
    throw new Error('Only for test runs: --extensionTestsPath is missing. For an editor to work in: npm start.');
  const installed = await installEditor((line) => process.stderr.write(`${line}\n`));
  const scope = await LaunchScope.open();
  const stopped = new Promise<number>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve(130));
  });
  try {
    const server = await startServer(scope, installed, {
      ...text('serverData', values['user-data-dir']),
      ...text('extensions', values['extensions-dir']),
      workspaceTrust: !values['disable-workspace-trust'],
    });
    const browser = await startBrowser(scope);
    const page = await browser.newPage();
    // The workbench calls these when they exist: with what the tests print, and with their result.
    await page.exposeFunction('codeAutomationLog', (kind: string, parts: unknown[]) => print(kind, parts));
    const finished = new Promise<number>((resolve) => {
      void page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
    });
    const developed = (values.extensionDevelopmentPath ?? []).filter((folder) => typeof folder === 'string');
    const address = windowAddress({
      origin: server.origin,
      folder: positionals[0] === undefined ? undefined : path.resolve(positionals[0]),
      extensions: developed.map((folder) => path.resolve(folder)),
      tests: path.resolve(tests),
    });
    await page.goto(address, { timeout: 120_000 });
    const late = new AbortController();
    const tooLate = delay(patience, 124, { signal: late.signal }).then((code) => {
      process.stderr.write(`The tests did not end within ${patience / 1000} s.\n`);
      return code;
    });
    const code = await Promise.race([finished, stopped, tooLate, server.ended.then(() => 1)]);
    tooLate.catch(() => {}); // Cancelled by the next line.
    late.abort();
    await browser.close();
    return code;
  } finally {
    await scope.close();
  }
}

/** Everything that the workbench logs arrives here; only errors are worth a reader's time. */
function print(kind: string, parts: readonly unknown[]): void {
  if (kind !== 'error') return;
  process.stderr.write(`${parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ')}\n`);
}

function text<Name extends string>(name: Name, value: string | boolean | undefined | (string | boolean)[]) {
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [Key in Name]?: string };
}
