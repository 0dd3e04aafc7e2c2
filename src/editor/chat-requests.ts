import type { LiveSession } from '../agent/turn/index.ts';
import type { Receipt } from '../api.ts';
import type { Answer, RequestMessage, RequestType, ToView, VerbCall } from '../protocol/index.ts';
import { childStretch, stretchOf } from './chat-snapshot.ts';
import type { OutputLog } from './log.ts';

/** Rows that one request gets at most. */
const mostRows = 1_000;

/** Answers one request of the page. It never rejects: what goes wrong is the reply. */
export async function answerPage(message: RequestMessage, session: LiveSession, log: OutputLog): Promise<ToView> {
  const { requestId } = message;
  try {
    return { type: 'reply', requestId, ok: true, value: await answerTo(message, session) };
  } catch (error) {
    log.failed(`The chat's request ${message.type} failed`, error);
    return { type: 'reply', requestId, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Verbs and answers take effect in the same tick. */
function answerTo(message: RequestMessage, session: LiveSession): Answer<RequestType> | Promise<Answer<RequestType>> {
  switch (message.type) {
    case 'verb':
      return say(message.verb, session);
    case 'answer':
      return session.answer(message.approvalId, message.choice, message.reason);
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

function say(call: VerbCall, session: LiveSession): Receipt {
  switch (call.verb) {
    case 'send':
    case 'steer':
    case 'redirect':
    case 'queue':
    case 'stopAndSend':
      return session.submit(call.verb, call.text, 'view', { id: call.id, attachments: call.attachments });
    case 'stop':
      return session.stop({ reason: call.reason ?? 'stop_button' });
    case 'stopAfterStep':
      return session.stopAfterStep('stop_button');
    case 'resumeQueue':
    case 'clearQueue':
      return session[call.verb]();
    case 'withdraw':
    case 'sendNow':
    case 'redirectNow':
      return session[call.verb](call.id);
    case 'edit':
      return session.edit(call.id, call.text, call.revision);
    case 'move':
      return session.move(call.id, call.before);
    default:
      return call satisfies never;
  }
}
