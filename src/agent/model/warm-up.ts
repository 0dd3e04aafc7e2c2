import { loadSse } from './wires/sse.ts';

let warming: Promise<void> | undefined;

/**
 * Loads what the first request would otherwise wait for: the stream decoder and the platform's HTTP client, which is
 * made with the first `fetch`. Sends nothing over the network. To be called once the editor is idle; never throws.
 */
export function warmUp(): Promise<void> {
  warming ??= Promise.allSettled([loadSse(), fetch('data:,').then((response) => response.text())]).then(() => {});
  return warming;
}
