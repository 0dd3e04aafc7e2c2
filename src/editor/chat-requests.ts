import type { LiveSession } from '../agent/turn/index.ts';
import type { Answer, RequestMessage, RequestType, ToView } from '../protocol/index.ts';
import { childStretch, stretchOf } from './chat-snapshot.ts';
import { say } from './chat-verbs.ts';
import type { Core } from './core.ts';

/** Rows that one request gets at most. */
const mostRows = 1_000;

/** Answers one request of the page. It never rejects: what goes wrong is the reply. */
export async function answerPage(message: RequestMessage, session: LiveSession, core: Core): Promise<ToView> {
  const { requestId } = message;
  try {
    return { type: 'reply', requestId, ok: true, value: await answerTo(message, session, core) };
  } catch (error) {
    core.log.failed(`The chat's request ${message.type} failed`, error);
    return { type: 'reply', requestId, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Verbs and answers take effect in the same tick. */
function answerTo(
  message: RequestMessage,
  session: LiveSession,
  core: Core,
): Answer<RequestType> | Promise<Answer<RequestType>> {
  switch (message.type) {
    case 'verb':
      return say(message.verb, session, core.slash);
    case 'answer':
      return session.answer(message.approvalId, message.choice, message.reason);
    case 'revealCommand':
      return session.commandOf(message.approvalId) ?? null;
    case 'answerQuestion':
      return session.answerQuestion(message.questionId, message.answer);
    case 'olderRows':
      return stretchOf(session, { before: message.before, limit: Math.min(message.limit, mostRows) });
    case 'keepImage':
      return session.keepImage(message.name, message.base64);
    case 'readImage':
      return session.image(message.ref) ?? null;
    case 'childRows':
      return childStretch(session, message.childId, Math.min(message.limit, mostRows));
    default:
      return message satisfies never;
  }
}
