import * as vscode from 'vscode';
import type { Log } from '../agent/turn/types.ts';

/** The output channel *Midcourse*; its level is set with *Developer: Set Log Level*. */
export class OutputLog implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Midcourse', { log: true });

  debug(message: string): void {
    this.#channel.debug(message);
  }

  info(message: string): void {
    this.#channel.info(message);
  }

  warn(message: string): void {
    this.#channel.warn(message);
  }

  error(message: string): void {
    this.#channel.error(message);
  }

  /** For a `catch` whose failure must not disturb what goes on: says what was tried and keeps the stack. */
  failed(what: string, error: unknown): void {
    this.#channel.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }
}
