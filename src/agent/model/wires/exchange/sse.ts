/** The event-stream decoder of Anthropic's SDK, for all wires that read server-sent events: a fiftieth of the SDK's size. */

import { ModelFailure } from '../../failures/failure.ts';
import type { WireResponse } from './http.ts';

export interface ServerEvent {
  readonly event: string | null;
  readonly data: string;
}

export type ReadEvents<Event = ServerEvent> = (response: WireResponse, socket: AbortController) => AsyncIterable<Event>;

let loading: Promise<ReadEvents> | undefined;

/** Loaded with the first request, or before by `warmUp`. */
export function loadSse(): Promise<ReadEvents> {
  loading ??= import('@anthropic-ai/sdk/core/streaming').then(
    ({ Stream }) =>
      (response, socket) =>
        // Of a response it reads nothing but the body, and of that nothing but its iterator.
        response.body === null
          ? nothing()
          : Stream.rawEvents({ ...response, body: inLines(response.body) } as unknown as Response, socket),
  );
  return loading;
}

/** Bytes of one line. The decoder gathers a line before it gives it on, and some servers never end one. */
const LONGEST_LINE = 8 * 1024 * 1024;

async function* inLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(10);
    length = end === -1 ? length + chunk.length : chunk.length - end - 1;
    if (length > LONGEST_LINE) {
      const message = `The server sent one line of more than ${LONGEST_LINE / 1024 / 1024} MB. Its answer was not read.`;
      throw new ModelFailure({ at: 'frame', body: { error: { type: 'invalid_request_error', message } } });
    }
    yield chunk;
  }
}

async function* nothing(): AsyncGenerator<ServerEvent> {}
