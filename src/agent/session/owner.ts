import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The host process that runs a turn. The start time tells it from a later process that got the same number. */
export interface Owner {
  readonly pid: number;
  /** As the system writes it; empty where it does not tell. */
  readonly processStart: string;
}

/** Milliseconds without a sign of life after which a process counts as dead where its start time cannot be read. */
export const SILENT_TOO_LONG = 30_000;

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= { pid: process.pid, processStart: startOf(process.pid) ?? '' };
  return self;
}

/** Milliseconds for which a start time is believed where a look at it starts a program. */
const BELIEVED_FOR = 10_000;
const looked = new Map<number, { readonly start: string | undefined; readonly at: number }>();

/**
 * True while that very process lives. Where the system does not tell when a process started, a later one may have got
 * its number: then the time since its last sign of life decides.
 *
 * @param silence milliseconds since its last sign of life
 */
export function isAlive(owner: Owner, silence: number): boolean {
  if (!exists(owner.pid)) return false;
  const start = owner.pid === process.pid ? thisProcess().processStart : startOfOther(owner.pid);
  if (start === undefined || start === '' || owner.processStart === '') return silence <= SILENT_TOO_LONG;
  return start === owner.processStart;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOfOther(pid: number): string | undefined {
  if (process.platform === 'linux') return startOf(pid);
  const known = looked.get(pid);
  if (known && performance.now() - known.at < BELIEVED_FOR) return known.start;
  const start = startOf(pid);
  looked.set(pid, { start, at: performance.now() });
  return start;
}

/** Clock ticks since boot on Linux, a date on other Unix systems, undefined where nothing tells. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name is in parentheses and may hold spaces: count from behind it.
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    }
    if (process.platform === 'win32') return undefined;
    const started = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
