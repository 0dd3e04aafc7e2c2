import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

/**
 * Usage: node esbuild.mjs [--tests] [--watch] [--debug]
 *   --tests  also bundles test/editor into out/test, for the extension host
 *   --watch  builds again on every change, until it is stopped
 *   --debug  source maps, names kept
 */
const flags = new Set(process.argv.slice(2));
const root = path.dirname(fileURLToPath(import.meta.url));
const debug = flags.has('--debug') || flags.has('--watch');

/** Where `safety/shell/grammar.ts` looks for them. */
const grammars = 'dist/grammars';
const grammarFiles = [
  'node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  'node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
  'node_modules/web-tree-sitter/web-tree-sitter.wasm',
];

// CommonJS dependencies inside an ES module still call require().
const requireForCommonJs =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** @type {esbuild.BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  minify: !debug,
  keepNames: debug,
  sourcemap: debug ? 'linked' : false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** @type {esbuild.BuildOptions} */
const onNode = {
  ...shared,
  platform: 'node',
  target: 'node22',
  external: ['vscode'],
  splitting: true,
  // Packages that ship both: the ES module shakes down to what is used.
  mainFields: ['module', 'main'],
  banner: { js: requireForCommonJs },
};

const host = {
  ...onNode,
  entryPoints: { extension: 'src/extension.ts', ...(await threadsAndChildren()) },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
};

const chat = {
  ...shared,
  platform: 'browser',
  target: 'chrome132',
  entryPoints: { main: 'webview/main.tsx' },
  outdir: 'dist/webview',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: { react: 'preact/compat', 'react-dom': 'preact/compat', 'react/jsx-runtime': 'preact/jsx-runtime' },
  // The icon font, beside the style sheet that names it.
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
};

const editorTests = {
  ...onNode,
  entryPoints: await filesBelow('test/editor', (name) => name === 'index.ts' || name.endsWith('.test.ts')),
  outdir: 'out/test',
  outbase: 'test/editor',
  // Mocha loads its parts by file name, so it stays in node_modules.
  external: ['vscode', 'mocha'],
  minify: false,
  sourcemap: 'linked',
};

const builds = [host, chat, ...(flags.has('--tests') ? [editorTests] : [])].filter(hasSource);

if (flags.has('--watch')) {
  const contexts = await Promise.all(builds.map((build) => esbuild.context({ ...build, logLevel: 'info' })));
  await Promise.all([copyGrammars(), ...contexts.map((context) => context.watch())]);
} else {
  const results = await Promise.allSettled(builds.map((build) => esbuild.build(build)));
  // esbuild has printed what is wrong and where.
  if (results.some((result) => result.status === 'rejected')) process.exit(1);
  const metafiles = results.map((result) => result.value.metafile);
  await copyGrammars();
  await Promise.all(metafiles.map((metafile, index) => removeStale(builds[index].outdir, metafile)));
  await writeMetafile(metafiles);
}

/** Worker threads and child processes are loaded by file name: `*.worker.ts` and `*.child.ts` are entry points. */
async function threadsAndChildren() {
  const files = await filesBelow('src', (name) => /\.(worker|child)\.ts$/.test(name));
  return Object.fromEntries(files.map((file) => [path.basename(file, '.ts'), file]));
}

async function filesBelow(folder, wanted) {
  if (!existsSync(path.join(root, folder))) return [];
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

function hasSource(build) {
  const entries = Object.values(build.entryPoints);
  return entries.length > 0 && existsSync(path.join(root, entries[0]));
}

/** The grammars of shells are loaded by file name, from a folder beside the chunks. */
async function copyGrammars() {
  await mkdir(path.join(root, grammars), { recursive: true });
  await Promise.all(
    grammarFiles.map((file) => cp(path.join(root, file), path.join(root, grammars, path.basename(file)))),
  );
}

/** Removes what an earlier build left. Only afterwards, so that an editor that runs on the old build keeps its files. */
async function removeStale(outdir, metafile) {
  const kept = new Set(Object.keys(metafile.outputs));
  const nested = [...builds.map((build) => `${build.outdir}/`), `${grammars}/`].filter(
    (folder) => folder.startsWith(`${outdir}/`) && folder !== `${outdir}/`,
  );
  const present = await filesBelow(outdir, () => true);
  const stale = present.filter((file) => !kept.has(file) && !nested.some((folder) => file.startsWith(folder)));
  await Promise.all(stale.map((file) => rm(path.join(root, file), { force: true })));
}

/** What went into the bundles: scripts/notice.ts reads it. Outside dist, so that it is never packaged. */
async function writeMetafile(metafiles) {
  const inputs = Object.assign({}, ...metafiles.map((metafile) => metafile.inputs));
  const copied = grammarFiles.map((file) => {
    return [`${grammars}/${path.basename(file)}`, { inputs: { [file]: { bytesInOutput: 1 } } }];
  });
  const outputs = Object.assign(Object.fromEntries(copied), ...metafiles.map((metafile) => metafile.outputs));
  await mkdir(path.join(root, 'out'), { recursive: true });
  await writeFile(path.join(root, 'out/metafile.json'), JSON.stringify({ inputs, outputs }));
}
