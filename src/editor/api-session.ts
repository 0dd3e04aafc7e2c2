import * as z from 'zod';
import { NotAnImage, readImage } from '../agent/session/index.ts';
import type { LiveSession } from '../agent/turn/index.ts';
import type { Child, InputOptions, Receipt, Session } from '../api.ts';
import { mostImages } from '../protocol/index.ts';

const text = z.string();
const id = z.string().min(1).max(128, 'an id has at most 128 characters');

const image = z.object({ mime: text, base64: text }).superRefine(({ base64 }, context) => {
  try {
    readImage(base64);
  } catch (error) {
    if (!(error instanceof NotAnImage)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

/** Nothing of a message may be dropped silently, and the model is not sent these yet. */
const notYet = (what: string) => z.array(z.unknown()).max(0, `${what} cannot be sent in this version`).optional();

const forms = {
  create: z.object({ title: text.optional(), model: text.optional() }).optional(),
  open: z.object({ id: text }),
  search: z.object({ query: text, options: z.object({ limit: z.int().min(1).optional() }).optional() }),
  say: z.object({
    text,
    options: z
      .object({
        id: id.optional(),
        images: z.array(image).max(mostImages).optional(),
        attachments: notYet('attachments'),
      })
      .optional(),
  }),
  stop: z.object({ reason: z.string().max(100).optional() }).optional(),
  item: z.object({ id: text }),
  edit: z.object({ id: text, text, revision: z.int() }),
  move: z.object({ id: text, before: text.optional() }),
  answer: z.object({
    approvalId: text,
    choice: z.enum(['once', 'session', 'always', 'deny']),
    reason: text.optional(),
  }),
  answerQuestion: z.object({ id: text, answer: z.union([text, z.array(text)]) }),
  settled: z.object({ turnId: text.optional() }),
  events: z.object({ sinceSeq: z.number() }),
  rename: z.object({ title: text }),
  export: z.object({ format: z.enum(['json', 'markdown']) }),
} as const;

/**
 * Other extensions need not be written in TypeScript: what they pass is checked before anything happens.
 *
 * @throws TypeError that names the call and what does not fit
 */
export function check(call: string, form: keyof typeof forms, passed: unknown): void {
  const parsed = forms[form].safeParse(passed);
  if (!parsed.success) throw new TypeError(`${call}: ${z.prettifyError(parsed.error)}\nNothing was done.`);
}

/** What another extension gets of a session: the surface of `src/api.ts` and no more, with every argument checked. */
export function apiSession(session: LiveSession): Session {
  const holding = session.hold();
  const say = (verb: 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend') => {
    return (words: string, options?: InputOptions): Receipt => {
      check(`session.${verb}`, 'say', { text: words, options });
      return session.submit(verb, words, 'api', options);
    };
  };
  return {
    id: session.id,
    get title() {
      return session.title;
    },
    get state() {
      return session.state;
    },
    send: say('send'),
    steer: say('steer'),
    redirect: say('redirect'),
    queue: say('queue'),
    stopAndSend: say('stopAndSend'),
    stop(options) {
      check('session.stop', 'stop', options);
      return session.stop(options?.reason === undefined ? {} : { reason: options.reason });
    },
    stopAfterStep: () => session.stopAfterStep(),
    items: () => session.items(),
    item(itemId) {
      check('session.item', 'item', { id: itemId });
      return session.item(itemId);
    },
    withdraw(itemId) {
      check('session.withdraw', 'item', { id: itemId });
      return session.withdraw(itemId);
    },
    edit(itemId, words, revision) {
      check('session.edit', 'edit', { id: itemId, text: words, revision });
      return session.edit(itemId, words, revision);
    },
    move(itemId, before) {
      check('session.move', 'move', { id: itemId, before });
      return session.move(itemId, before);
    },
    sendNow(itemId) {
      check('session.sendNow', 'item', { id: itemId });
      return session.sendNow(itemId);
    },
    resumeQueue: () => session.resumeQueue(),
    clearQueue: () => session.clearQueue(),
    approvals: () => session.approvals(),
    answer(approvalId, choice, reason) {
      check('session.answer', 'answer', { approvalId, choice, reason });
      return session.answer(approvalId, choice, reason, 'api');
    },
    questions: () => session.questions(),
    answerQuestion(questionId, answer) {
      check('session.answerQuestion', 'answerQuestion', { id: questionId, answer });
      return session.answerQuestion(questionId, answer);
    },
    transcript: () => session.transcript(),
    processes: () => session.processes(),
    processOutput(processId) {
      check('session.processOutput', 'item', { id: processId });
      return session.processOutput(processId);
    },
    async killProcess(processId) {
      check('session.killProcess', 'item', { id: processId });
      await session.killProcess(processId);
    },
    children: () => session.children().map(apiChild),
    retry: () => session.retry('api'),
    async settled(turnId) {
      check('session.settled', 'settled', { turnId });
      return session.settled(turnId);
    },
    events(sinceSeq) {
      check('session.events', 'events', { sinceSeq });
      return session.events(sinceSeq);
    },
    rename(title) {
      check('session.rename', 'rename', { title });
      session.rename(title);
    },
    dispose() {
      holding.dispose();
      session.dispose();
    },
    async export(format) {
      check('session.export', 'export', { format });
      return session.export(format);
    },
    onDidEmit: session.onDidEmit,
  };
}

function apiChild(child: Child): Child {
  return {
    ...child,
    steer(words, options) {
      check('child.steer', 'say', { text: words, options });
      return child.steer(words, options);
    },
  };
}
