import type * as vscode from 'vscode';
import * as z from 'zod';
import { secretsInUse } from '../agent/safety/index.ts';

/** API keys by provider, in VS Code's secret storage. They follow the user to remote windows, not to settings. */
export class Secrets {
  readonly #storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;

  constructor(storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>) {
    this.#storage = storage;
  }

  /** The keys of a provider, each once: the stored ones in the user's order, then those of its environment variables. */
  async keys(provider: string, variables: readonly string[]): Promise<readonly string[]> {
    const stored = await this.stored(provider);
    const keys = [...new Set([...stored, ...variables.flatMap((name) => process.env[name]?.trim() || [])])];
    for (const key of keys) secretsInUse.add(key);
    return keys;
  }

  async stored(provider: string): Promise<readonly string[]> {
    const text = await this.#storage.get(slot(provider));
    return text === undefined ? [] : read(text);
  }

  /** Keeps these keys and no others for the provider; none at all forgets it. Blank ones do not count. */
  async setKeys(provider: string, keys: readonly string[]): Promise<void> {
    const whole = [...new Set(keys.map((key) => key.trim()))].filter((key) => key !== '');
    const [first] = whole;
    if (first === undefined) await this.#storage.delete(slot(provider));
    else await this.#storage.store(slot(provider), whole.length === 1 ? first : JSON.stringify(whole));
  }

  onDidChange(listener: () => void): vscode.Disposable {
    return this.#storage.onDidChange(listener);
  }
}

const Several = z.array(z.string());

/** One key stands there as it is, as it always did; several as JSON. */
function read(text: string): readonly string[] {
  if (!text.startsWith('[')) return [text];
  try {
    return Several.parse(JSON.parse(text));
  } catch {
    // A key that happens to begin with a bracket.
    return [text];
  }
}

function slot(provider: string): string {
  return `midcourse.key.${provider}`;
}
