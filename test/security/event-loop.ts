/** What of a turn of the event loop was longest, in milliseconds. */
export interface Longest {
  /** By the clock: what a person would feel as a frozen editor, with whatever else the machine does meanwhile. */
  readonly gap: number;
  /** Of the processor in this thread, so that other programs do not count. */
  readonly work: number;
}

/** The longest turns of the event loop of this thread while `work` ran, from its first tick to one after its end. */
export async function longestTurns(work: () => Promise<unknown>): Promise<Longest> {
  const longest = { gap: 0, work: 0 };
  let last = { at: performance.now(), used: used() };
  let isOver = false;
  const look = (): void => {
    const now = { at: performance.now(), used: used() };
    longest.gap = Math.max(longest.gap, now.at - last.at);
    longest.work = Math.max(longest.work, now.used - last.used);
    last = now;
  };
  const turn = (): void => {
    look();
    // Not at once: that would keep a processor busy that the work may need.
    if (!isOver) timer = setTimeout(turn, 1);
  };
  await new Promise((resolve) => setImmediate(resolve));
  last = { at: performance.now(), used: used() };
  let timer = setTimeout(turn, 1);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
  look();
  return longest;
}

/** The longest time in milliseconds in which the event loop of this thread did not turn while `work` ran. */
export async function longestGap(work: () => Promise<unknown>): Promise<number> {
  return (await longestTurns(work)).gap;
}

/** Milliseconds of the processor that this thread has used. */
function used(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
