import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { repository } from './editor/places.ts';

/**
 * Usage: node scripts/notice.ts [--check], after a build.
 * Writes NOTICE: the licences of the packages whose code or files are in the bundles. With --check it only compares.
 */
const file = path.join(repository, 'NOTICE');
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  repository: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).optional(),
});

/** Licences that a repository has, and its packages do not. */
const LEFT_OUT = new Map([
  ['https://github.com/xtermjs/xterm.js', path.join(repository, 'scripts/licences/xterm.txt')],
]);

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
  const bundled = await Promise.all((await bundledPackages()).map(readPackage));
  const byText = new Map<string, Licence>();
  for (const one of bundled) {
    const text = one.text ?? siblingOf(one, bundled).text;
    if (text === undefined) throw new Error(`${one.title} is bundled, but has no licence file.`);
    const licence = byText.get(text) ?? { packages: [], text };
    licence.packages.push(one.title);
    byText.set(text, licence);
  }
  const rule = '-'.repeat(80);
  const parts = [...byText.values()].map(({ packages, text }) => `${packages.join('\n')}\n\n${text}\n`);
  return [`Midcourse contains software and files of others, under these licences.\n`, ...parts].join(`\n${rule}\n\n`);
}

/** Some repositories put their licence into a few of their packages only: it is one for all that name it. */
function siblingOf(one: Package, bundled: readonly Package[]): Package {
  const { repository, license } = one;
  const fits = (other: Package) => other.repository === repository && other.license === license;
  return bundled.find((other) => other.text !== undefined && repository !== undefined && fits(other)) ?? one;
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

interface Package {
  readonly title: string;
  readonly license: string;
  readonly repository: string | undefined;
  /** Of its licence and notice files; undefined when it has none. */
  readonly text: string | undefined;
}

async function readPackage(name: string): Promise<Package> {
  const folder = path.join(repository, name);
  const manifest = Manifest.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));
  const names = (await readdir(folder)).filter((entry) => /^(licen[cs]e|notice|copying)/i.test(entry)).sort();
  const texts = await Promise.all(names.map((entry) => readFile(path.join(folder, entry), 'utf8')));
  const ofRepository = manifest.repository === undefined ? undefined : LEFT_OUT.get(manifest.repository);
  if (names.length === 0 && ofRepository !== undefined) texts.push(await readFile(ofRepository, 'utf8'));
  return {
    title: `${manifest.name} ${manifest.version} (${manifest.license})`,
    license: manifest.license,
    repository: manifest.repository,
    text: texts.length === 0 ? undefined : texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n'),
  };
}
