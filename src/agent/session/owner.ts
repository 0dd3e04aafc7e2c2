import { readFileSync } from 'node:fs';

/** The host process that runs a turn. The start time tells it from a later process that got the same number. */
export interface Owner {
  readonly pid: number;
  /** As the system writes it; empty where it does not tell. */
  readonly processStart: string;
}

export function thisProcess(): Owner {
  return { pid: process.pid, processStart: startOf(process.pid) ?? '' };
}

/** True while the process that ran the turn lives and is not this one. */
export function livesElsewhere(owner: Owner | undefined): boolean {
  if (!owner || owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = startOf(owner.pid);
  return owner.processStart === '' || start === undefined || start === owner.processStart;
}

/** Field 22 of `/proc/<pid>/stat`: clock ticks since boot. Undefined where there is no such file system. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may hold spaces: count from behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
