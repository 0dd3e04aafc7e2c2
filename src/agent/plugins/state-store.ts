import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../tools/index.ts';
import { shortHash } from './plugin-files.ts';

const values = z.record(z.string(), z.unknown());

/** Bytes of all values of a plugin as JSON. */
const MOST = 1024 * 1024;

/** What a plugin keeps for a workspace (`ctx.state`): one JSON file, written whole or not at all. */
export class StateStore {
  readonly #path: string;
  /** One write after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param workspace its folders; a window without a folder has a state of its own */
  constructor(folder: string, plugin: string, workspace: readonly string[]) {
    this.#path = join(folder, plugin, `${shortHash(workspace.join('\0'))}.json`);
  }

  /** Rejects when it cannot be read; a file that is no JSON counts as empty. */
  async read(): Promise<Readonly<Record<string, unknown>>> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      throw error;
    }
    try {
      return values.parse(JSON.parse(text));
    } catch {
      // Cut by a full disk: the plugin begins anew.
      return {};
    }
  }

  /** Undefined takes the key away. Rejects with a `RangeError` when the plugin would keep more than 1 MB. */
  set(key: string, value: unknown): Promise<void> {
    const written = this.#last.then(async () => {
      // Read again: another window may have written.
      const { [key]: _, ...others } = await this.read();
      const text = JSON.stringify(value === undefined ? others : { ...others, [key]: value });
      if (Buffer.byteLength(text) > MOST) throw new RangeError('A plugin may keep at most 1 MB.');
      await writeAtomically(this.#path, Buffer.from(text));
    });
    this.#last = written.catch(() => undefined);
    return written;
  }
}
