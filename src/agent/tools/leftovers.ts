import { isRunning, type ProcessEntry, readProcessTable } from './process-table.ts';
import { endTree, MARK, type Survivor, type TreeRoot } from './process-tree.ts';

/** How often a leftover is looked for: what it starts while it is ended is found by the next look. */
const LOOKS = 3;

/**
 * Ends a process that outlived its window, and all that it started. It is known by pid and start time together, or else
 * what it started is known by its mark: a later process that got its pid is never touched. On Windows nothing tells one
 * from the other, so nothing is ended there.
 *
 * @returns `gone` when nothing of it ran any more, otherwise what could not be ended
 */
export async function endLeftover(root: TreeRoot): Promise<'gone' | readonly Survivor[]> {
  let survivors: 'gone' | readonly Survivor[] = 'gone';
  for (let looks = 0; looks < LOOKS; looks++) {
    const found = await findLeftover(root);
    if (!found) return survivors === 'gone' ? 'gone' : [];
    survivors = await endTree(found, new AbortController().signal);
  }
  return survivors;
}

async function findLeftover(root: TreeRoot): Promise<TreeRoot | undefined> {
  if (process.platform === 'win32') return undefined;
  const table = await readProcessTable();
  const entry = table.entries.find(({ pid }) => pid === root.pid);
  if (entry && isRunning(entry) && root.startTime !== undefined && entry.startTime === root.startTime) return root;
  const [oldest] = (await table.withEnvironment(`${MARK}=${root.mark}`, isRunning)).toSorted(byStart);
  return oldest && { pid: oldest.pid, mark: root.mark, startTime: oldest.startTime };
}

/** Ticks on Linux. Dates of `ps` are no numbers: there the order does not matter to `endTree`. */
function byStart(one: ProcessEntry, other: ProcessEntry): number {
  return Number(one.startTime) - Number(other.startTime) || 0;
}
