import { readdir } from 'node:fs/promises';
import path from 'node:path';
import Mocha from 'mocha';
import Reporter from '../harness/reporter.ts';

/** The extension host calls this; the bundled test files lie beside it. Rejects when a test failed. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, reporter: Reporter, color: false });
  const only = process.env.MIDCOURSE_TEST_GREP;
  if (only) mocha.grep(new RegExp(only));
  const here = import.meta.dirname;
  const files = (await readdir(here, { recursive: true })).filter((file) => file.endsWith('.test.js')).sort();
  for (const file of files) mocha.addFile(path.join(here, file));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed`);
}
