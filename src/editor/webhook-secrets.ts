import type * as vscode from 'vscode';
import { secretsInUse } from '../agent/safety/index.ts';

/** What webhooks are signed with, by the webhook's name, in VS Code's secret storage. */
export class WebhookSecrets {
  readonly #storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;

  constructor(storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>) {
    this.#storage = storage;
  }

  async get(name: string): Promise<string | undefined> {
    const secret = await this.#storage.get(slot(name));
    secretsInUse.add(secret);
    return secret;
  }

  /** An empty one is forgotten: what is sent is not signed any more. */
  async set(name: string, secret: string): Promise<void> {
    if (secret === '') await this.#storage.delete(slot(name));
    else await this.#storage.store(slot(name), secret);
  }
}

function slot(name: string): string {
  return `midcourse.webhook.${name}`;
}
