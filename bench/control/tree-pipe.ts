import { execFileSync } from 'node:child_process';
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { now } from './stage.ts';

/**
 * Tells to the moment when the last process of a tree is gone, wherever it hides: each inherits the write end of a named
 * pipe, and the pipe ends when nobody holds it any more.
 */
export class TreePipe {
  /** Shell words that put what follows under watch. */
  readonly watched: string;
  readonly #fd: number;
  #goneAt: number | undefined;

  constructor(folder: string) {
    const path = join(folder, `tree-${crypto.randomUUID()}`);
    execFileSync('mkfifo', [path]);
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.watched = `exec 9>${path}`;
  }

  /** When the last process has ended. Ask once, and only when the first has been started: an unopened pipe is at its end. */
  gone(): Promise<number> {
    const socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    return new Promise((resolve, reject) => {
      socket.once('end', () => {
        this.#goneAt = now();
        resolve(this.#goneAt);
      });
      socket.once('error', reject);
      socket.resume();
    });
  }

  /** Whether somebody lives at this moment, also when the event loop has not heard of the end yet. */
  get lives(): boolean {
    if (this.#goneAt !== undefined) return false;
    try {
      return readSync(this.#fd, Buffer.alloc(1)) > 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return true;
      throw error;
    }
  }
}
