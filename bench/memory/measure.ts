import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

const measured = z.object({ held: z.number(), peak: z.number() });

/**
 * One flow in a process of its own.
 *
 * @param heap megabytes that its objects may take; without it what Node takes
 * @returns MB. Rejects when the process runs out of memory.
 */
export async function measure(index: number, megabytes: number, heap?: number): Promise<z.infer<typeof measured>> {
  const program = fileURLToPath(new URL('measured.ts', import.meta.url));
  const limit = heap === undefined ? [] : [`--max-old-space-size=${heap}`];
  const run = promisify(execFile);
  const args = ['--expose-gc', ...limit, program, String(index), String(megabytes)];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  return measured.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}
