import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { repository } from './editor/places.ts';
import { describeFailure, run } from './editor/run.ts';

/** Usage: node scripts/package.ts. Builds the VSIX and prints its size; vsce may not warn and the size may not pass 2 MB. */
const largest = 2_000_000;

try {
  await packageExtension();
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

async function packageExtension(): Promise<void> {
  const manifest = z.object({ name: z.string(), version: z.string() });
  const { name, version } = manifest.parse(JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')));
  const vsix = path.join(repository, `${name}-${version}.vsix`);
  await node('esbuild.mjs');
  await node('scripts/notice.ts', '--check');
  const output = await node('node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--out', vsix);
  console.log(output.trim());
  if (/warning/i.test(output)) throw new Error('vsce warns: see above.');
  const { size } = await stat(vsix);
  console.log(`${path.basename(vsix)}: ${(size / 1000).toFixed(0)} KB`);
  if (size > largest) throw new Error(`The VSIX has ${size} bytes, more than the ${largest} that we allow.`);
}

function node(...args: readonly string[]): Promise<string> {
  return run(process.execPath, args, { cwd: repository });
}
