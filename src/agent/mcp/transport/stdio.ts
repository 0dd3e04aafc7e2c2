/**
 * A server as a child process that speaks in lines: in a process group of its own, with an environment without keys, and
 * ended together with all it started.
 */

import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import spawn from 'cross-spawn';
import { maskKeys } from '../../safety/index.ts';
import { endTree, MARK, type RecordProcess, readPacedText } from '../../tools/index.ts';

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly record?: RecordProcess;
  /** What it writes beside the protocol: its error output, and lines of its output that are no messages. */
  onSaid(text: string): void;
}

/** Bytes of one message. More than this is no answer that anybody could use. */
const LONGEST_MESSAGE = 10 * 1024 * 1024;
/** Milliseconds to end by itself once its input is closed. */
const GRACE = 300;
/** Milliseconds that output may still come after the end: something that it started may hold the pipe open. */
const DRAIN = 200;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: StdioCommand;
  readonly #mark = randomUUID();
  #child: ChildProcess | undefined;
  #exited = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;
  #ended = false;
  #forget: (() => void) | undefined;
  #why = 'it was closed';

  constructor(command: StdioCommand) {
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Why it ended, in words. */
  get why(): string {
    return this.#why;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#forget = this.#command.record?.(this.#mark, `MCP server: ${maskKeys([command, ...args].join(' '))}`);
    const child = spawn(command, [...args], {
      env: { ...env, [MARK]: this.#mark },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    child.once('spawn', resolve);
    child.once('error', (error) => {
      this.#end(startFailure(command, cwd, error));
      reject(new Error(this.#why, { cause: error }));
    });
    child.once('exit', (code, signal) => {
      this.#exited.resolve();
      const how = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
      const timer = setTimeout(() => this.#end(how), DRAIN);
      child.once('close', () => {
        clearTimeout(timer);
        this.#end(how);
      });
    });
    // Writing to a process that has just ended: its end says all there is to say.
    child.stdin?.on('error', () => undefined);
    if (child.stdout) this.#readMessages(child.stdout);
    if (child.stderr) void readPacedText(child.stderr, (text) => this.#command.onSaid(text));
    return promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#ended || !stdin.writable) return Promise.reject(new Error(`The server is gone: ${this.#why}.`));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the process with its tree; resolves when nothing of it is left, or after 2.2 seconds. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    // Nobody waits for the process to be told that it is over.
    this.#end('it was closed');
    if (child?.pid === undefined) return this.#forget?.();
    child.stdin?.end();
    const timer = setTimeout(() => this.#exited.resolve(), GRACE);
    await this.#exited.promise;
    clearTimeout(timer);
    // What it started may outlive it.
    const survivors = await endTree({ pid: child.pid, mark: this.#mark }, new AbortController().signal);
    if (survivors.length === 0) this.#forget?.();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  /** The first reason counts. */
  #end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#why = why;
    this.onclose?.();
    // An end by itself may leave children behind.
    void this.close();
  }

  #readMessages(stdout: Readable): void {
    let line = '';
    void readPacedText(stdout, (text) => {
      const parts = text.split('\n');
      const last = parts.pop() ?? '';
      for (const part of parts) {
        this.#receive(line + part);
        line = '';
      }
      line += last;
      if (line.length <= LONGEST_MESSAGE) return;
      line = '';
      this.#end(`it sent a message of more than ${LONGEST_MESSAGE / 1024 / 1024} MB`);
    });
  }

  #receive(line: string): void {
    if (this.#ended || line.trim() === '') return;
    const message = messageOf(line);
    if (message) this.onmessage?.(message);
    else this.#command.onSaid(`${line.slice(0, 1000)}\n`);
  }
}

/** Undefined for a line that is none: programs also write banners and warnings there. */
function messageOf(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSONRPCMessageSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function startFailure(command: string, cwd: string, error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  // Node says the same for a program and for a folder that is missing.
  if (code === 'ENOENT') return `${command} was not found, or the folder ${cwd} is not there`;
  if (code === 'EACCES') return `${command} may not be run`;
  return `${command} could not be started: ${error.message}`;
}
