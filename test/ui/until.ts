/** Asks again until it gets something; for what nobody announces, such as a file or a process. The test's time limit bounds it. */
export async function until<T>(read: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
