import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../src/agent/turn/index.ts';
import type { SessionEvent } from '../../../src/api.ts';
import type { Rig } from './rig.ts';

const PROGRAM = fileURLToPath(new URL('processes/window.ts', import.meta.url));

/** A window in a process of its own that runs a turn of the session; it can hang and die like a real one. */
export class OtherWindow {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #events: SessionEvent[] = [];
  #told = Promise.withResolvers<void>();

  constructor(rig: Rig, sessionId: string) {
    const { dataFolder, folder, server } = rig;
    this.#process = spawn(process.execPath, [PROGRAM, dataFolder, sessionId, server.openAiBaseUrl, folder]);
    this.#process.stderr.pipe(process.stderr);
    createInterface(this.#process.stdout).on('line', (line) => {
      this.#events.push(JSON.parse(line));
      this.#told.resolve();
      this.#told = Promise.withResolvers();
    });
  }

  /** Resolves with the first event, past or coming, that fits. */
  async event<T extends SessionEvent['type']>(
    type: T,
    fits: (event: SessionEvent & { type: T }) => boolean = () => true,
  ): Promise<SessionEvent & { type: T }> {
    for (;;) {
      const told = this.#told.promise;
      const found = this.#events.find(
        (event): event is SessionEvent & { type: T } =>
          event.type === type && fits(event as SessionEvent & { type: T }),
      );
      if (found) return found;
      await told;
    }
  }

  hang(): void {
    this.#process.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }
}

/** A clock on which nothing takes long: the order of things is the same. */
export const hurriedClock: Clock = {
  now: () => Date.now() * 20,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms / 20);
    return () => clearTimeout(timer);
  },
};
