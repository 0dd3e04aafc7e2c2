import type { CacheTtl } from '../../catalogue/cache-policy.ts';
import { MARKED_MESSAGES } from '../cache-marks.ts';
import type { CachePoint, ConverseMessage } from './messages.ts';

export function cachePoint(ttl: CacheTtl): CachePoint {
  return { cachePoint: { type: 'default', ...(ttl === '1h' && { ttl }) } };
}

/**
 * Marks the end of the last three messages. The newest mark writes what the next request will read; the older ones find
 * what earlier requests wrote. The input is not changed.
 */
export function markedMessages(messages: readonly ConverseMessage[], point: CachePoint): readonly ConverseMessage[] {
  const from = messages.length - MARKED_MESSAGES;
  return messages.map((message, index) =>
    index < from ? message : { ...message, content: [...message.content, point] },
  );
}
