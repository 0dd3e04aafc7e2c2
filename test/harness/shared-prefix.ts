import type { RecordedRequest } from '../model-server/index.ts';

type Bytes = Pick<RecordedRequest, 'bytes'>;

/** What each API calls the conversation. */
const FIELDS = ['messages', 'input', 'contents'];
/** They move with every request. */
const MARKS = /,"cache_control":\{"type":"ephemeral"\}|,?\{"cachePoint":\{"type":"default"\}\}/g;

/** Two consecutive requests of one session. */
export interface Pair {
  /** Of the earlier one's messages, how much the later one begins with; 1 is all. */
  readonly share: number;
  /** Where they part; empty when they do not. */
  readonly at: string;
}

/** How much of each request's messages the next one repeats from its start on. */
export function sharedPrefixes(requests: readonly Bytes[]): readonly Pair[] {
  return requests.slice(1).map((request, index) => {
    const before = messagesOf(requests[index]);
    const after = messagesOf(request);
    let same = 0;
    while (same < before.length && before[same] === after[same]) same++;
    const share = same / before.length;
    const at =
      share === 1
        ? ''
        : `request ${index + 1}: …${before.slice(same - 60, same + 80)} ≠ …${after.slice(same, same + 80)}`;
    return { share, at };
  });
}

/** Up to the end of the last message. */
function messagesOf(request: Bytes | undefined): string {
  const body = request?.bytes.toString() ?? '';
  return body.slice(startOf(body)).replace(/\]\}$/, '').replaceAll(MARKS, '');
}

function startOf(body: string): number {
  const starts = FIELDS.map((field) => body.indexOf(`"${field}":[`)).filter((at) => at !== -1);
  return Math.min(...starts);
}
