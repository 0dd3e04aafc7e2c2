import type { ModelRequest, ModelWire } from './types.ts';
import { createAnthropicWire } from './wires/anthropic/wire.ts';
import { createOpenAiChatWire } from './wires/chat/wire.ts';
import { loadSse } from './wires/exchange/sse.ts';
import { createResponsesWire } from './wires/responses/wire.ts';

const REQUEST: ModelRequest = {
  model: 'warm-up',
  system: 'warm-up',
  messages: [{ role: 'user', text: 'warm-up' }],
  tools: [],
  cacheKey: 'warm-up',
};

const ANSWER = [
  'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}',
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1}}}',
  'data: {"type":"message_stop"}',
  'data: {"type":"response.completed","response":{"status":"completed"}}',
].join('\n\n');

let warming: Promise<void> | undefined;

/**
 * Does what the first request would otherwise pay for: loads the stream decoder and runs the common wires once over an answer
 * that never leaves this process. To be called once the editor is idle; sends nothing over the network and never rejects.
 */
export function warmUp(): Promise<void> {
  const answer = async () => new Response(ANSWER, { headers: { 'content-type': 'text/event-stream' } });
  const wires = [createOpenAiChatWire, createResponsesWire, createAnthropicWire].map((create) =>
    create({ fetch: answer }),
  );
  warming ??= Promise.allSettled([loadSse(), ...wires.map(runOnce)]).then(() => {});
  return warming;
}

async function runOnce(wire: ModelWire): Promise<void> {
  for await (const part of wire.stream(REQUEST, new AbortController().signal)) if (part.type === 'error') return;
}
