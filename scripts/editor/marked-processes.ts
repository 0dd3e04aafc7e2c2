import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Environment variable that every process of one launch inherits, however deep and in whatever process group. */
export const markName = 'MIDCOURSE_LAUNCH';

/** Living processes that carry the mark, except this one. Linux only; elsewhere none are found. */
export async function markedProcesses(mark: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const wanted = `${markName}=${mark}`;
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readProcess(pid, 'environ');
      return environment.split('\0').includes(wanted) ? pid : 0;
    }),
  );
  return found.filter((pid) => pid > 0);
}

/** Asks all of them to end (SIGTERM), waits up to `patience` ms, then kills what is left, also what was born meanwhile. */
export async function endMarkedProcesses(mark: string, patience: number): Promise<void> {
  signalAll(await markedProcesses(mark), 'SIGTERM');
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    if ((await markedProcesses(mark)).length === 0) return;
    await delay(50);
  }
  for (;;) {
    const left = await markedProcesses(mark);
    if (left.length === 0) return;
    signalAll(left, 'SIGKILL');
    await delay(20);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
      if (!gone) throw error;
    }
  }
}

export async function commandLineOf(pid: number): Promise<string> {
  return (await readProcess(pid, 'cmdline')).replaceAll('\0', ' ');
}

/** Empty for a process that ended meanwhile, for another user's and for a zombie. */
async function readProcess(pid: number, what: 'environ' | 'cmdline'): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
