import { rm } from 'node:fs/promises';
import { endMarkedProcesses } from './marked-processes.ts';

/**
 * Usage: guard.ts MARK FOLDER, with its standard input held open by the process it guards for.
 * When that input ends, its owner is gone (also by a crash or SIGKILL): everything marked ends and the folder goes.
 */
const [mark, folder] = process.argv.slice(2);
if (!mark || !folder) throw new Error('guard.ts needs a mark and a folder');

// Ctrl+C reaches the owner, which cleans up; the guard has to outlive it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.stdin.resume();
process.stdin.once('end', async () => {
  await endMarkedProcesses(mark, 2000);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
