import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { ModelFacts } from '../agent/model/catalogue/index.ts';

const Limits = z.object({
  contextWindow: z.int().positive().exactOptional(),
  maxOutput: z.int().positive().exactOptional(),
});
const Stored = z.record(z.string(), Limits);

/** Limits that providers named in refusals, by `provider/model`, in one small file for all windows of this user. */
export class LearnedLimits {
  readonly #file: string;
  readonly #failed: (error: unknown) => void;
  readonly #limits: Map<string, ModelFacts>;
  #writing: Promise<void> = Promise.resolve();

  /** @param failed told when the file cannot be written: the limits count all the same until the window closes */
  constructor(file: string, failed: (error: unknown) => void) {
    this.#file = file;
    this.#failed = failed;
    this.#limits = new Map(Object.entries(read(file)));
  }

  of(ref: string): ModelFacts | undefined {
    return this.#limits.get(ref);
  }

  learn(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void {
    const { contextWindow, maxOutput } = limits;
    this.#limits.set(ref, {
      ...this.#limits.get(ref),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutput !== undefined && { maxOutput }),
    });
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#failed);
  }

  /** Resolves when everything that was learned is on disk, or could not be written. */
  written(): Promise<void> {
    return this.#writing;
  }

  /** Beside what another window has learned meanwhile. */
  async #write(): Promise<void> {
    const all = { ...read(this.#file), ...Object.fromEntries(this.#limits) };
    const next = `${this.#file}.${process.pid}`;
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(next, `${JSON.stringify(all, null, 2)}\n`);
    await rename(next, this.#file);
  }
}

function read(file: string): z.infer<typeof Stored> {
  try {
    return Stored.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // None yet, or not ours any more: limits are learned again when a provider names them.
    return {};
  }
}
