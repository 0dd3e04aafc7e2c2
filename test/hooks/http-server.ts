import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** A program that listens on a port of this machine, which it is told by the variable `PORT`. */
export class PortProgram {
  readonly port: number;
  readonly #child: ChildProcess;

  /** Resolves when it has said that it listens. */
  static async start(script: string, args: readonly string[]): Promise<PortProgram> {
    const port = await freePort();
    const child = spawn(process.execPath, [script, ...args], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream)
          createInterface({ input: stream }).on('line', (line) => /listening|running on port/i.test(line) && resolve());
      }
      child.once('exit', () => reject(new Error(`${script} has ended`)));
    });
    return new PortProgram(child, port);
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
