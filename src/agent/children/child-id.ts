import { createHash } from 'node:crypto';

/**
 * The id of the agent that a call starts, which is also the id of its session. It is made of the call, so that the
 * transcript of the parent is enough to know again which agent belongs to which call.
 */
export function childIdOf(parentId: string, callId: string): string {
  const hex = createHash('sha256').update(`${parentId}\n${callId}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** What the model calls it. */
export function shortId(childId: string): string {
  return `agent-${childId.slice(0, 8)}`;
}
