import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import { installEditor } from '../editor/install.ts';
import { cacheFolder, repository } from '../editor/places.ts';
import { withReport } from './report.ts';
import type { SuiteResult } from './suites.ts';

/**
 * Runs out/test inside the extension host of a real editor: the one from the package registry,
 * or with MIDCOURSE_VSCODE=desktop a desktop VS Code that is downloaded.
 *
 * @param only a regular expression of the titles of tests
 * @param cases prints a table of the numbered tests, as the reporter reads MIDCOURSE_TEST_CASES
 */
export async function runInExtensionHost({
  only,
  cases,
}: {
  only?: string;
  cases?: 'attempts';
} = {}): Promise<SuiteResult> {
  const desktop = process.env.MIDCOURSE_VSCODE === 'desktop';
  if (!desktop) await installEditor((line) => console.error(line));
  return withReport(async (report, folder) => {
    const workspace = path.join(folder, 'workspace');
    const home = path.join(folder, 'home');
    const output = path.join(folder, 'output.txt');
    await cp(path.join(repository, 'samples/ts-starter'), workspace, { recursive: true });
    await mkdir(home);
    // Gives language models, as Copilot would. The window takes only one extension under development.
    const provider = path.join(folder, 'extensions/model-provider');
    await cp(path.join(repository, 'test/fixtures/model-provider'), provider, { recursive: true });
    try {
      return await runTests({
        ...(desktop ? {} : { vscodeExecutablePath: path.join(repository, 'scripts/editor/vscode') }),
        extensionDevelopmentPath: repository,
        extensionTestsPath: path.join(repository, 'out/test/index.js'),
        launchArgs: [
          workspace,
          `--user-data-dir=${path.join(folder, 'user')}`,
          `--extensions-dir=${path.join(folder, 'extensions')}`,
        ],
        extensionTestsEnv: {
          MIDCOURSE_TEST_REPORT: report,
          MIDCOURSE_TEST_OUTPUT: output,
          ...(only === undefined ? {} : { MIDCOURSE_TEST_GREP: only }),
          ...(cases === undefined ? {} : { MIDCOURSE_TEST_CASES: cases }),
          // Hooks and skills of the person who runs the tests must not take part; the editor stays in the real cache.
          HOME: home,
          XDG_CACHE_HOME: path.dirname(cacheFolder()),
        },
      });
    } catch (error) {
      if (error instanceof TestRunFailedError) return error.code ?? 1;
      throw error;
    } finally {
      if (existsSync(output)) process.stdout.write(await readFile(output, 'utf8'));
    }
  });
}
