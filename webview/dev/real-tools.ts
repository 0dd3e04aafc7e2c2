/** What scenes show of calls is made by the tools themselves, so that no shape can be shown that no tool sends. */

import { createBuiltinTools } from '../../src/agent/tools/index.ts';
import type { ResultStatus, ToolCard } from '../../src/api.ts';
import { callWords } from '../../src/words/call-words.ts';

interface Call {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
}

const tools = new Map(createBuiltinTools().map((tool) => [tool.name, tool]));
const subjects = new Map<string, ToolCard['subject']>();

/** @throws when a built-in tool would refuse the input, or would not know one of its fields */
export function realCall<T extends Call>(call: T): T {
  const tool = tools.get(call.name);
  if (!tool) {
    subjects.delete(call.callId);
    return call;
  }
  const parsed = tool.input.parse(call.input);
  const known = Object.keys(typeof parsed === 'object' && parsed !== null ? parsed : {});
  const unknown = Object.keys(Object(call.input)).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${call.name} has no ${unknown.join(', ')}: a scene shows what tools send.`);
  subjects.set(call.callId, tool.subject(parsed));
  return call;
}

/** The card with the words that the call's tool gives it; as it is where the call is of no built-in tool. */
export function realCard(callId: string, card: ToolCard, status: ResultStatus): ToolCard {
  const subject = subjects.get(callId);
  if (!subject) return card;
  // Ids come again in other scenes, where they are of other calls.
  subjects.delete(callId);
  const told = status === 'error' && card.detail?.startsWith('exit ') ? { ...subject, ran: true as const } : subject;
  return { ...card, subject: told, label: callWords(told, status) };
}
