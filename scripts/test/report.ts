import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import type { SuiteResult } from './suites.ts';

const count = z.int().nonnegative();
const schema = z.object({ passed: count, failed: count, skipped: count });

/**
 * Gives the run a folder and a name in it for the report of test/harness/reporter.ts, and turns that into a result.
 * A run that left no report, ran nothing, or failed without a failed test counts as one failure.
 */
export async function withReport(run: (report: string, folder: string) => Promise<number>): Promise<SuiteResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'midcourse-tests-'));
  const file = path.join(folder, 'report.json');
  try {
    const code = await run(file, folder);
    const report = schema.parse(JSON.parse(await readFile(file, 'utf8')));
    const ranNothing = report.passed + report.failed + report.skipped === 0;
    if (ranNothing) console.error('No test was found.');
    const failedOtherwise = ranNothing || (code !== 0 && report.failed === 0);
    return { ...report, failed: report.failed + (failedOtherwise ? 1 : 0) };
  } catch (error) {
    console.error('The tests did not come to an end:', error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
