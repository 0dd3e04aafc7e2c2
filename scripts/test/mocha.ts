import { runNode } from './commands.ts';
import { withReport } from './report.ts';
import type { SuiteResult } from './suites.ts';

/** Runs mocha in a Node of its own over TypeScript files as they are. */
export function runMocha(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<SuiteResult> {
  const mocha = ['node_modules/mocha/bin/mocha.js', '--extension', 'ts', '--reporter', 'test/harness/reporter.ts'];
  const only = process.env.MIDCOURSE_TEST_GREP;
  const grep = only ? ['--grep', only] : [];
  return withReport((report) => runNode([...mocha, ...grep, ...args], { ...env, MIDCOURSE_TEST_REPORT: report }));
}
