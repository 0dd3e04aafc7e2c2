import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import type { SuiteResult } from './suites.ts';

const count = z.int().nonnegative();
const schema = z.object({ passed: count, failed: count, skipped: count, failures: z.array(z.string()) });

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
    if (report.passed + report.failed + report.skipped === 0) return withFailure(report, 'No test was found.');
    if (code !== 0 && report.failed === 0) return withFailure(report, `The run ended with exit code ${code}.`);
    return report;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return withFailure({ passed: 0, failed: 0, skipped: 0, failures: [] }, `The tests did not come to an end: ${why}`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function withFailure(result: SuiteResult, why: string): SuiteResult {
  console.error(why);
  return { ...result, failed: result.failed + 1, failures: [...result.failures, why] };
}
