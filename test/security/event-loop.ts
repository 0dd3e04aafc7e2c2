/**
 * The longest time in milliseconds in which the event loop of this process did not turn while `work` ran: what a person
 * would feel as a frozen editor. From the first tick of the work to one tick after its end.
 */
export async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  await new Promise((resolve) => setImmediate(resolve));
  last = performance.now();
  setImmediate(turn);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    isOver = true;
  }
  return Math.max(longest, performance.now() - last);
}
