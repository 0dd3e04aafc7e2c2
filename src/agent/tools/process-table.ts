/**
 * What runs on this machine, read so that the thread is never held: `/proc` on Linux, `ps` elsewhere.
 */

import { execFile } from 'node:child_process';
import { closeSync, openSync, readdir, readFile, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Linux only; elsewhere the group again. */
  readonly session: number;
  /** One letter as in `ps`: `Z` and `X` are processes that have ended and only wait to be collected. */
  readonly state: string;
  /** Tells a process from a later one with the same pid. Clock ticks since boot on Linux, a date elsewhere. */
  readonly startTime: string;
  readonly command: string;
}

export interface ProcessTable {
  /** False when a process vanished while the table was read: its children may be missing from it. */
  readonly complete: boolean;
  readonly entries: readonly ProcessEntry[];
  /** Those of `entries` whose environment holds `NAME=value`, among the ones that `mayHave` picks. */
  withEnvironment(assignment: string, mayHave: (entry: ProcessEntry) => boolean): Promise<readonly ProcessEntry[]>;
}

export async function readProcessTable(): Promise<ProcessTable> {
  return process.platform === 'linux' ? await readLinuxTable() : await readPsTable();
}

/** The entries of `pids` that still run; ended ones are left out. */
export async function readProcesses(pids: readonly number[]): Promise<readonly ProcessEntry[]> {
  if (process.platform === 'linux') return pids.map(readStat).filter(isRunning);
  const wanted = new Set(pids);
  return (await readPsTable()).entries.filter((entry) => wanted.has(entry.pid) && isRunning(entry));
}

export function isRunning(entry: ProcessEntry | undefined): entry is ProcessEntry {
  return entry !== undefined && entry.state !== 'Z' && entry.state !== 'X';
}

/** True when the process has set this signal (its number) to be ignored, so that sending it is pointless. Linux only. */
export async function ignoresSignal(pid: number, signal: number): Promise<boolean> {
  const mask = /^SigIgn:\s*([0-9a-f]+)/m.exec((await readProcFile(`${pid}/status`)) ?? '')?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The whole command line of a process, at most 200 characters; its short name when it shows none. */
export async function commandLine(entry: ProcessEntry): Promise<string> {
  const line = (await readProcFile(`${entry.pid}/cmdline`))?.replaceAll('\0', ' ').trim();
  return (line || entry.command).slice(0, 200);
}

/** `/proc/<pid>/stat`; the name in parentheses may itself hold spaces and parentheses. */
export function parseStat(text: string): ProcessEntry | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (open < 0 || close < open || state === undefined || startTime === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    state,
    startTime,
    command: text.slice(open + 1, close),
  };
}

/** Lines of `ps -o pid=,ppid=,pgid=,stat=,lstart=,command=`. */
export function parsePs(text: string): readonly ProcessEntry[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/;
  return text.split('\n').flatMap((row) => {
    const [, pid, parent, group, state, startTime, command] = line.exec(row) ?? [];
    if (pid === undefined || state === undefined || startTime === undefined || command === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        state,
        startTime,
        command,
      },
    ];
  });
}

/** Environments read at once; enough to keep the thread pool busy, few enough not to hold descriptors by the thousand. */
const BATCH = 64;
/** Milliseconds of reading after which the thread is given back. */
const SLICE = 4;

async function readLinuxTable(): Promise<ProcessTable> {
  const pids = (await promisify(readdir)('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const entries: ProcessEntry[] = [];
  let complete = true;
  let sliceEnd = performance.now() + SLICE;
  for (const pid of pids) {
    const entry = readStat(pid);
    if (entry) entries.push(entry);
    else complete = false;
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + SLICE;
  }
  return {
    complete,
    entries,
    async withEnvironment(assignment, mayHave) {
      const candidates = entries.filter(mayHave);
      const marked: ProcessEntry[] = [];
      for (let at = 0; at < candidates.length; at += BATCH) {
        const batch = candidates.slice(at, at + BATCH);
        const environments = await Promise.all(batch.map((entry) => readProcFile(`${entry.pid}/environ`)));
        marked.push(...batch.filter((_, index) => `\0${environments[index] ?? ''}\0`.includes(`\0${assignment}\0`)));
      }
      return marked;
    },
  };
}

async function readPsTable(): Promise<ProcessTable> {
  // -E appends the environment to the command on macOS; it is cut off again for what people see.
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const { stdout } = await promisify(execFile)('ps', ['-AxwwE', '-o', columns], {
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const entries = parsePs(stdout);
  return {
    complete: true,
    entries,
    withEnvironment: async (assignment, mayHave) =>
      entries.filter((entry) => mayHave(entry) && ` ${entry.command} `.includes(` ${assignment} `)),
  };
}

const statBuffer = Buffer.alloc(4096);

/**
 * Synchronous on purpose: `stat` never waits for the process, and 30 µs here are a third of what the way through the
 * thread pool costs, which on a busy machine decides how long a stop takes.
 */
function readStat(pid: number): ProcessEntry | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    return parseStat(statBuffer.toString('latin1', 0, readSync(file, statBuffer, 0, statBuffer.length, 0)));
  } catch {
    // It has ended in the meantime.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Undefined when the process has ended or belongs to somebody else. Such a file may wait for a process that is busy with
 * its memory, so it is read in the thread pool.
 */
function readProcFile(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    readFile(`/proc/${name}`, 'latin1', (error, text) => resolve(error ? undefined : text));
  });
}
