import { basename, join, parse } from 'node:path';
import { fewAtOnce } from '../kernel/few-at-once.ts';
import { type Document, readAgent, readCommand, readSkill } from './documents.ts';
import { findInstructions, type Roots } from './instruction-places.ts';
import { entriesOf, type SourceFiles } from './source-files.ts';
import type {
  AgentRole,
  CommandFile,
  CustomisationFolder,
  CustomisationSource,
  Instructions,
  Skill,
  Unused,
} from './types.ts';

/** All that was found at one time. */
export interface Collection {
  /** In their order: a later one stands nearer to the work. */
  readonly instructions: readonly Instructions[];
  readonly skills: readonly Skill[];
  /** Prompt files and commands; of skills see `userMayUse`. */
  readonly commands: readonly CommandFile[];
  readonly agents: readonly AgentRole[];
  readonly unused: readonly Unused[];
}

export const NOTHING_FOUND: Collection = { instructions: [], skills: [], commands: [], agents: [], unused: [] };

const OF_A_FOLDER = {
  skills: ['.agents/skills', '.claude/skills', '.github/skills', '.midcourse/skills'],
  prompts: ['.github/prompts'],
  commands: ['.claude/commands'],
  agents: ['.github/agents', '.claude/agents'],
} as const;

const OF_THE_USER = {
  skills: ['.agents/skills', '.claude/skills', '.copilot/skills', '.midcourse/skills'],
  prompts: [],
  commands: ['.claude/commands'],
  agents: ['.claude/agents', '.copilot/agents'],
} as const;

interface Place extends CustomisationFolder {
  readonly within: readonly string[];
}

/**
 * Reads everything anew; what has not changed is not read again (`SourceFiles`). Of two with one name that of the
 * workspace is used before that of the user, and that before a plugin's; those of plugins are called `plugin:name`.
 *
 * @param provided folders of plugins
 */
export async function collect(
  roots: Roots,
  provided: readonly CustomisationFolder[],
  files: SourceFiles,
): Promise<Collection> {
  const places = [...ofWorkspace(roots), ...ofUser(roots), ...provided.map(inItself)];
  const [instructions, ...read] = await Promise.all([
    findInstructions(roots, files),
    ...places.map((place) => readPlace(place, files)),
  ]);
  const unused = [...instructions.unused];
  const all = read.flat();
  for (const { path, source, document } of all) {
    if (document.is !== 'unused') continue;
    const { why, held } = document;
    unused.push({ path, source, why, ...(held === undefined ? {} : { held }) });
  }
  const values = all.flatMap(({ document }) => (document.is === 'found' ? [document.value] : []));
  const skills = values.filter((value) => value.is === 'skill');
  const commands = values.filter((value): value is CommandFile => value.is === 'prompt' || value.is === 'command');
  const agents = values.filter((value) => value.is === 'agent');
  return {
    instructions: withoutTwins(instructions.found, unused),
    skills: firstOfEachName(skills, unused),
    commands: firstOfEachName(commands, unused),
    agents: firstOfEachName(agents, unused),
    unused,
  };
}

function ofWorkspace({ folders }: Roots): readonly Place[] {
  return folders.flatMap((folder) => placesOf(folder, OF_A_FOLDER, { is: 'workspace' }, [folder]));
}

function ofUser({ home }: Roots): readonly Place[] {
  // Links that lead out of the home folder are the user's own doing.
  return placesOf(home, OF_THE_USER, { is: 'user' }, [parse(home).root]);
}

function placesOf(
  root: string,
  names: Readonly<Record<CustomisationFolder['holds'], readonly string[]>>,
  source: CustomisationSource,
  within: readonly string[],
): readonly Place[] {
  const kinds = ['skills', 'prompts', 'commands', 'agents'] as const;
  return kinds.flatMap((holds) => names[holds].map((name) => ({ path: join(root, name), holds, source, within })));
}

function inItself(folder: CustomisationFolder): Place {
  return { ...folder, within: [folder.path] };
}

type Value = Skill | CommandFile | AgentRole;

interface ReadFile {
  readonly path: string;
  readonly source: CustomisationSource;
  readonly document: Document<Value>;
}

async function readPlace(
  { path: folder, holds, source, within }: Place,
  files: SourceFiles,
): Promise<readonly ReadFile[]> {
  const found = await entriesOf(folder);
  // A plugin may name a file of its own.
  const isFile = found.length === 0 && folder.endsWith('.md');
  const entries = isFile ? [{ name: basename(folder), path: folder, isFolder: false }] : found;
  const reads: (() => Promise<ReadFile>)[] = [];
  const add = (
    path: string,
    read: (place: { path: string; source: CustomisationSource; within: readonly string[] }) => Promise<Document<Value>>,
  ) => reads.push(async () => ({ path, source, document: await read({ path, source, within }) }));
  switch (holds) {
    case 'skills': {
      const isOne = entries.some(({ name }) => name === 'SKILL.md');
      const folders = isOne ? [folder] : entries.filter(({ isFolder }) => isFolder).map(({ path }) => path);
      for (const path of folders) add(join(path, 'SKILL.md'), (place) => readSkill(place, files));
      break;
    }
    case 'prompts':
      for (const [path, name] of named(entries, ['.prompt.md'])) {
        add(path, (place) => readCommand('prompt', name, place, files));
      }
      break;
    case 'commands': {
      for (const [path, name] of named(entries, ['.md'])) {
        add(path, (place) => readCommand('command', name, place, files));
      }
      for (const below of entries.filter(({ isFolder }) => isFolder)) {
        for (const [path, name] of named(await entriesOf(below.path), ['.md'])) {
          add(path, (place) => readCommand('command', `${below.name}:${name}`, place, files));
        }
      }
      break;
    }
    case 'agents':
      for (const [path, name] of named(entries, ['.agent.md', '.md'])) {
        add(path, (place) => readAgent(name, place, files));
      }
      break;
    default:
      holds satisfies never;
  }
  const all = await fewAtOnce(reads, (read) => read());
  return source.is === 'plugin' ? all.map((one) => ofPlugin(one, source.plugin)) : all;
}

/** Files with one of the endings, with their names without it. */
function named(
  entries: Awaited<ReturnType<typeof entriesOf>>,
  endings: readonly string[],
): readonly (readonly [path: string, name: string])[] {
  return entries.flatMap(({ name, path, isFolder }) => {
    const ending = endings.find((one) => name.endsWith(one) && name.length > one.length);
    return isFolder || ending === undefined ? [] : [[path, name.slice(0, -ending.length)] as const];
  });
}

function ofPlugin(one: ReadFile, plugin: string): ReadFile {
  const { document } = one;
  if (document.is !== 'found') return one;
  const name = `${plugin}:${document.value.name}`;
  return { ...one, document: { is: 'found', value: { ...document.value, name } } };
}

function firstOfEachName<T extends Value>(values: readonly T[], unused: Unused[]): readonly T[] {
  const first = new Map<string, T>();
  for (const value of values) {
    const key = value.name.toLowerCase();
    const other = first.get(key);
    if (!other) first.set(key, value);
    else {
      const { path, source } = value;
      unused.push({ path, source, why: `${value.name} is already the name of ${other.path}, which is used.` });
    }
  }
  return [...first.values()];
}

/** The same words are said once, however many files lead to them: at the place that stands nearest. */
function withoutTwins(all: readonly Instructions[], unused: Unused[]): readonly Instructions[] {
  return all.filter((one, index) => {
    const twin = all.slice(index + 1).find((other) => isTwin(one, other));
    if (!twin) return true;
    if (twin.path !== one.path) {
      unused.push({ path: one.path, source: one.source, why: `it says the same as ${twin.path}.` });
    }
    return false;
  });
}

export function isTwin(one: Instructions, other: Instructions): boolean {
  const globs = ({ appliesTo = [] }: Instructions) => appliesTo.join(',');
  return one.text === other.text && globs(one) === globs(other);
}
