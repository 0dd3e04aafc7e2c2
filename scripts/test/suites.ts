import { type Commands, runCommands } from './commands.ts';
import { runInExtensionHost } from './extension-host.ts';
import { runMocha } from './mocha.ts';

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed and why, for the end of the run. */
  readonly failures: readonly string[];
}

export interface Suite {
  readonly name: string;
  /** Suites that have to run before, also when only this one is asked for. */
  readonly after: readonly string[];
  /** Part of another suite: it runs only where it is named. */
  readonly onlyNamed?: true;
  run(): Promise<SuiteResult>;
}

const check: Commands = [
  ['node_modules/typescript/bin/tsc', '-p', '.'],
  ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
];

function runInBrowser(files: string, env: Readonly<Record<string, string>> = {}): Promise<SuiteResult> {
  return runMocha(['--timeout', '120000', '--require', 'test/ui/setup.ts', files], env);
}

/** In the order in which they run: what is quick and fundamental first. */
export const suites: readonly Suite[] = [
  { name: 'check', after: [], run: () => runCommands(check) },
  { name: 'build', after: [], run: () => runCommands([['esbuild.mjs', '--tests']]) },
  { name: 'unit', after: [], run: () => runMocha(['--timeout', '20000', 'test/unit/**/*.test.ts']) },
  {
    name: 'model',
    after: [],
    run: () => runMocha(['--timeout', '60000', 'test/{model,codex}/**/*.test.ts'], { MIDCOURSE_TEST_CASES: 'table' }),
  },
  {
    name: 'hooks',
    after: ['build'],
    run: () => runMocha(['--timeout', '60000', 'test/hooks/**/*.test.ts'], { MIDCOURSE_TEST_CASES: 'table' }),
  },
  {
    name: 'security',
    after: ['build'],
    run: () => runMocha(['--timeout', '60000', 'test/security/**/*.test.ts'], { MIDCOURSE_TEST_CASES: 'attempts' }),
  },
  { name: 'sim', after: [], run: () => runMocha(['--timeout', '300000', 'test/sim/**/*.test.ts']) },
  { name: 'reports', after: [], run: () => runMocha(['--timeout', '60000', 'test/reports/**/*.test.ts']) },
  { name: 'editor', after: ['build'], run: () => runInExtensionHost() },
  { name: 'editor-hooks', after: ['build'], onlyNamed: true, run: () => runInExtensionHost({ only: '^hooks: ' }) },
  {
    name: 'editor-security',
    after: ['build'],
    onlyNamed: true,
    run: () => runInExtensionHost({ only: '^security: ', cases: 'attempts' }),
  },
  { name: 'ui', after: ['build'], run: () => runInBrowser('test/ui/**/*.test.ts') },
  {
    name: 'ui-security',
    after: ['build'],
    onlyNamed: true,
    run: () => runInBrowser('test/ui/security/**/*.test.ts', { MIDCOURSE_TEST_CASES: 'attempts' }),
  },
];
