/** Scripted answers, and the markers by which a page sees that they are painted. */

import type { Answer } from '../test/model-server/index.ts';

export const BURST_TOKENS = 20_000;

export const short: Answer = { steps: [{ text: 'All right.' }] };

/** Some text, then nothing more: the turn runs until it is stopped. */
export function unfinished(marker: string): Answer {
  return { steps: [{ text: `Working on it ${marker}` }, { pause: 'never' }] };
}

/** Nothing until the pause `go` is released, then one token. */
export function oneTokenOnDemand(marker: string): Answer {
  return { steps: [{ pause: 'go' }, { text: marker }] };
}

/** 20,000 tokens as fast as the socket takes them: 200 paragraphs of 100, then the marker. */
export function burst(marker: string, options: { readonly standing?: boolean } = {}): Answer {
  const paragraphs = Array.from({ length: BURST_TOKENS / 100 }, () => [
    { burst: { text: 'token ', times: 99 } },
    { text: '\n\n' },
  ]);
  return { steps: [...paragraphs.flat(), { text: marker }, ...(options.standing ? [{ pause: 'never' }] : [])] };
}
