import * as vscode from 'vscode';
import { maskSecrets } from '../../agent/safety/index.ts';
import type { Log } from '../../agent/turn/types.ts';

/** One output channel for each plugin that says something, made when it first does. */
export class PluginLogs implements vscode.Disposable {
  readonly #channels = new Map<string, vscode.LogOutputChannel>();

  of(id: string): Log {
    const write = (level: keyof Log) => (message: string) => this.#channel(id)[level](maskSecrets(message));
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  show(id: string): void {
    this.#channel(id).show(true);
  }

  dispose(): void {
    for (const channel of this.#channels.values()) channel.dispose();
    this.#channels.clear();
  }

  #channel(id: string): vscode.LogOutputChannel {
    const known = this.#channels.get(id);
    if (known) return known;
    const channel = vscode.window.createOutputChannel(vscode.l10n.t('Midcourse plugin: {0}', id), { log: true });
    this.#channels.set(id, channel);
    return channel;
  }
}
