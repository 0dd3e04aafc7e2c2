import type { ModelMessage } from '../types.ts';

interface Written {
  readonly messages: readonly ModelMessage[];
  readonly variant: string;
  readonly json: string;
}

/**
 * The JSON of conversations, which only grow at their end: what went with an earlier request is not written again. The
 * extension host's one thread took 25 ms for it in a conversation of 10,000 rows, with every request.
 */
export class WrittenMessages {
  /** By the first message of a conversation, and gone with it. */
  readonly #written = new WeakMap<ModelMessage, Written>();

  /**
   * @param write what stands for some messages on the wire, and which ones stand before them; it may not depend on those
   * behind them
   * @param variant what else it depends on
   * @returns the elements of a JSON array, without its brackets
   */
  json(
    messages: readonly ModelMessage[],
    write: (some: readonly ModelMessage[], earlier: readonly ModelMessage[]) => readonly unknown[],
    variant = '',
  ): string {
    const [first] = messages;
    if (first === undefined) return '';
    const known = this.#written.get(first);
    const before = known?.variant === variant && continues(messages, known.messages) ? known : undefined;
    const length = before?.messages.length ?? 0;
    const added = write(messages.slice(length), messages.slice(0, length));
    const json = joined(before?.json ?? '', elements(added));
    this.#written.set(first, { messages, variant, json });
    return json;
  }
}

/** The body of a request, its messages last: so one request's bytes are a prefix of the next one's. */
export function withMessages(body: object, ...messages: readonly string[]): string {
  return withLast(body, 'messages', ...messages);
}

/** The same for an API with another name for them. The body needs at least one field of its own. */
export function withLast(body: object, name: string, ...messages: readonly string[]): string {
  return `${JSON.stringify(body).slice(0, -1)},"${name}":[${messages.reduce(joined, '')}]}`;
}

export function elements(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(',');
}

function joined(before: string, behind: string): string {
  return before === '' || behind === '' ? before + behind : `${before},${behind}`;
}

/** Messages never change, so the same objects are the same words. */
function continues(messages: readonly ModelMessage[], earlier: readonly ModelMessage[]): boolean {
  return earlier.length <= messages.length && earlier.every((message, index) => message === messages[index]);
}
