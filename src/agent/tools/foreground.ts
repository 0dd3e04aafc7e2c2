/**
 * One command from its start to the end of everything it started: by itself, by its time limit or by a stop.
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { BackgroundProcess } from '../../api.ts';
import { HeadTailBuffer } from './output-buffer.ts';
import { spawned } from './process-registry.ts';
import { endTree, type Survivor, startTimeOf, type TreeRoot, treeMembers } from './process-tree.ts';
import { readOutput, type ShellCommand, spawnShell } from './shell.ts';
import type { OnText } from './terminal-text.ts';
import type { RecordedCommand, RunningCommand } from './types.ts';

export interface ForegroundCommand extends ShellCommand {
  readonly timeoutMs: number;
  /** Ends the whole tree, gently first. */
  readonly signal: AbortSignal;
  /** Ends it at once. */
  readonly killSignal: AbortSignal;
  /** Leaves the command running and hands it over. */
  readonly yieldSignal: AbortSignal;
  readonly onText: OnText;
  /** Its record; made before this is called. */
  readonly recorded: RecordedCommand;
  /** Called at most once, when the command yields. */
  handOver(running: Omit<RunningCommand, 'command' | 'cwd' | 'turnId'>): BackgroundProcess;
}

export interface Yielded {
  readonly how: 'yielded';
  readonly output: string;
  readonly durationMs: number;
  readonly process: BackgroundProcess;
}

export interface Finished {
  readonly how: 'exited' | 'timeout' | 'stopped';
  /** At most 50,000 characters. */
  readonly output: string;
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  readonly durationMs: number;
  /** The directory in which the shell ended, if it told. */
  readonly endedIn: string | undefined;
  /** What could not be ended. */
  readonly survivors: readonly Survivor[];
  /** What an exited command left running on purpose, such as `server &`. */
  readonly left: readonly Survivor[];
}

const OUTPUT_CHARACTERS = 50_000;
/** Milliseconds that output may still arrive after the shell's exit before what holds it open is looked for. */
const LAST_OUTPUT = 100;
/** Milliseconds to draw what has come, while something that the command left behind may print on. */
const LONGEST_DRAWING = 2_000;

/** Rejects only when the command cannot be started. */
export async function runForeground(command: ForegroundCommand): Promise<Finished | Yielded> {
  const startedAt = performance.now();
  const startedOn = Date.now();
  const child = spawnShell(command, { tellFolder: true });
  const output = new HeadTailBuffer(OUTPUT_CHARACTERS);
  let open = true;
  let onText: OnText = (text, replaced) => {
    output.append(text, replaced);
    command.onText(text, replaced);
  };
  const reading = readOutput(child, (text, replaced) => {
    if (open) onText(text, replaced);
  });
  const folder = readFolder(child);
  const exit = once(child, 'exit');
  exit.catch(() => undefined);
  const pid = await spawned(child).catch((error: unknown) => {
    command.recorded.ended(true);
    throw error;
  });
  const root: TreeRoot = { pid, mark: command.mark };
  command.recorded.started(root);
  const startTime = startTimeOf(pid);

  const how = await first(exit, command);
  const started = await startTime;
  const known = started === undefined ? root : { ...root, startTime: started };
  if (how === 'yielded') {
    // What takes it over records it by itself, under the same mark.
    command.recorded.ended(false);
    const process = command.handOver({
      child,
      root: known,
      startedBy: command.yieldSignal.reason === 'user' ? 'user' : 'yield',
      startedAt: startedOn,
      output: output.text(),
      read: reading.done,
      listen: (next) => {
        onText = next;
      },
    });
    return { how, output: output.text(), durationMs: performance.now() - startedAt, process };
  }
  const ended = how !== 'exited';
  const survivors = ended ? await endTree(known, command.killSignal) : [];
  const complete = await within(
    reading.closed.then(() => true),
    LAST_OUTPUT,
  );
  // A terminal may be drawing the last of it, or be loading: that is our time, not the command's.
  await (complete ? reading.done : within(reading.told(), LONGEST_DRAWING));
  const endedIn = ended ? undefined : await within(folder, LAST_OUTPUT);
  const left = ended || (complete && !groupLives(pid)) ? [] : await treeMembers(known);
  open = false;
  // What goes on running stays recorded: the next window ends it and names it.
  command.recorded.ended(survivors.length + left.length === 0);
  return {
    how,
    output: output.text(),
    exitCode: child.exitCode,
    exitSignal: child.signalCode,
    durationMs: performance.now() - startedAt,
    endedIn,
    survivors,
    left,
  };
}

/** What comes first; the others are let go of. */
async function first(
  exit: Promise<unknown>,
  { signal, yieldSignal, timeoutMs }: ForegroundCommand,
): Promise<Finished['how'] | 'yielded'> {
  let timer: NodeJS.Timeout | undefined;
  const listening = new AbortController();
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs);
  });
  try {
    return await Promise.race([
      exit.then(() => 'exited' as const),
      aborted(signal, listening.signal).then(() => 'stopped' as const),
      aborted(yieldSignal, listening.signal).then(() => 'yielded' as const),
      timeout,
    ]);
  } finally {
    clearTimeout(timer);
    listening.abort();
  }
}

/** Resolves when `signal` aborts; never when `until` does so first. */
function aborted(signal: AbortSignal, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: until });
  });
}

/** Undefined when it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The line that the shell writes to descriptor 3 when it ends; undefined when it writes none. */
function readFolder(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    const stream = child.stdio[3];
    if (!(stream instanceof Readable)) return resolve(undefined);
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-4096);
      if (text.endsWith('\n')) resolve(text.trimEnd().split('\n').at(-1) || undefined);
    });
    // Whatever closes it early only means that the folder stays unknown.
    stream.once('error', () => resolve(undefined));
    stream.once('close', () => resolve(undefined));
  });
}

function groupLives(pid: number): boolean {
  try {
    return process.platform !== 'win32' && process.kill(-pid, 0);
  } catch {
    // ESRCH: the group is empty.
    return false;
  }
}
