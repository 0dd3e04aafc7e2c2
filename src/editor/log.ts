import * as vscode from 'vscode';
import { maskSecrets } from '../agent/safety/index.ts';
import type { Log } from '../agent/turn/types.ts';

/** The output channel *Midcourse*, where no secret is written; its level is set with *Developer: Set Log Level*. */
export class OutputLog implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Midcourse', { log: true });

  debug(message: string): void {
    this.#write('debug', message);
  }

  info(message: string): void {
    this.#write('info', message);
  }

  warn(message: string): void {
    this.#write('warn', message);
  }

  error(message: string): void {
    this.#write('error', message);
  }

  /** For a `catch` whose failure must not disturb what goes on: says what was tried and keeps the stack. */
  failed(what: string, error: unknown): void {
    this.#write('error', `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }

  /** Nothing fails because it could not be logged. */
  #write(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
    try {
      this.#channel[level](maskSecrets(message));
    } catch {
      // VS Code closes the channel before everything in the extension has ended.
    }
  }
}
