import { readFileSync } from 'node:fs';

/** False also for a zombie: it runs no more, and only its parent can take it away. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
