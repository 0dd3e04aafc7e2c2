import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type * as vscode from 'vscode';

type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };
type Hello = { readonly hello: { readonly folder?: string; readonly pid: number } };

/** A function that runs inside the extension host. It is sent as source: it sees its parameters and nothing else. */
export type HostFunction<Argument, Value> = (
  api: typeof vscode,
  argument: Argument,
  require: NodeJS.Require,
) => Value | PromiseLike<Value>;

/** The extension host of one window, reached through the companion extension. */
export class Host {
  readonly folder: string | undefined;
  /** Process id of the extension host: its memory and CPU time are the extension's. */
  readonly pid: number;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(socket: Socket, folder: string | undefined, pid: number) {
    this.#socket = socket;
    this.folder = folder;
    this.pid = pid;
    socket.once('close', () => {
      for (const call of this.#waiting.values()) call.reject(new Error('The extension host has ended.'));
      this.#waiting.clear();
    });
  }

  get ended(): boolean {
    return this.#socket.destroyed;
  }

  /** Calls the function in the extension host. Argument and value travel as JSON; an error there is thrown here. */
  run<Value>(call: HostFunction<undefined, Value>): Promise<Value>;
  run<Argument, Value>(call: HostFunction<Argument, Value>, argument: Argument): Promise<Value>;
  async run(call: HostFunction<never, unknown>, argument?: unknown): Promise<unknown> {
    if (this.ended) throw new Error('The extension host has ended.');
    this.#lastId += 1;
    const pending = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, pending);
    this.#socket.write(`${JSON.stringify({ id: this.#lastId, source: call.toString(), argument })}\n`);
    return pending.promise;
  }

  /** Runs a command as a keybinding would. */
  command(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.run((api, call) => api.commands.executeCommand(call.name, ...call.args), { name, args });
  }

  answer({ id, value, error }: Answer): void {
    const pending = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new Error(error));
  }
}

/** Listens for the companions of all windows of one editor. */
export class Hosts {
  readonly #server: Server;
  readonly #hosts = new Set<Host>();
  readonly #sockets = new Set<Socket>();
  #arrived = Promise.withResolvers<void>();

  private constructor() {
    this.#server = createServer((socket) => this.#greet(socket));
  }

  static async listen(socketPath: string): Promise<Hosts> {
    const hosts = new Hosts();
    hosts.#server.listen(socketPath);
    await once(hosts.#server, 'listening');
    return hosts;
  }

  /**
   * The next host of a window with this folder that is not among `known`: after a reload it is another one.
   * Throws when none has arrived after `patience` ms.
   */
  async next(folder: string | undefined, known: ReadonlySet<Host>, patience = 120_000): Promise<Host> {
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      tooLate.reject(new Error(`No extension host for ${folder ?? 'the empty window'} within ${patience / 1000} s.`));
    }, patience);
    try {
      for (;;) {
        const found = [...this.#hosts].find((host) => host.folder === folder && !host.ended && !known.has(host));
        if (found) return found;
        await Promise.race([this.#arrived.promise, tooLate.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // The companion ends with its window: a reset is as good an end as any.
    socket.on('error', () => socket.destroy());
    let host: Host | undefined;
    const lines = createInterface({ input: socket });
    // It repeats the socket's error.
    lines.on('error', () => socket.destroy());
    lines.on('line', (line) => {
      const message = JSON.parse(line) as Hello | Answer;
      if ('hello' in message) {
        host = new Host(socket, message.hello.folder, message.hello.pid);
        this.#hosts.add(host);
        const arrived = this.#arrived;
        this.#arrived = Promise.withResolvers();
        arrived.resolve();
      } else {
        host?.answer(message);
      }
    });
  }
}
