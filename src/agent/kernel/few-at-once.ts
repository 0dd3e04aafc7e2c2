import { breathe } from './slices.ts';

/** At once: thousands of answers of the file system that come together would hold the host's thread. */
const FEW = 16;

/** As `Promise.all` of `map`, with only a few under way; rejects with the first rejection. */
export async function fewAtOnce<Of, To>(all: readonly Of[], work: (of: Of) => Promise<To>): Promise<To[]> {
  const results: To[] = [];
  const rest = all.entries();
  const worker = async () => {
    for (const [index, of] of rest) {
      await breathe();
      results[index] = await work(of);
    }
  };
  await Promise.all(Array.from({ length: Math.min(FEW, all.length) }, worker));
  return results;
}
