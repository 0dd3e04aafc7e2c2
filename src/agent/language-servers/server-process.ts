import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { maskKeys } from '../safety/index.ts';
import { endTree, MARK, type RecordProcess, readPacedText } from '../tools/index.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** `socket`: the server is told by `--socket=<port>` where to connect to. */
  readonly transport: 'stdio' | 'socket';
  readonly record?: RecordProcess;
  /** What it writes beside the protocol. */
  onSaid(text: string): void;
}

/** Milliseconds to end by itself once its input is closed. */
const GRACE = 300;

/** A language server's process, in a group of its own; it is ended with all it started. */
export class ServerProcess {
  readonly reader: Readable;
  readonly writer: Writable;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #forget: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  /** @throws Error in words when it cannot be started, or does not connect before `signal` aborts; nothing is left then */
  static async start(command: ServerCommand, signal: AbortSignal): Promise<ServerProcess> {
    const mark = randomUUID();
    const listening = command.transport === 'socket' ? await listen() : undefined;
    const line = maskKeys([command.command, ...command.args].join(' '));
    const forget = command.record?.(mark, `language server: ${line}`);
    const child = spawn(command.command, [...command.args, ...(listening ? [`--socket=${listening.port}`] : [])], {
      cwd: command.cwd,
      env: { ...command.env, [MARK]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    try {
      await once(child, 'spawn', { signal });
      // Writing to a process that has just ended: its end says all there is to say.
      child.stdin?.on('error', () => undefined);
      const hear = (stream: Readable | null) => stream && void readPacedText(stream, (text) => command.onSaid(text));
      hear(child.stderr);
      if (!listening) return new ServerProcess(child, mark, child.stdout as Readable, child.stdin as Writable, forget);
      hear(child.stdout);
      const socket = await connected(listening.connection, child, signal);
      return new ServerProcess(child, mark, socket, socket, forget);
    } catch (error) {
      if (child.pid !== undefined) await endTree({ pid: child.pid, mark }, AbortSignal.abort());
      forget?.();
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        throw new Error(`${command.command} was not found, or the folder ${command.cwd} is not there.`);
      }
      throw error;
    } finally {
      listening?.close();
    }
  }

  private constructor(
    child: ChildProcess,
    mark: string,
    reader: Readable,
    writer: Writable,
    forget: (() => void) | undefined,
  ) {
    this.#child = child;
    this.#forget = forget;
    this.#mark = mark;
    this.reader = reader;
    this.writer = writer;
    this.ended = new Promise((resolve) => {
      const tell = () => {
        const { exitCode, signalCode } = child;
        resolve(signalCode === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signalCode}`);
      };
      if (child.exitCode !== null || child.signalCode !== null) tell();
      else child.once('exit', tell);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when nothing of it is left, or after 2.2 seconds. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    this.#child.stdin?.end();
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GRACE);
    await Promise.race([this.ended, waited]);
    clearTimeout(timer);
    const survivors = await endTree({ pid, mark: this.#mark }, new AbortController().signal);
    if (survivors.length === 0) this.#forget?.();
    this.reader.destroy();
    this.writer.destroy();
  }
}

async function listen() {
  const { promise: connection, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    connection,
    close: () => server.close(),
  };
}

async function connected(connection: Promise<Socket>, child: ChildProcess, signal: AbortSignal): Promise<Socket> {
  const own = new AbortController();
  const until = AbortSignal.any([own.signal, signal]);
  try {
    const ended = once(child, 'exit', { signal: until }).then(() => {
      throw new Error('The server ended before it connected.');
    });
    return await Promise.race([connection, ended]);
  } finally {
    own.abort();
  }
}
