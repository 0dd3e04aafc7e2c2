import type * as vscode from 'vscode';

const stateKey = 'midcourse.instructions.loadedAnyway';
/** Files that are remembered; the oldest are asked about again. */
const most = 1_000;

/**
 * Instruction files that were held back and that the person had loaded all the same, by the hash of their text: whoever
 * changes one asks anew. Kept for this user, so that the same text in another checkout needs no second question.
 */
export class ReadableFiles {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  has(hash: string): boolean {
    return this.#all().includes(hash);
  }

  async add(hash: string): Promise<void> {
    await this.#memory.update(stateKey, [...this.#all().filter((one) => one !== hash), hash].slice(-most));
  }

  #all(): readonly string[] {
    return this.#memory.get<readonly string[]>(stateKey, []);
  }
}
