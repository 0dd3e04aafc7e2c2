import { appendFileSync, writeFileSync } from 'node:fs';
import { format } from 'node:util';
import Mocha from 'mocha';
import { NumberedCases } from './numbered-cases.ts';

/** How one run of mocha went, as the reporter leaves it for the process that started the run. */
export interface RunReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of each test or hook that failed: its full title and the first lines of its error. */
  readonly failures: readonly string[];
}

/** Lines of an error that are kept for the end of the run. */
const ERROR_LINES = 12;

/** Milliseconds that a run has after its last test to let go of everything. */
const LET_GO = 30_000;

/** What a test left running keeps the process alive: a run that would never end fails instead, and says by what. */
function failIfKeptAlive(file: string, report: RunReport): void {
  setTimeout(() => {
    const why = `The run is over, but these keep it alive: ${process.getActiveResourcesInfo().join(', ')}`;
    console.error(why);
    // Mocha sets the exit code by its own count.
    const kept: RunReport = { ...report, failed: report.failed + 1, failures: [...report.failures, why] };
    writeFileSync(file, JSON.stringify(kept));
    process.exit();
  }, LET_GO).unref();
}

function printCases(runner: Mocha.Runner, table: 'table' | 'attempts'): void {
  const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, EVENT_RUN_END } = Mocha.Runner.constants;
  const cases = new NumberedCases();
  runner.on(EVENT_TEST_PASS, (test) => cases.add(test, 'passed'));
  runner.on(EVENT_TEST_FAIL, (test) => cases.add(test, 'FAILED'));
  runner.on(EVENT_TEST_PENDING, (test) => cases.add(test, 'skipped'));
  runner.once(EVENT_RUN_END, () => Mocha.reporters.Base.consoleLog(cases[table]()));
}

/**
 * Mocha's usual report, and the counts as JSON in the file that MIDCOURSE_TEST_REPORT names.
 * MIDCOURSE_TEST_CASES=table adds a table of the numbered cases, MIDCOURSE_TEST_CASES=attempts one of attacks.
 * Inside an extension host nobody sees standard output: MIDCOURSE_TEST_OUTPUT names a file that gets the text instead.
 */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    const output = process.env.MIDCOURSE_TEST_OUTPUT;
    if (output) {
      Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => appendFileSync(output, `${format(...parts)}\n`);
    }
    super(runner, options);
    const cases = process.env.MIDCOURSE_TEST_CASES;
    if (cases === 'table' || cases === 'attempts') printCases(runner, cases);
    const file = process.env.MIDCOURSE_TEST_REPORT;
    if (!file) return;
    const failures: string[] = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error: unknown) => {
      const lines = String((error instanceof Error && error.stack) || error).split('\n');
      failures.push([test.fullTitle(), ...lines.slice(0, ERROR_LINES)].join('\n    '));
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures: failed, pending } = this.stats;
      const report: RunReport = { passed: passes, failed, skipped: pending, failures };
      writeFileSync(file, JSON.stringify(report));
      if (!output) failIfKeptAlive(file, report);
    });
  }
}
