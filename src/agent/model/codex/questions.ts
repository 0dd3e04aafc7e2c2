/** What Codex asks its client, and how an answer is put. */

import type { Reply, Work } from './live-item.ts';
import type { ServerRequest } from './protocol.ts';

/** The answer of the protocol. Leave that nobody was asked for is never given. */
export function answerTo(request: ServerRequest, reply: Reply): unknown {
  const allowed = 'allowed' in reply && reply.allowed;
  switch (request.method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: allowed ? 'accept' : 'decline' };
    case 'item/permissions/requestApproval':
      return { permissions: {}, scope: 'turn' };
    case 'item/tool/requestUserInput': {
      const answers = 'words' in reply ? [reply.words] : [];
      return { answers: Object.fromEntries(request.params.questions.map(({ id }) => [id, { answers }])) };
    }
    case 'mcpServer/elicitation/request':
      return { action: allowed ? 'accept' : 'decline', content: allowed ? {} : null, _meta: null };
    default:
      return request satisfies never;
  }
}

/**
 * What is shown for a question that belongs to no item of its own; undefined when it cannot be put to the user: then it
 * is answered with no.
 */
export function workOf(request: ServerRequest, id: string): Work | undefined {
  switch (request.method) {
    case 'item/tool/requestUserInput': {
      const { questions } = request.params;
      const [first] = questions;
      if (!first) return undefined;
      const choices = questions.length === 1 ? (first.options ?? []).map(({ label }) => label) : [];
      return { type: 'ask', id, question: questions.map(({ question }) => question).join('\n'), choices };
    }
    case 'mcpServer/elicitation/request': {
      const { serverName, message } = request.params;
      return canAgree(request.params) ? { type: 'elicitation', id, server: serverName, message } : undefined;
    }
    default:
      return undefined;
  }
}

type Elicitation = Extract<ServerRequest, { method: 'mcpServer/elicitation/request' }>['params'];

/** False for a form to fill in, or a page to visit: a card can only say yes or no. */
export function canAgree({ mode, requestedSchema }: Elicitation): boolean {
  return mode !== 'url' && (requestedSchema?.required ?? []).length === 0;
}
