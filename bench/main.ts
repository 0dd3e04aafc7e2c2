/**
 * `npm run bench [-- NAME…]`: measures and prints a Markdown table. Each NAME picks a measurement (see `MEASUREMENTS`).
 * `--vsix FILE` measures a package that is there already, `--folder DIR` an extension that was built there. Figures are
 * comparable on one machine only; run it when nothing else runs.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, table } from './figure.ts';
import * as chat from './in-editor/chat-measurements.ts';
import * as host from './in-editor/host-measurements.ts';
import { activation, idleMemory } from './in-editor/start-up.ts';
import { loopFigures } from './loop.ts';
import { ServerProcess } from './model-server.ts';
import { references } from './references.ts';
import { type Measurement, runInEditor } from './rig.ts';
import { storeFigures } from './store.ts';

const IN_EDITOR: readonly Measurement[] = [
  host.apiSend,
  chat.enterToRequest,
  chat.firstTokenToPainted,
  host.apiStop,
  chat.stopInChat,
  chat.stopBehindBurst,
  chat.burstPainted,
  host.cpuPerDelta,
  activation,
];

const MEASUREMENTS = ['store', 'loop', 'vsixSize', ...IN_EDITOR.map((measure) => measure.name), 'idleMemory'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { vsix: { type: 'string' }, folder: { type: 'string' } },
});
const unknown = positionals.filter((name) => !MEASUREMENTS.includes(name));
if (unknown.length > 0) throw new Error(`No measurement ${unknown.join(', ')}. There are: ${MEASUREMENTS.join(', ')}.`);
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);

const figures: Figure[] = [];
const report = (some: readonly Figure[]): void => {
  figures.push(...some);
  process.stderr.write(`${table(some).split('\n').slice(2).join('\n')}\n`);
};

if (wanted('store')) report(storeFigures());
if (wanted('loop')) report(await loopFigures());
if (MEASUREMENTS.slice(2).some(wanted)) await measureExtension();
process.stdout.write(`${table(figures)}\n\n${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);

async function measureExtension(): Promise<void> {
  const vsix = values.vsix ?? (values.folder === undefined ? packageExtension() : undefined);
  const what = vsix === undefined ? { extension: resolve(values.folder ?? '.') } : { vsix: resolve(vsix) };
  if (wanted('vsixSize') && vsix !== undefined) report([vsixSize(vsix)]);
  const inEditor = IN_EDITOR.filter((measure) => wanted(measure.name));
  if (inEditor.length > 0) await runInEditor(what, inEditor, report);
  if (!wanted('idleMemory')) return;
  await using server = await ServerProcess.start();
  report(await idleMemory(what, server.client));
}

function vsixSize(vsix: string): Figure {
  const megabytes = statSync(vsix).size / 1e6;
  return { name: 'VSIX', unit: 'MB', samples: [megabytes], aim: 1, references: references.vsixSize };
}

function packageExtension(): string {
  const root = join(import.meta.dirname, '..');
  execFileSync(process.execPath, [join(root, 'scripts/package.ts')], { cwd: root, stdio: ['ignore', 2, 2] });
  const packages = readdirSync(root).filter((name) => name.endsWith('.vsix'));
  const newest = packages.map((name) => join(root, name)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  if (!newest) throw new Error('npm run package made no .vsix.');
  return newest;
}
