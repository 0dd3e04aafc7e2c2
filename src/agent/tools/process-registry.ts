import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { BackgroundProcess, Disposable } from '../../api.ts';
import { RollingBuffer } from './output-buffer.ts';
import { endTree, type Survivor, startTimeOf, type TreeRoot } from './process-tree.ts';
import { readOutput, shellFor, spawnShell } from './shell.ts';
import type { Exit, ProcessPort, RecordedCommand, RunningCommand } from './types.ts';

/** Processes that are remembered; running ones are never dropped. */
const TRACKED = 64;
const OUTPUT_CHARACTERS = 200_000;
const TAIL_CHARACTERS = 2_000;
/** Milliseconds between two reports of new output of one process. */
const REPORT_EVERY = 200;

/** Stands for the id of a process that is about to start: it is known by its mark alone. */
const NOT_YET = 0;

interface Tracked {
  readonly root: TreeRoot;
  readonly output: RollingBuffer;
  process: BackgroundProcess;
  report: NodeJS.Timeout | undefined;
  ending: Promise<readonly Survivor[]> | undefined;
}

/** Is told what runs, so that a later window can end it should this one die. */
export interface ProcessLedger {
  started(root: TreeRoot, command: string): void;
  ended(root: TreeRoot): void;
}

/** The background processes of one session. */
export class ProcessRegistry implements ProcessPort {
  readonly #shell: string | undefined;
  readonly #most: number;
  readonly #ledger: ProcessLedger | undefined;
  readonly #tracked = new Map<string, Tracked>();
  /** By their mark: commands that calls wait for. */
  readonly #foreground = new Map<string, TreeRoot>();
  readonly #listeners = new Set<(process: BackgroundProcess) => void>();

  constructor(options: { readonly shell?: string; readonly tracked?: number; readonly ledger?: ProcessLedger } = {}) {
    this.#ledger = options.ledger;
    this.#shell = options.shell;
    this.#most = options.tracked ?? TRACKED;
  }

  /**
   * Resolves once the process runs. Rejects when it cannot be started, or when 64 (or `tracked`) are running already.
   */
  async start(options: {
    readonly command: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly turnId: string;
  }): Promise<BackgroundProcess> {
    this.#makeRoom();
    const mark = randomUUID();
    // Before it runs: a window that dies in between would leave it behind, unknown to everybody.
    this.#ledger?.started({ pid: NOT_YET, mark }, options.command);
    const child = spawnShell({ ...options, mark, shell: shellFor(this.#shell) }, { tellFolder: false });
    const output = new RollingBuffer(OUTPUT_CHARACTERS);
    let tracked: Tracked | undefined;
    // Listening starts in the same tick: a process that ends at once would otherwise take its output along.
    const { done: read } = readOutput(child, (text, replaced) => {
      output.append(text, replaced);
      if (tracked) this.#reportSoon(tracked);
    });
    const closed = new Promise<void>((resolve) => child.once('close', resolve));
    const pid = await spawned(child).catch((error: unknown) => {
      this.#ledger?.ended({ pid: NOT_YET, mark });
      throw error;
    });
    const startTime = await startTimeOf(pid);
    const root = { pid, mark, ...(startTime === undefined ? {} : { startTime }) };
    tracked = this.#track(root, output, { ...options, startedBy: 'background', startedAt: Date.now() });
    void Promise.all([closed, read]).then(() => this.#ended(tracked, child));
    return tracked.process;
  }

  /** Takes over a command that yields. It may be one more than 64: what runs is never dropped. */
  adopt(running: RunningCommand): BackgroundProcess {
    const { child, read } = running;
    const output = new RollingBuffer(OUTPUT_CHARACTERS);
    output.append(running.output);
    const tracked = this.#track(running.root, output, running);
    running.listen((text, replaced) => {
      output.append(text, replaced);
      this.#reportSoon(tracked);
    });
    const closed =
      child.exitCode === null && child.signalCode === null
        ? new Promise<void>((resolve) => child.once('exit', () => resolve()))
        : Promise.resolve();
    void Promise.all([closed, read]).then(() => this.#ended(tracked, child));
    return tracked.process;
  }

  record(mark: string, command: string): RecordedCommand {
    this.#ledger?.started({ pid: NOT_YET, mark }, command);
    return {
      started: (root) => {
        this.#foreground.set(mark, root);
      },
      ended: (isGone) => {
        const root = this.#foreground.get(mark) ?? { pid: NOT_YET, mark };
        this.#foreground.delete(mark);
        if (isGone) this.#ledger?.ended(root);
      },
    };
  }

  list(): readonly BackgroundProcess[] {
    return [...this.#tracked.values()].map((tracked) => withTail(tracked));
  }

  output(id: string): string | undefined {
    return this.#tracked.get(id)?.output.text();
  }

  /** Ends the process and all that it started; resolves when they are gone. An unknown id has no survivors. */
  async kill(id: string): Promise<{ readonly survivors: readonly Survivor[] }> {
    const tracked = this.#tracked.get(id);
    if (tracked?.process.state !== 'running' && tracked?.process.state !== 'unreachable') return { survivors: [] };
    return { survivors: await this.#end(tracked, new AbortController().signal) };
  }

  /** Ends all of them, and what calls wait for, at once and without grace if `killSignal` is aborted: the session or the window is closing. */
  async killAll(killSignal: AbortSignal = new AbortController().signal): Promise<readonly Survivor[]> {
    const running = [...this.#tracked.values()].filter((tracked) => tracked.process.state === 'running');
    const waitedFor = [...this.#foreground.values()].map((root) => endTree(root, killSignal));
    return (await Promise.all([...waitedFor, ...running.map((tracked) => this.#end(tracked, killSignal))])).flat();
  }

  /** Calls back with the new value after a start, new output (at most five times a second) and an end. */
  onDidChange(listener: (process: BackgroundProcess) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Pid, start time and mark of what runs, for a later sweep of leftovers. */
  roots(): readonly TreeRoot[] {
    return [...this.#tracked.values()].filter((one) => one.process.state === 'running').map((one) => one.root);
  }

  #track(
    root: TreeRoot,
    output: RollingBuffer,
    about: Pick<BackgroundProcess, 'command' | 'cwd' | 'turnId' | 'startedBy' | 'startedAt'>,
  ): Tracked {
    const { command, cwd, turnId, startedBy, startedAt } = about;
    const id = `p-${randomUUID().slice(0, 8)}`;
    const tracked: Tracked = {
      root,
      output,
      report: undefined,
      ending: undefined,
      process: { id, pid: root.pid, command, cwd, startedAt, startedBy, turnId, state: 'running', tail: '' },
    };
    this.#tracked.set(id, tracked);
    this.#ledger?.started(root, command);
    this.#changed(tracked, {});
    return tracked;
  }

  /** Also called late, when what the shell left behind has let go of its output: until then the process runs. */
  #ended(tracked: Tracked, child: Exit): void {
    clearTimeout(tracked.report);
    tracked.report = undefined;
    this.#changed(tracked, {
      state:
        tracked.ending || tracked.process.state === 'unreachable' || child.signalCode !== null ? 'killed' : 'exited',
      ...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
    });
  }

  #reportSoon(tracked: Tracked): void {
    tracked.report ??= setTimeout(() => {
      tracked.report = undefined;
      this.#changed(tracked, {});
    }, REPORT_EVERY);
  }

  async #end(tracked: Tracked, killSignal: AbortSignal): Promise<readonly Survivor[]> {
    tracked.ending ??= endTree(tracked.root, killSignal);
    const survivors = await tracked.ending;
    if (survivors.length > 0) {
      // What resisted once may be tried again.
      tracked.ending = undefined;
      this.#changed(tracked, { state: 'unreachable' });
    } else if (tracked.process.state === 'running' || tracked.process.state === 'unreachable') {
      this.#changed(tracked, { state: 'killed' });
    }
    return survivors;
  }

  #changed(tracked: Tracked, change: Partial<BackgroundProcess>): void {
    tracked.process = { ...tracked.process, ...change };
    if (change.state === 'exited' || change.state === 'killed') this.#ledger?.ended(tracked.root);
    const value = withTail(tracked);
    for (const listener of this.#listeners) listener(value);
  }

  #makeRoom(): void {
    if (this.#tracked.size < this.#most) return;
    const finished = [...this.#tracked].find(([, one]) => one.process.state !== 'running');
    if (!finished) {
      throw new Error(`${this.#most} background processes are running already. End one with the process tool first.`);
    }
    this.#tracked.delete(finished[0]);
  }
}

function withTail(tracked: Tracked): BackgroundProcess {
  return { ...tracked.process, tail: tracked.output.tail(TAIL_CHARACTERS) };
}

/** After the start a child reports only that a signal could not be sent, which `process-tree.ts` finds out by itself. */
function noteOnly(): void {}

/** The pid, once the system has started the process; rejects with the reason when it cannot. */
export function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      child.off('error', reject);
      child.on('error', noteOnly);
      if (child.pid === undefined) reject(new Error('the system gave no process id'));
      else resolve(child.pid);
    });
  });
}
