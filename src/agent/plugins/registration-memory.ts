import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../tools/index.ts';
import type { Log } from '../turn/types.ts';
import { type Registration, registration } from './host/protocol.ts';
import { shortHash } from './plugin-files.ts';

const remembered = z.strictObject({ of: z.string(), registrations: z.array(z.tuple([z.string(), registration])) });

/** What each plugin registered when it last ran, so that it need not be started to know its hooks and tools. */
export class RegistrationMemory {
  readonly #folder: string;
  readonly #log: Log;
  readonly #workspace: () => readonly string[];

  /** @param workspace its folders: what a plugin registers may depend on them */
  constructor(folder: string, log: Log, workspace: () => readonly string[]) {
    this.#folder = folder;
    this.#log = log;
    this.#workspace = workspace;
  }

  /** @param of stands for the plugin's bytes and all that its `register` is given: another one remembers nothing */
  async recall(plugin: string, of: string): Promise<ReadonlyMap<string, Registration> | undefined> {
    const read = await this.#read(plugin);
    return read?.of === of ? new Map(read.registrations) : undefined;
  }

  /** What it registered last, whatever has become of it since. */
  async last(plugin: string): Promise<ReadonlyMap<string, Registration>> {
    return new Map((await this.#read(plugin))?.registrations);
  }

  /** Never rejects: what is not kept costs a start. */
  async remember(plugin: string, of: string, registrations: ReadonlyMap<string, Registration>): Promise<void> {
    try {
      const text = JSON.stringify({ of, registrations: [...registrations] });
      await writeAtomically(this.#path(plugin), Buffer.from(text));
    } catch (error) {
      this.#log.warn(
        `What the plugin ${plugin} registers could not be kept: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  async #read(plugin: string): Promise<z.infer<typeof remembered> | undefined> {
    try {
      return remembered.parse(JSON.parse(await readFile(this.#path(plugin), 'utf8')));
    } catch {
      // There is none, or an older version wrote it: the plugin is started and tells.
      return undefined;
    }
  }

  #path(plugin: string): string {
    return join(this.#folder, plugin, `${shortHash(this.#workspace().join('\0'))}.json`);
  }
}
