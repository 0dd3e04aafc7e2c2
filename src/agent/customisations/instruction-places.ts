import { dirname, join, parse, relative, sep } from 'node:path';
import * as z from 'zod';
import { shownPath } from '../safety/index.ts';
import { hiddenNote } from './documents.ts';
import { readFrontmatter } from './frontmatter.ts';
import { type FoundInstructions, type InstructionPlace, readInstructions } from './instruction-file.ts';
import { cutTo, EACH_BYTES } from './size.ts';
import { entriesOf, type SourceFiles } from './source-files.ts';
import type { Instructions, Unused } from './types.ts';

/** Where customisations are looked for. */
export interface Roots {
  /** Absolute real paths of the workspace folders; empty where they are not trusted. */
  readonly folders: readonly string[];
  /** Absolute path of the user's home folder. */
  readonly home: string;
}

/** The user's own, farthest from the work: a later one counts more. */
const OF_THE_USER = ['.midcourse/AGENTS.md', '.codex/AGENTS.md', '.claude/CLAUDE.md'] as const;

/** Of a workspace folder, before its `*.instructions.md`. */
const OF_A_FOLDER = [
  '.github/copilot-instructions.md',
  'AGENTS.md',
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'CLAUDE.local.md',
  // What reviews of ended turns noted.
  '.midcourse/notes.md',
] as const;

/** Of a folder below, given when the agent first works there. */
const NESTED = ['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md'] as const;

/** All that counts for the whole workspace, and the `*.instructions.md` for some of its files. Later ones stand nearer. */
export async function findInstructions({ folders, home }: Roots, files: SourceFiles): Promise<FoundInstructions> {
  const user = OF_THE_USER.map((name) => {
    const path = join(home, name);
    // Home folders are often links themselves, and their files links into a folder that is under version control.
    const within = [parse(home).root];
    return readInstructions({ path, source: { is: 'user' }, within, nameOf: (at) => homeName(home, at) }, files);
  });
  const workspace = folders.flatMap((folder) => [
    ...OF_A_FOLDER.map((name) => readInstructions(placeIn(folder, join(folder, name), folders), files)),
    findMatching(folder, folders, files),
  ]);
  return joined(await Promise.all([...user, ...workspace]));
}

/** The instructions of the folders between the workspace folder and `path`, outermost first. */
export async function findNested(
  folder: string,
  path: string,
  { folders }: Pick<Roots, 'folders'>,
  files: SourceFiles,
): Promise<FoundInstructions> {
  const between: string[] = [];
  for (let at = path; at !== folder && at.startsWith(folder + sep); at = dirname(at)) between.unshift(at);
  return joined(
    await Promise.all(
      between.flatMap((at) => NESTED.map((name) => readInstructions(placeIn(folder, join(at, name), folders), files))),
    ),
  );
}

function placeIn(folder: string, path: string, folders: readonly string[]): InstructionPlace {
  return {
    path,
    source: { is: 'workspace' },
    within: [folder],
    nameOf: (at) => workspaceName(folder, at, folders),
  };
}

/** As the model is shown the path, so that it leads back to the file. */
function workspaceName(folder: string, path: string, folders: readonly string[]): string {
  return shownPath(path, folders.includes(folder) ? folders : [folder]);
}

function homeName(home: string, path: string): string {
  return `~/${relative(home, path).split(sep).join('/')}`;
}

const ENDING = '.instructions.md';

const frontmatter = z.object({
  name: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  applyTo: z.union([z.string(), z.array(z.string())]).optional(),
});

/** `.github/instructions` and the folders in it. */
async function findMatching(
  folder: string,
  folders: readonly string[],
  files: SourceFiles,
): Promise<FoundInstructions> {
  const found: Instructions[] = [];
  const unused: Unused[] = [];
  const look = async (at: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(at)) {
      if (entry.isFolder && depth < 4) await look(entry.path, depth + 1);
      else if (entry.name.endsWith(ENDING)) await readOne(entry.path);
    }
  };
  const readOne = async (path: string): Promise<void> => {
    const source = { is: 'workspace' } as const;
    const refuse = (why: string, held?: string) =>
      unused.push({ path, source, why, ...(held === undefined ? {} : { held }) });
    const read = await files.read(path, [folder]);
    if (read.is === 'absent') return;
    if (read.is === 'refused') return void refuse(read.why, read.held);
    const file = await readFrontmatter(read.text);
    if (!file.ok) return void refuse(file.why);
    const fields = frontmatter.safeParse(file.fields);
    if (!fields.success) return void refuse('applyTo is neither a glob nor a list of globs.');
    const appliesTo = globsOf(fields.data.applyTo);
    if (appliesTo.length === 0) return void refuse('it has no applyTo, so nothing says when it counts.');
    if (file.body === '') return void refuse('it is empty.');
    found.push({
      is: 'instructions',
      name: workspaceName(folder, path, folders),
      description: fields.data.description ?? '',
      path,
      source,
      text: cutTo(file.body, EACH_BYTES, read.bytesCut, path),
      ...(appliesTo.some(isEverything) ? {} : { appliesTo }),
      ...(read.hidden > 0 ? { notes: [hiddenNote(read.hidden)] } : {}),
    });
  };
  await look(join(folder, '.github', 'instructions'), 0);
  return { found, unused };
}

function globsOf(applyTo: string | readonly string[] | undefined): readonly string[] {
  const globs = typeof applyTo === 'string' ? applyTo.split(/,(?![^{]*\})/) : (applyTo ?? []);
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== '');
}

function isEverything(glob: string): boolean {
  return glob === '**' || glob === '*' || glob === '**/*';
}

function joined(all: readonly FoundInstructions[]): FoundInstructions {
  return { found: all.flatMap(({ found }) => found), unused: all.flatMap(({ unused }) => unused) };
}
