import type * as vscode from 'vscode';

const key = 'midcourse.drafts';

/** Unsent composer text by session; it survives hiding, reloading and switching. */
export class Drafts {
  readonly #memory: vscode.Memento;
  #texts: Readonly<Record<string, string>>;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#texts = memory.get<Readonly<Record<string, string>>>(key) ?? {};
  }

  get(sessionId: string): string {
    return this.#texts[sessionId] ?? '';
  }

  set(sessionId: string, text: string): void {
    if (this.get(sessionId) === text) return;
    const { [sessionId]: _old, ...others } = this.#texts;
    this.#texts = text === '' ? others : { ...others, [sessionId]: text };
    void this.#memory.update(key, this.#texts);
  }
}
