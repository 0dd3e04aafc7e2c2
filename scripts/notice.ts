import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { repository } from './editor/places.ts';

/**
 * Usage: node scripts/notice.ts [--check], after a build.
 * Writes NOTICE: the licences of the packages whose code or files are in the bundles. With --check it only compares.
 */
const file = path.join(repository, 'NOTICE');
const notice = await composeNotice();
if (!process.argv.includes('--check')) {
  await writeFile(file, notice);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== notice) {
  console.error('NOTICE does not name what is in the bundles. Write it anew with: npm run notice');
  process.exitCode = 1;
}

interface Licence {
  readonly packages: string[];
  readonly text: string;
}

async function composeNotice(): Promise<string> {
  const byText = new Map<string, Licence>();
  for (const name of await bundledPackages()) {
    const { title, text } = await licenceOf(name);
    const licence = byText.get(text) ?? { packages: [], text };
    licence.packages.push(title);
    byText.set(text, licence);
  }
  const rule = '-'.repeat(80);
  const parts = [...byText.values()].map(({ packages, text }) => `${packages.join('\n')}\n\n${text}\n`);
  return [`Midcourse contains software and files of others, under these licences.\n`, ...parts].join(`\n${rule}\n\n`);
}

/** Packages of which anything is left in the bundles of the extension after tree shaking, in alphabetical order. */
async function bundledPackages(): Promise<string[]> {
  const metafile = z.object({
    outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
  });
  const { outputs } = metafile.parse(JSON.parse(await readFile(path.join(repository, 'out/metafile.json'), 'utf8')));
  const ofExtension = Object.entries(outputs).filter(([output]) => output.startsWith('dist/'));
  const inputs = ofExtension.flatMap(([, { inputs }]) => Object.entries(inputs));
  const names = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => packageOf(input));
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** The package folder below the repository, also of a package inside another one's node_modules. */
function packageOf(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

async function licenceOf(name: string): Promise<{ title: string; text: string }> {
  const folder = path.join(repository, name);
  const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
  const {
    name: title,
    version,
    license,
  } = manifest.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));
  const names = (await readdir(folder)).filter((entry) => /^(licen[cs]e|notice|copying)/i.test(entry)).sort();
  if (names.length === 0) throw new Error(`${title} is bundled, but has no licence file.`);
  const texts = await Promise.all(names.map((entry) => readFile(path.join(folder, entry), 'utf8')));
  return {
    title: `${title} ${version} (${license})`,
    text: texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n'),
  };
}
