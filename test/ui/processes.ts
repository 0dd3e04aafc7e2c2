import { readdir, readFile } from 'node:fs/promises';

/** Process ids of living commands whose command line holds the words. */
export async function processesWith(words: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    // A process may end between the two reads.
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.replaceAll('\0', ' ').includes(words) ? [pid] : [];
    }),
  );
  return found.flat();
}
