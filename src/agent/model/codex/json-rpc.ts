/** JSON-RPC over lines, as Codex speaks it: without the `jsonrpc` field, and with requests in both directions. */

import * as z from 'zod';

const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

export type RequestId = string | number;

/** The other side refused a request. */
export class Refused extends Error {
  readonly code: number;

  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`${method}: ${error.message}`);
    this.name = 'Refused';
    this.code = error.code;
  }
}

export interface Peer {
  write(line: string): void;
  onNotification(method: string, params: unknown): void;
  /** Has to lead to one `answer` or `refuse` with the id. */
  onRequest(id: RequestId, method: string, params: unknown): void;
  /** A request was not answered in time. */
  onSilence(method: string, ms: number): void;
}

interface Waiting {
  readonly method: string;
  readonly timer: NodeJS.Timeout;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class JsonRpc {
  readonly #peer: Peer;
  readonly #patience: number;
  readonly #waiting = new Map<RequestId, Waiting>();
  #closed: Error | undefined;
  #next = 1;

  /** @param patience milliseconds that a request may go without an answer */
  constructor(peer: Peer, patience: number) {
    this.#peer = peer;
    this.#patience = patience;
  }

  /**
   * Rejects with `Refused`, or with what the connection was closed for. An answer of another form is refused as well.
   * @param patience milliseconds, where it is not the usual one
   */
  async call<Answer>(
    method: string,
    params: unknown,
    answer: z.ZodType<Answer>,
    patience: number = this.#patience,
  ): Promise<Answer> {
    if (this.#closed) throw this.#closed;
    const id = this.#next++;
    const result = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#peer.onSilence(method, patience), patience);
      this.#waiting.set(id, { method, timer, resolve, reject });
      this.#peer.write(JSON.stringify({ id, method, params }));
    });
    const parsed = answer.safeParse(result);
    if (parsed.success) return parsed.data;
    throw new Refused(method, { code: 0, message: `it answered in an unknown form: ${z.prettifyError(parsed.error)}` });
  }

  notify(method: string): void {
    if (!this.#closed) this.#peer.write(JSON.stringify({ method }));
  }

  answer(id: RequestId, result: unknown): void {
    if (!this.#closed) this.#peer.write(JSON.stringify({ id, result }));
  }

  refuse(id: RequestId, why: string): void {
    if (!this.#closed) this.#peer.write(JSON.stringify({ id, error: { code: -32601, message: why } }));
  }

  /** Takes one line. What is no message is skipped. */
  receive(line: string): void {
    const parsed = message.safeParse(jsonOf(line));
    if (!parsed.success || this.#closed) return;
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined) {
      if (id === undefined) this.#peer.onNotification(method, params);
      else this.#peer.onRequest(id, method, params);
      return;
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error) waiting.reject(new Refused(waiting.method, error));
    else waiting.resolve(result);
  }

  /** Everything that waits is rejected, and so is what is called from now on. */
  close(error: Error): void {
    if (this.#closed) return;
    this.#closed = error;
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Something that writes to the same output, such as a wrapper script.
    return undefined;
  }
}
