import * as vscode from 'vscode';
import type { HookProblem } from '../agent/hooks/index.ts';
import type { OutputLog } from './log.ts';

/** Problems that are kept to be shown; the log has all of them. */
const KEPT = 100;

/** What went wrong with hooks in this window: each in the output channel, and here for the views and the status bar. */
export class HookProblems implements vscode.Disposable {
  readonly #log: OutputLog;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #problems: readonly HookProblem[] = [];

  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** Oldest first. */
  all(): readonly HookProblem[] {
    return this.#problems;
  }

  tell(problem: HookProblem): void {
    this.#log.warn(problem.words);
    this.#problems = [...this.#problems, problem].slice(-KEPT);
    this.#changed.fire();
  }

  /** The user has seen them. */
  clear(): void {
    if (this.#problems.length === 0) return;
    this.#problems = [];
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
