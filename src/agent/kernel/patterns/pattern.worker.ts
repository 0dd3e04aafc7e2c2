/** Judges patterns that may take for ever, in a thread that can be ended: JavaScript's own engine backtracks. */

import { parentPort } from 'node:worker_threads';
import type { Question } from './worker-client.ts';

parentPort?.on('message', ({ source, flags, texts }: Question & { readonly texts: readonly string[] }) => {
  const expression = new RegExp(source, flags);
  parentPort?.postMessage(texts.flatMap((text, index) => (expression.test(text) ? [index] : [])));
});

// It is up: from now on time counts.
parentPort?.postMessage('ready');
