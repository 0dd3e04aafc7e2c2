import { basename } from 'node:path';
import { secretKind } from '../safety/index.ts';
import { hiddenNote } from './documents.ts';
import { IMPORT_DEPTH, importsOf, withoutImportLines } from './imports.ts';
import { cutTo, EACH_BYTES } from './size.ts';
import type { SourceFiles } from './source-files.ts';
import type { CustomisationSource, Instructions, Unused } from './types.ts';

/** A file that may hold instructions. */
export interface InstructionPlace {
  /** Absolute. */
  readonly path: string;
  readonly source: CustomisationSource;
  /** Real paths that it and what it imports have to lie in. */
  readonly within: readonly string[];
  /** For people and the model: `src/AGENTS.md`, `~/.claude/CLAUDE.md`. */
  nameOf(path: string): string;
}

export interface FoundInstructions {
  readonly found: readonly Instructions[];
  readonly unused: readonly Unused[];
}

/** Reads one file and, of a CLAUDE.md, what it imports: each imported file is a part of its own behind it. */
export async function readInstructions(place: InstructionPlace, files: SourceFiles): Promise<FoundInstructions> {
  const unused: Unused[] = [];
  const found = await readImporting(place, files, [], unused);
  return { found: found ?? [], unused };
}

/**
 * @param above real paths of the files that led here
 * @returns undefined when there is no such file
 */
async function readImporting(
  place: InstructionPlace,
  files: SourceFiles,
  above: readonly string[],
  unused: Unused[],
): Promise<readonly Instructions[] | undefined> {
  const { path, source, within } = place;
  const refuse = (why: string, held?: string): readonly Instructions[] => {
    unused.push({ path, source, why, ...(held === undefined ? {} : { held }) });
    return [];
  };
  const read = await files.read(path, within);
  if (read.is === 'absent') return undefined;
  if (read.is === 'refused') return refuse(read.why, read.held);
  if (above.includes(read.realPath)) return [];
  const secret = secretKind(read.realPath);
  if (secret !== undefined) return refuse(`it looks like ${secret}, and what is imported is sent to the model.`);
  if (above.length > IMPORT_DEPTH) return refuse(`it is behind more than ${IMPORT_DEPTH} imports.`);

  const imports: Instructions[] = [];
  const resolved = new Set<string>();
  const mayImport = above.length > 0 || /^CLAUDE(\.local)?\.md$/.test(basename(path));
  // One after the other: their order is that of the text.
  for (const { written, path: at, isSurely } of mayImport ? importsOf(read.text, path) : []) {
    const inner = at && (await readImporting({ ...place, path: at }, files, [...above, read.realPath], unused));
    if (inner) {
      resolved.add(written);
      imports.push(...inner);
    } else if (isSurely) {
      const why = at === undefined ? 'it is outside of the workspace.' : 'there is no such file.';
      refuse(`${place.nameOf(path)} imports @${written}, but ${why}`);
    }
  }
  const text = withoutImportLines(read.text.replace(/^\uFEFF/, ''), resolved);
  if (text === '') return imports;
  const cut = cutTo(text, EACH_BYTES, read.bytesCut, path);
  const notes = read.hidden > 0 ? { notes: [hiddenNote(read.hidden)] } : {};
  const own: Instructions = {
    is: 'instructions',
    name: place.nameOf(path),
    description: '',
    path,
    source,
    text: cut,
    ...notes,
  };
  return [own, ...imports];
}
