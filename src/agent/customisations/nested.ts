import { dirname, relative, sep } from 'node:path';
import { anyFits, globOf, surelyFits } from '../kernel/patterns/index.ts';
import { isInside } from '../safety/index.ts';
import { type Collection, isTwin } from './collection.ts';
import { findNested } from './instruction-places.ts';
import { ALL_BYTES, cutTo } from './size.ts';
import type { SourceFiles } from './source-files.ts';
import type { Instructions, Unused } from './types.ts';

interface Told {
  /** Folders and files that were looked at. */
  readonly looked: Set<string>;
  readonly instructions: Instructions[];
  bytes: number;
}

/**
 * Instructions that count for a part of the workspace: given once to a session, when it first works there, and never by a
 * change of its system prompt.
 */
export class NestedInstructions {
  readonly #files: SourceFiles;
  readonly #collection: () => Collection;
  readonly #told = new Map<string, Told>();
  readonly #found: (found: readonly Instructions[], unused: readonly Unused[]) => void;

  /** @param found is told what was found on the way */
  constructor(
    files: SourceFiles,
    collection: () => Collection,
    found: (found: readonly Instructions[], unused: readonly Unused[]) => void = () => undefined,
  ) {
    this.#files = files;
    this.#collection = collection;
    this.#found = found;
  }

  /**
   * What the session has not been told of the places that it works in now; undefined when nothing.
   *
   * @param paths absolute real paths, of files or folders
   * @param folders absolute real paths of the workspace folders
   */
  async of(sessionId: string, paths: readonly string[], folders: readonly string[]): Promise<string | undefined> {
    const told = this.#told.get(sessionId) ?? { looked: new Set(), instructions: [], bytes: 0 };
    this.#told.set(sessionId, told);
    const texts: string[] = [];
    for (const path of paths) {
      const folder = folders.find((one) => isInside(path, one));
      if (folder === undefined || told.looked.has(path)) continue;
      told.looked.add(path);
      const { found, unused } = await this.#find(folder, path, folders);
      this.#found(found, unused);
      const inside = relative(folder, path).split(sep).join('/');
      const matching: Instructions[] = [];
      for (const one of this.#collection().instructions) if (await counts(one, inside)) matching.push(one);
      for (const one of [...found, ...matching]) {
        // The agent reads it right now, or has it in its system prompt.
        if (one.path === path || this.#isTold(one, told)) continue;
        told.instructions.push(one);
        const text = cutTo(one.text, Math.max(0, ALL_BYTES - told.bytes), 0, one.path);
        told.bytes += Buffer.byteLength(one.text);
        texts.push(`[Instructions of ${one.name}, which count for ${whatFor(one, folder)}:]\n${text}`);
      }
    }
    return texts.length === 0 ? undefined : texts.join('\n\n');
  }

  forget(sessionId: string): void {
    this.#told.delete(sessionId);
  }

  async #find(folder: string, path: string, folders: readonly string[]) {
    // The path itself may be a folder; of a file nothing is found below it.
    return await findNested(folder, path, { folders }, this.#files);
  }

  #isTold(one: Instructions, told: Told): boolean {
    const always = this.#collection().instructions.filter(({ appliesTo }) => appliesTo === undefined);
    return [...told.instructions, ...always].some((other) => other.path === one.path || isTwin(one, other));
  }
}

/** One whose glob cannot be judged does not count: text of a file is only given where that is certain. */
async function counts({ appliesTo }: Instructions, path: string): Promise<boolean> {
  return appliesTo !== undefined && surelyFits(await anyFits(appliesTo, (glob) => globOf(glob).test(path)));
}

function whatFor({ appliesTo, path }: Instructions, folder: string): string {
  if (appliesTo) return `files that fit ${appliesTo.join(', ')}`;
  return `what lies in ${relative(folder, dirname(path)).split(sep).join('/')}`;
}
