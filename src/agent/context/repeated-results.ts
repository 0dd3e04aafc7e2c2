import type { ModelMessage } from '../model/types.ts';

/** Characters; shorter results are not worth a word in their place. */
const WORTH_IT = 200;

type Result = Extract<ModelMessage, { role: 'tool' }>;

/** Of results that say the same, the newest is kept; in the place of each older one stands a line that says so. */
export function withoutRepeats(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const newest = new Map<string, Result>();
  for (const message of messages) if (isLong(message)) newest.set(message.text, message);
  return messages.map((message) => {
    const later = isLong(message) ? newest.get(message.text) : undefined;
    if (later === undefined || later === message) return message;
    return {
      ...message,
      text: `[The same ${message.text.length} characters as the result of ${later.name} further below.]`,
    };
  });
}

function isLong(message: ModelMessage): message is Result {
  return message.role === 'tool' && message.text.length > WORTH_IT;
}
