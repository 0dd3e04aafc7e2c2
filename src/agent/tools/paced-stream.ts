import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** More than this (bytes in one window) makes the other side wait, so that the host's thread stays free. */
const WINDOW_BYTES = 1024 * 1024;
const WINDOW_MS = 10;

/**
 * Calls back with what a process writes as it comes, never faster than the host can take; resolves when it has ended.
 *
 * @param onChunk may return a promise: nothing more is read before it settles
 */
export function readPaced(stream: Readable, onChunk: (chunk: Buffer) => unknown): Promise<void> {
  let bytes = 0;
  let windowEnd = 0;
  let paused: NodeJS.Timeout | undefined;
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      const busy = onChunk(chunk);
      if (busy instanceof Promise) {
        stream.pause();
        // What it waits for tells its own failures.
        void busy.catch(() => undefined).then(() => stream.resume());
        return;
      }
      const now = performance.now();
      if (now > windowEnd) {
        windowEnd = now + WINDOW_MS;
        bytes = 0;
      }
      bytes += chunk.length;
      if (bytes < WINDOW_BYTES) return;
      stream.pause();
      paused = setTimeout(() => stream.resume(), WINDOW_MS);
    });
    const finish = () => {
      clearTimeout(paused);
      resolve();
    };
    // A pipe that breaks has nothing more to say: the exit code tells the rest.
    stream.on('error', finish);
    stream.once('close', finish);
  });
}

/** The same for text in UTF-8, of which a character may come in two pieces. */
export function readPacedText(stream: Readable, onText: (text: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  return readPaced(stream, (chunk) => onText(decoder.write(chunk)));
}
