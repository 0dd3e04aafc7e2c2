/** The event-stream decoder of Anthropic's SDK, for all wires that read server-sent events: a fiftieth of the SDK's size. */

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
        response.body === null ? nothing() : Stream.rawEvents(response as Response, socket),
  );
  return loading;
}

async function* nothing(): AsyncGenerator<ServerEvent> {}
