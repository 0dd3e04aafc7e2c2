/** What a request told the model, whichever wire it came by. */

import * as z from 'zod';
import type { RecordedRequest } from '../model-server/index.ts';

const block = z.object({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
const content = z.union([z.string(), z.null(), z.array(block)]).optional();
const body = z.object({ messages: z.array(z.object({ role: z.string(), content })) });
type Content = z.infer<typeof content>;

/** The texts of user messages, in order. */
export function userTexts(request: RecordedRequest): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => (role === 'user' ? textsOf(content) : []));
}

/** The texts of the model's own answers, in order. */
export function assistantTexts(request: RecordedRequest): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => (role === 'assistant' ? textsOf(content) : []));
}

/** The results of calls, in order. */
export function resultTexts(request: RecordedRequest): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => {
    if (role === 'tool') return [textsOf(content).join('\n')];
    if (role !== 'user' || !Array.isArray(content)) return [];
    return content.flatMap((one) =>
      one.type === 'tool_result' ? [textsOf(blockContent.parse(one.content)).join('\n')] : [],
    );
  });
}

const blockContent = content;

function messagesOf(request: RecordedRequest) {
  return body.parse(request.body).messages;
}

function textsOf(content: Content): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return (content ?? []).flatMap((one) => (one.type === 'text' && one.text ? [one.text] : []));
}
