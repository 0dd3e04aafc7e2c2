import type * as vscode from 'vscode';

/** API keys by provider, in VS Code's secret storage. They follow the user to remote windows, not to settings. */
export class Secrets {
  readonly #storage: vscode.SecretStorage;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** The key of a provider: the stored one, otherwise that of its environment variable. */
  async key(provider: string, apiKeyEnv: string | undefined): Promise<string | undefined> {
    const stored = await this.#storage.get(slot(provider));
    if (stored) return stored;
    return apiKeyEnv ? process.env[apiKeyEnv]?.trim() || undefined : undefined;
  }

  /** Stores a key; an empty one removes it. */
  async setKey(provider: string, key: string): Promise<void> {
    const trimmed = key.trim();
    if (trimmed === '') await this.#storage.delete(slot(provider));
    else await this.#storage.store(slot(provider), trimmed);
  }

  onDidChange(listener: () => void): vscode.Disposable {
    return this.#storage.onDidChange(listener);
  }
}

function slot(provider: string): string {
  return `midcourse.key.${provider}`;
}
