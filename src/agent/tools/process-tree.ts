/**
 * Ends everything that a command started (spec/control.md, section 5): interrupt, 500 ms, terminate, 1 s, kill.
 *
 * On Linux the tree is what hangs together by parent links, process group, session or the environment mark, so that
 * children that were re-parented by `setsid` or a double fork are found as well. What clears its environment and detaches
 * itself twice cannot be told from a stranger and is not found.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import {
  commandLine,
  ignoresSignal,
  isRunning,
  type ProcessEntry,
  type ProcessTable,
  readProcesses,
  readProcessTable,
} from './process-table.ts';

/** The environment variable that every process of a command carries. */
export const MARK = 'MIDCOURSE_CALL';

export interface TreeRoot {
  /** Also the id of its process group and session: the shell is started detached. */
  readonly pid: number;
  /** Value of the environment variable that all processes of the tree carry. */
  readonly mark: string;
  /** Its name, where somebody else than `spawnShell` started the tree; `MARK` by default. */
  readonly variable?: string;
  /** As in `ProcessEntry`; processes that are older cannot be part of the tree. */
  readonly startTime?: string;
}

export interface Survivor {
  readonly pid: number;
  readonly command: string;
}

interface Round {
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Milliseconds after the first signal when the round is over. */
  readonly until: number;
  /** Milliseconds that the round gets in any case: being killed takes the system a moment when it is busy. */
  readonly atLeast?: number;
}

const ROUNDS: readonly Round[] = [
  { signal: 'SIGINT', until: 500 },
  { signal: 'SIGTERM', until: 1500 },
  { signal: 'SIGKILL', until: 0, atLeast: 400 },
];

/**
 * Resolves as soon as nothing of the tree is left, 1.9 s later at the latest, with what could not be ended.
 * Never rejects. Aborting `killSignal` skips to kill.
 */
export async function endTree(root: TreeRoot, killSignal: AbortSignal): Promise<readonly Survivor[]> {
  if (process.platform === 'win32') return await endWindowsTree(root.pid);
  const tree = new Tree(root);
  try {
    if (!killSignal.aborted) tree.interruptGroup();
    for (const round of ROUNDS) {
      if (killSignal.aborted && round.signal !== 'SIGKILL') continue;
      if (await tree.end(round, killSignal)) return [];
    }
    return await tree.survivors();
  } catch (error) {
    // The processes of this machine cannot be listed: what is left is the group, and to say that nobody looked further.
    send(-root.pid, 'SIGKILL');
    const why = error instanceof Error ? error.message : String(error);
    return [{ pid: root.pid, command: `perhaps processes that it started; they cannot be listed (${why})` }];
  }
}

/** The running processes of a tree, for naming what a finished command left behind. */
export async function treeMembers(root: TreeRoot): Promise<readonly Survivor[]> {
  if (process.platform === 'win32') return [];
  return await named((await findMembers(root, new Map())).members);
}

/**
 * The tree whose processes carry these environment variables, by its oldest process that still runs; undefined when none
 * does, and on Windows, where no environment can be read. The last variable becomes the tree's mark.
 */
export async function findRoot(variables: Readonly<Record<string, string>>): Promise<TreeRoot | undefined> {
  if (process.platform === 'win32') return undefined;
  const table = await readProcessTable();
  let found = table.entries.filter((entry) => isRunning(entry) && entry.pid !== process.pid);
  let tree: Omit<TreeRoot, 'pid'> = { mark: '' };
  for (const [variable, mark] of Object.entries(variables)) {
    const among = new Set(found);
    found = [...(await table.withEnvironment(`${variable}=${mark}`, (entry) => among.has(entry)))];
    tree = { variable, mark };
  }
  const pids = new Set(found.map(({ pid }) => pid));
  const oldest = found.find(({ parent }) => !pids.has(parent)) ?? found[0];
  return oldest && { ...tree, pid: oldest.pid, startTime: oldest.startTime };
}

/** When the process started, for `TreeRoot` and for telling it from a later one with its pid. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  return process.platform === 'win32' ? undefined : (await readProcesses([pid]))[0]?.startTime;
}

class Tree {
  readonly #root: TreeRoot;
  readonly #startedAt = performance.now();
  /** All that were ever seen, by pid: members stay members when their parents end. */
  readonly #known = new Map<number, string>();
  /** When the group was interrupted, in the unit of `startTime`. */
  #interruptedAt = Number.NaN;

  constructor(root: TreeRoot) {
    this.#root = root;
  }

  /** Before anything is looked up: most trees are gone when the first look comes back. */
  interruptGroup(): void {
    this.#interruptedAt = ticksSinceBoot();
    send(-this.#root.pid, 'SIGINT');
  }

  /** True when nothing is left. */
  async end(round: Round, killSignal: AbortSignal): Promise<boolean> {
    /** Names by pid: what has become another program since was a shell about to start it, which kept the signal. */
    const signalled = new Map<number, string>();
    const hurry = round.signal === 'SIGKILL' ? undefined : killSignal;
    const deadline = Math.max(this.#startedAt + round.until, performance.now() + (round.atLeast ?? 0));
    if (round.signal !== 'SIGINT') await this.#signalKnown(round.signal, signalled);
    for (let pause = 25; ; pause *= 2) {
      const members = await this.#look();
      if (members.length === 0) return true;
      const fresh = members.filter((member) => signalled.get(member.pid) !== member.command);
      await Promise.all(fresh.map((member) => this.#signal(member, round.signal)));
      for (const member of fresh) signalled.set(member.pid, member.command);
      // What a member starts in the meantime is only seen by looking again.
      const rest = deadline - performance.now();
      const gone = await untilGone(members, Math.min(rest, pause), hurry);
      if (!gone && (rest <= pause || hurry?.aborted)) return false;
    }
  }

  /** Those that are known get the signal before anybody looks for others. */
  async #signalKnown(signal: Round['signal'], signalled: Map<number, string>): Promise<void> {
    for (const entry of await readProcesses([...this.#known.keys()])) {
      if (this.#known.get(entry.pid) !== entry.startTime) continue;
      send(entry.pid, signal);
      signalled.set(entry.pid, entry.command);
    }
  }

  async #signal(member: ProcessEntry, signal: Round['signal']): Promise<void> {
    if (signal !== 'SIGINT') send(member.pid, signal);
    else if (member.group !== this.#root.pid || Number.isNaN(this.#interruptedAt)) send(member.pid, signal);
    else if (Number(member.startTime) >= this.#interruptedAt - 1) {
      // A shell that was between two commands, or about to start one, has kept the signal for itself and goes on with that
      // one, unless both are interrupted together. Starts are counted in ticks, so the one before counts too.
      send(member.pid, signal);
      send(this.#root.pid, signal);
    }
    // Shells start background jobs with interrupts ignored: waiting for those to obey would only cost time.
    if (signal === 'SIGINT' && (await ignoresSignal(member.pid, constants.signals.SIGINT))) send(member.pid, 'SIGTERM');
    if (member.state === 'T') send(member.pid, 'SIGCONT');
  }

  async survivors(): Promise<readonly Survivor[]> {
    return await named(await this.#look());
  }

  async #look(): Promise<readonly ProcessEntry[]> {
    let found = await findMembers(this.#root, this.#known);
    // A member may have forked and ended between the listing and the reading; an undisturbed look is proof.
    for (let again = 0; again < 3 && found.members.length === 0 && !found.complete; again++) {
      found = await findMembers(this.#root, this.#known);
    }
    for (const member of found.members) this.#known.set(member.pid, member.startTime);
    return found.members;
  }
}

async function findMembers(root: TreeRoot, known: ReadonlyMap<number, string>) {
  const table = await readProcessTable();
  const running = table.entries.filter((entry) => isRunning(entry) && entry.pid > 1 && entry.pid !== process.pid);
  const members = new Map<number, ProcessEntry>();
  const related = (entry: ProcessEntry) =>
    entry.pid === root.pid ||
    known.get(entry.pid) === entry.startTime ||
    [entry.parent, entry.group, entry.session].some((id) => id === root.pid || members.has(id) || known.has(id));
  const grow = () => {
    for (let size = -1; size !== members.size; ) {
      size = members.size;
      for (const entry of running) if (isYoungEnough(entry, root) && related(entry)) members.set(entry.pid, entry);
    }
  };
  grow();
  for (const entry of await marked(table, root, members)) members.set(entry.pid, entry);
  grow();
  return { complete: table.complete, members: [...members.values()] };
}

async function marked(table: ProcessTable, root: TreeRoot, members: ReadonlyMap<number, ProcessEntry>) {
  return await table.withEnvironment(
    `${root.variable ?? MARK}=${root.mark}`,
    (entry) => isRunning(entry) && entry.pid !== process.pid && !members.has(entry.pid) && isYoungEnough(entry, root),
  );
}

/** A child is never older than its root. Dates of `ps` cannot be compared as numbers and say nothing. */
function isYoungEnough(entry: ProcessEntry, root: TreeRoot): boolean {
  return !(Number(entry.startTime) < Number(root.startTime));
}

/** Ticks are hundredths of a second wherever Linux runs. The file is short and never blocks. */
function ticksSinceBoot(): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 100);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it has ended by itself. EPERM: it belongs to somebody else; it is named among the survivors.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** False when `ms` were over or `hurry` aborted before all were gone. */
async function untilGone(members: readonly ProcessEntry[], ms: number, hurry: AbortSignal | undefined) {
  const deadline = performance.now() + ms;
  const started = new Map(members.map((member) => [member.pid, member.startTime]));
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const left = await readProcesses([...started.keys()]);
    if (!left.some((entry) => started.get(entry.pid) === entry.startTime)) return true;
    const rest = deadline - performance.now();
    if (rest <= 0 || hurry?.aborted) return false;
    await sleep(Math.min(pause, rest), hurry);
  }
}

function sleep(ms: number, until: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      until?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    until?.addEventListener('abort', done);
  });
}

async function named(entries: readonly ProcessEntry[]): Promise<readonly Survivor[]> {
  return await Promise.all(entries.map(async (entry) => ({ pid: entry.pid, command: await commandLine(entry) })));
}

/** Windows has no gentle signal for programs without a window, so the tree is ended at once. */
function endWindowsTree(pid: number): Promise<readonly Survivor[]> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, (error) => {
      // 128: there is no such process.
      resolve(error && error.code !== 128 ? [{ pid, command: 'the command and what it started' }] : []);
    });
  });
}
