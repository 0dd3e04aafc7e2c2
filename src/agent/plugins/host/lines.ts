import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../turn/types.ts';

/** Bytes of one message. */
const LARGEST = 8 * 1024 * 1024;
/** What is read in one window without a pause. */
const WINDOW = { ms: 20, messages: 200, bytes: 1024 * 1024 };
/** Full windows in a row after which it is a flood: half a second without a break, 5,000 messages. */
const FLOOD = 25;
/** Milliseconds of silence after which what comes is another burst. */
const REST = 1000;

export interface LineEvents {
  message(text: string): void;
  /** A message that is too long, or far too many of them. Nothing is read any more. */
  flood(why: string): void;
}

/**
 * Reads lines from a plugin's process and never lets it take the host's thread: beyond a window's measure the pipe is left
 * alone until the window is over, so that the other side waits.
 */
export class PacedLines {
  readonly #stream: Duplex;
  readonly #clock: Clock;
  readonly #events: LineEvents;
  readonly #decoder = new StringDecoder('utf8');
  #begun: string[] = [];
  #begunBytes = 0;
  #window = { ends: 0, messages: 0, bytes: 0, full: false };
  #full = 0;
  #closed = false;
  #resume = () => {};

  constructor(stream: Duplex, clock: Clock, events: LineEvents) {
    this.#stream = stream;
    this.#clock = clock;
    this.#events = events;
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  close(): void {
    this.#closed = true;
    this.#resume();
    this.#begun = [];
  }

  #read(chunk: Buffer): void {
    if (this.#closed) return;
    const now = this.#clock.now();
    if (now >= this.#window.ends) {
      if (!this.#window.full || now >= this.#window.ends + REST) this.#full = 0;
      this.#window = { ends: now + WINDOW.ms, messages: 0, bytes: 0, full: false };
    }
    this.#window.bytes += chunk.length;
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#begun.push(first);
    this.#begunBytes += first.length;
    for (const next of others) {
      const line = this.#begun.join('');
      this.#begun = [next];
      this.#begunBytes = next.length;
      this.#window.messages += 1;
      if (line !== '') this.#events.message(line);
      if (this.#closed) return;
    }
    if (this.#begunBytes > LARGEST) this.#flooded(`It sent a message of more than ${LARGEST / 1024 / 1024} MB.`);
    else if (this.#window.messages >= WINDOW.messages || this.#window.bytes >= WINDOW.bytes) this.#pause();
  }

  #pause(): void {
    this.#window.full = true;
    this.#full += 1;
    if (this.#full > FLOOD) return this.#flooded('It sent thousands of messages without a break.');
    this.#stream.pause();
    const end = this.#clock.after(WINDOW.ms, () => this.#stream.resume());
    this.#resume = () => {
      end();
      this.#stream.resume();
    };
  }

  #flooded(why: string): void {
    this.close();
    this.#events.flood(why);
  }
}
