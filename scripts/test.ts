import { type Suite, type SuiteResult, suites } from './test/suites.ts';

/** Usage: node scripts/test.ts [suite…]: all suites in their order, or those named. Ends with what failed and the sum. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0)
  throw new Error(`No such suite: ${unknown.join(', ')}. There are: ${suites.map(({ name }) => name).join(', ')}`);

const sum = { passed: 0, failed: 0, skipped: 0 };
const broken = new Set<string>();
const failures: string[] = [];
for (const suite of suites.filter(isWanted)) {
  const missing = suite.after.find((name) => broken.has(name));
  if (missing) {
    console.log(`\n── ${suite.name}: not run, because ${missing} failed`);
    continue;
  }
  const { passed, failed, skipped, failures: ofSuite } = await timed(suite);
  failures.push(...ofSuite.map((failure) => `${suite.name}: ${failure}`));
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
  if (failed > 0) broken.add(suite.name);
}
if (failures.length > 0) console.log(`\n── failed\n\n${failures.join('\n\n')}`);
console.log(`\n${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`);
process.exitCode = sum.failed > 0 ? 1 : 0;

function isWanted({ name, onlyNamed }: Suite): boolean {
  if (wanted.length === 0 ? !onlyNamed : wanted.includes(name)) return true;
  return suites.some((suite) => wanted.includes(suite.name) && suite.after.includes(name));
}

async function timed(suite: Suite): Promise<SuiteResult> {
  console.log(`\n── ${suite.name}`);
  const started = performance.now();
  const result = await suite.run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${suite.name}: ${result.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return result;
}
