import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { maskKeys } from '../../safety/index.ts';
import { endTree, MARK, type RecordProcess, readPaced, spawned, startTimeOf } from '../../tools/index.ts';
import { saidOn } from '../dialects/stdout.ts';
import type { RunEnd } from '../dialects/types.ts';
import { limitWords, longestTimer } from '../limits.ts';
import { HookFailure } from '../types.ts';
import { keptText } from './words.ts';

export interface HookProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
  /** Milliseconds from the spawn: what a busy machine needs before it is not the hook's (F20). */
  readonly timeout: number;
  /** A first line of `{"async": true}` means: continue without me. */
  readonly mayGoOn: boolean;
}

/** Characters of one stream that are read; the rest is drained and dropped. */
export const OUTPUT_CHARACTERS = 1024 * 1024;
/** Milliseconds that output may still come after the exit: a child that it left behind may hold the pipe open. */
const LAST_OUTPUT = 300;

/** The processes of hooks, and their end: one for each window. */
export class HookProcesses {
  readonly #record: RecordProcess | undefined;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #ending = new Set<Promise<unknown>>();

  constructor(record?: RecordProcess) {
    this.#record = record;
  }

  /**
   * Runs a program to its end. What it leaves running on purpose goes on; what is over its time, or aborted, is ended with
   * its whole tree, while this rejects at once.
   * Rejects with a `HookFailure` only: `spawn`, `timeout` or `aborted`.
   */
  run(program: HookProgram, signal: AbortSignal): Promise<RunEnd> {
    const run = this.#run(program, signal);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return run;
  }

  async #run(program: HookProgram, signal: AbortSignal): Promise<RunEnd> {
    const until = AbortSignal.any([signal, this.#closing.signal]);
    if (until.aborted) throw new HookFailure('aborted', 'It was not started: nobody needs its answer any more.');
    const mark = randomUUID();
    const forget = this.#record?.(mark, `hook: ${maskKeys([program.file, ...program.args].join(' '))}`);
    const child = await start(program, mark).catch((error: unknown) => {
      forget?.();
      throw error;
    });
    const timer = new AbortController();
    const limit = setTimeout(() => timer.abort(), program.timeout);
    // A program that does not read its input closes the pipe, or ends: neither is an error of the hook.
    child.stdin.on('error', () => undefined);
    child.stdin.end(program.stdin);
    const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
    const how = await firstOf(child, until, timer.signal, program.mayGoOn ? stdout.goesOn : undefined);
    clearTimeout(limit);
    if (typeof how === 'number') {
      this.#leave(child, mark, how, forget);
      return { exitCode: 0, stdout: '', stderr: '' };
    }
    if (how !== 'exit') this.#end(child, mark, forget);
    else forget?.();
    if (how === 'exit') await within(Promise.all([stdout.closed, stderr.closed]), LAST_OUTPUT);
    const end = { exitCode: child.exitCode, stdout: stdout.end(), stderr: stderr.end() };
    // It may have ended in the same moment: what it said is no answer all the same.
    if (how === 'exit' && program.mayGoOn && goesOnFor(end.stdout) !== undefined) return { ...end, stdout: '' };
    if (how === 'exit') return end;
    const shown = { stdout: keptText(end.stdout), stderr: keptText(end.stderr) };
    if (how === 'aborted') throw new HookFailure('aborted', 'It was ended: nobody needs its answer any more.', shown);
    throw new HookFailure(
      'timeout',
      `It took longer than ${limitWords(program.timeout)} and was ended with all that it had started.`,
      shown,
    );
  }

  /** It runs beside the turn from now on, no longer than it asked for, and not longer than the window. */
  #leave(child: ChildProcess, mark: string, ms: number, forget: (() => void) | undefined): void {
    const over = new AbortController();
    const limit = setTimeout(() => over.abort(), ms);
    const left = firstOf(child, this.#closing.signal, over.signal, undefined).then((how) => {
      clearTimeout(limit);
      if (how === 'exit') forget?.();
      else this.#end(child, mark, forget);
    });
    this.#running.add(left);
    void left.then(() => this.#running.delete(left));
  }

  /** Ends all that runs and refuses more. Resolves when everything has ended, after 2 s at the latest. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    // Each run hears of it, also one whose process is only starting, and has begun to end its tree when it rejects.
    await Promise.all(this.#running);
    await Promise.all(this.#ending);
  }

  #end(child: ChildProcess, mark: string, forget: (() => void) | undefined): void {
    const { pid } = child;
    if (pid === undefined) return;
    const ending = endFrom(child, pid, mark, this.#closing.signal)
      .then((isGone) => isGone && forget?.())
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

/** @returns false where something of it could not be ended */
async function endFrom(child: ChildProcess, pid: number, mark: string, killSignal: AbortSignal): Promise<boolean> {
  const startTime = await startTimeOf(pid);
  const survivors = await endTree({ pid, mark, ...(startTime === undefined ? {} : { startTime }) }, killSignal);
  // The system has ended it; until Node has taken note of that it still has its number.
  if (survivors.length === 0 && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return survivors.length === 0;
}

async function start({ file, args, cwd, env }: HookProgram, mark: string): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [MARK]: mark },
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    await spawned(child);
    return child;
  } catch (error) {
    throw new HookFailure('spawn', await whyNotStarted(error, file, cwd));
  }
}

/** The system blames the program for a missing folder as well. */
async function whyNotStarted(error: unknown, file: string, cwd: string): Promise<string> {
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) return `It could not be started: its folder ${cwd} is not there.`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `It could not be started: there is no program ${file}.`;
  if (code === 'EACCES') return `It could not be started: ${file} may not be executed.`;
  return `It could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

type How = 'exit' | 'aborted' | 'timeout';

/** @param goesOn what of its own accord leaves the turn, with the milliseconds that it asks for */
async function firstOf(
  child: ChildProcess,
  until: AbortSignal,
  timer: AbortSignal,
  goesOn: Promise<number> | undefined,
): Promise<How | number> {
  const listening = new AbortController();
  const when = (signal: AbortSignal, how: How) =>
    new Promise<How>((resolve) => {
      if (signal.aborted) resolve(how);
      else signal.addEventListener('abort', () => resolve(how), { signal: listening.signal });
    });
  const exited = child.exitCode !== null || child.signalCode !== null;
  const exit = exited ? Promise.resolve() : once(child, 'exit', { signal: listening.signal });
  try {
    return await Promise.race([
      // It only rejects when nobody listens any more.
      exit.then(
        () => 'exit' as const,
        () => 'aborted' as const,
      ),
      when(until, 'aborted'),
      when(timer, 'timeout'),
      ...(goesOn ? [goesOn] : []),
    ]);
  } finally {
    listening.abort();
  }
}

/** One stream of a process as text, as far as it is read. */
class Output {
  readonly closed: Promise<void>;
  /** Resolves when the first line says so, with the milliseconds that it asks for. */
  readonly goesOn: Promise<number>;
  readonly #stream: Readable;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  constructor(stream: Readable) {
    this.#stream = stream;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.goesOn = promise;
    let isFirst = true;
    this.closed = readPaced(stream, (chunk) => {
      if (this.#text.length < OUTPUT_CHARACTERS) this.#text += this.#decoder.write(chunk);
      if (!isFirst || !this.#text.includes('\n')) return;
      isFirst = false;
      const ms = goesOnFor(this.#text);
      if (ms !== undefined) resolve(ms);
    });
  }

  /** What was read. Nothing is added to it, and whatever still comes is let go. */
  end(): string {
    this.#stream.removeAllListeners('data');
    this.#stream.resume();
    return (this.#text + this.#decoder.end()).slice(0, OUTPUT_CHARACTERS);
  }
}

/** Milliseconds that a hook asks for which says `{"async": true, "asyncTimeout": 180000}` in its first line. */
function goesOnFor(stdout: string): number | undefined {
  const [line = ''] = stdout.split('\n', 1);
  const said = line.length > 1000 ? { is: 'nothing' as const } : saidOn(line);
  if (said.is !== 'object' || said.value.async !== true) return undefined;
  const { asyncTimeout } = said.value;
  const ms = typeof asyncTimeout === 'number' && asyncTimeout > 0 ? asyncTimeout : GOES_ON;
  return Math.min(ms, longestTimer);
}

/** Milliseconds for one that names none. */
const GOES_ON = 15_000;

async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
