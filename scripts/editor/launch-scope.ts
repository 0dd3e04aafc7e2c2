import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, endMarkedProcesses, markedProcesses, markName } from './marked-processes.ts';
import { withoutNpm } from './places.ts';

/**
 * Owns everything that one launch starts and writes: processes (with all their descendants) and a temporary folder.
 * `close()` ends both; a guard process does so when this process dies without closing.
 */
export class LaunchScope {
  readonly folder: string;
  readonly #mark: string;
  readonly #guard: ChildProcess;
  #closing: Promise<void> | undefined;

  private constructor(folder: string, mark: string, guard: ChildProcess) {
    this.folder = folder;
    this.#mark = mark;
    this.#guard = guard;
  }

  static async open(): Promise<LaunchScope> {
    const folder = await mkdtemp(path.join(tmpdir(), 'midcourse-'));
    const mark = randomUUID();
    const guard = spawn(process.execPath, [path.join(import.meta.dirname, 'guard.ts'), mark, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
      env: withoutNpm(),
    });
    await once(guard, 'spawn');
    // Neither the guard nor the pipe to it keeps this process alive.
    guard.unref();
    if (guard.stdin && 'unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
    return new LaunchScope(folder, mark, guard);
  }

  /** What a process of this launch has to have in its environment. */
  environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    return { ...withoutNpm(), ...extra, [markName]: this.#mark };
  }

  /** In a process group of its own, so that Ctrl+C in a terminal reaches only the process that owns the scope. */
  spawn(
    command: string,
    args: readonly string[],
    options: Omit<SpawnOptions, 'env' | 'detached'> & { env?: Record<string, string> },
  ) {
    return spawn(command, args, { ...options, env: this.environment(options.env), detached: true });
  }

  /** Waits until no process of this launch has the text in its command line. Throws after `patience` ms. */
  async ended(commandLine: string, patience = 20_000): Promise<void> {
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      const lines = await Promise.all((await markedProcesses(this.#mark)).map(commandLineOf));
      if (!lines.some((line) => line.includes(commandLine))) return;
      await delay(100);
    }
    throw new Error(`A process with ${commandLine} did not end within ${patience / 1000} s.`);
  }

  async makeFolder(...names: readonly string[]): Promise<string> {
    const folder = path.join(this.folder, ...names);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** Ends the processes (at most 3 s of asking) and removes the folder. May be called more than once. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await endMarkedProcesses(this.#mark, 3000);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (this.#guard.exitCode === null && this.#guard.signalCode === null) {
      const ended = once(this.#guard, 'exit');
      this.#guard.ref();
      this.#guard.stdin?.end();
      await ended;
    }
  }
}
