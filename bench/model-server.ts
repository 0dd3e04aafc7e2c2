import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ModelServerClient } from '../test/model-server/index.ts';

/** The fake model server in a process of its own, so that what it does costs the measured processes nothing. */
export class ServerProcess implements AsyncDisposable {
  readonly client: ModelServerClient;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, origin: string) {
    this.#process = process;
    this.client = new ModelServerClient(origin);
  }

  static async start(): Promise<ServerProcess> {
    const program = fileURLToPath(new URL('../test/model-server/main.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const origin = /http:\S+/.exec(line)?.[0];
      if (origin) return new ServerProcess(child, origin);
    }
    throw new Error('The model server ended before it listened.');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await once(this.#process, 'exit');
  }
}
