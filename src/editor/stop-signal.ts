import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { Log } from '../agent/turn/index.ts';

const fileName = 'stop-everything.json';

const signal = z.object({
  id: z.string().min(1),
  /** The window that gave it. */
  from: z.string().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
type Signal = z.infer<typeof signal>;

export interface StopSignalParts {
  /** One folder for all windows of this user on this machine. */
  readonly folder: string;
  readonly log: Log;
  now(): number;
  /** Another window says that everything is to stop; once for each time. */
  stopped(): void;
}

/**
 * *Stop everything* from window to window: a small file that is replaced as a whole and watched by all of them. A window
 * follows neither its own signal nor one that was given before it listened. Signals are told apart by their ids alone:
 * the clock may be put back.
 */
export class StopSignal {
  readonly #parts: StopSignalParts;
  readonly #window = crypto.randomUUID();
  readonly #listening: Promise<void>;
  #watcher: FSWatcher | undefined;
  /** The id of the signal that was seen last. */
  #newest = '';
  #disposed = false;

  constructor(parts: StopSignalParts) {
    this.#parts = parts;
    this.#listening = this.#listen();
  }

  /** Resolves when signals of other windows arrive, also where they cannot. */
  get listening(): Promise<void> {
    return this.#listening;
  }

  /** Tells the other windows. @throws (rejects) when the file cannot be written; nothing was told then */
  async give(): Promise<void> {
    const { folder, now } = this.#parts;
    const given: Signal = { id: crypto.randomUUID(), from: this.#window, at: now() };
    await mkdir(folder, { recursive: true });
    const draft = path.join(folder, `${fileName}.${given.id}`);
    try {
      await writeFile(draft, JSON.stringify(given));
      await rename(draft, this.#file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
  }

  async #listen(): Promise<void> {
    const { folder, log } = this.#parts;
    try {
      await mkdir(folder, { recursive: true });
      this.#newest = (await readSignal(this.#file, log))?.id ?? '';
      if (this.#disposed) return;
      this.#watcher = watch(folder, { persistent: false }, (_event, name) => {
        // Some systems do not say which file it was.
        if (name === null || name === fileName) void this.#read();
      });
      this.#watcher.on('error', (error) =>
        log.warn(`Stop everything of other windows is not heard any more: ${error}`),
      );
    } catch (error) {
      log.warn(`Stop everything of other windows is not heard here: ${error}`);
    }
  }

  async #read(): Promise<void> {
    const found = await readSignal(this.#file, this.#parts.log);
    if (this.#disposed || !found || found.id === this.#newest) return;
    this.#newest = found.id;
    if (found.from !== this.#window) this.#parts.stopped();
  }

  get #file(): string {
    return path.join(this.#parts.folder, fileName);
  }
}

async function readSignal(file: string, log: Log): Promise<Signal | undefined> {
  try {
    return signal.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    // Gone again, or written by something else.
    log.debug(`A signal to stop everything could not be read: ${error}`);
    return undefined;
  }
}
