/**
 * What the chat's page says to the extension host. Messages with a `requestId` are answered by one `reply`; `answers`
 * says what its `value` is.
 */

import * as z from 'zod/mini';
import { attachment, choice, effort, receipt } from './schemas.ts';
import { stretch } from './to-view.ts';

const list = <T extends z.ZodMiniType>(element: T) => z.readonly(z.array(element));
const optional = z.exactOptional;

/** Control.md allows 128 characters for an id that a client made. */
const clientId = z.string().check(z.minLength(1), z.maxLength(128));

/** Commands the page may run by name: buttons of failed turns, of the empty state and of the menu. */
export const allowedCommands = [
  'midcourse.setApiKey',
  'midcourse.selectModel',
  'midcourse.selectEffort',
  'midcourse.testConnection',
  'midcourse.startPractice',
  'midcourse.showLog',
  'midcourse.openSettings',
  'midcourse.showProcesses',
  'midcourse.openInEditor',
  'midcourse.openDataFolder',
  'midcourse.newSession',
  'midcourse.continueTurn',
  'midcourse.retryTurn',
  'midcourse.searchSessions',
  'midcourse.compact',
  'midcourse.takeOverSession',
  'midcourse.stopEverything',
  'midcourse.manageApprovals',
  'midcourse.manageHooks',
  'workbench.trust.manage',
  'vscode.openFolder',
] as const;

export type AllowedCommand = (typeof allowedCommands)[number];

/** Images that go with one text. */
export const mostImages = 20;
/** Characters of base64 in one message: more than any provider takes in one image. */
const mostBase64 = 14_000_000;
const attachments = z.readonly(z.array(attachment).check(z.maxLength(mostImages)));

const verb = z.discriminatedUnion('verb', [
  z.object({
    verb: z.enum(['send', 'steer', 'redirect', 'queue', 'stopAndSend']),
    id: clientId,
    text: z.string(),
    attachments,
  }),
  z.object({ verb: z.literal('stop'), reason: optional(z.string()) }),
  z.object({ verb: z.enum(['stopAfterStep', 'resumeQueue', 'clearQueue']) }),
  /** `redirectNow` makes a waiting steer a redirect. */
  z.object({ verb: z.enum(['withdraw', 'sendNow', 'redirectNow']), id: clientId }),
  z.object({ verb: z.literal('edit'), id: clientId, text: z.string(), revision: z.number() }),
  /** To the end without `before`. */
  z.object({ verb: z.literal('move'), id: clientId, before: optional(clientId) }),
]);

const requestId = z.string();

/** What each request is answered with. */
export const answers = {
  verb: receipt,
  /** False when it was no longer open. */
  answer: z.boolean(),
  answerQuestion: z.boolean(),
  /** Null when the approval is no longer open, or has no command. */
  revealCommand: z.nullable(z.string()),
  olderRows: stretch,
  childRows: stretch,
  keepImage: attachment,
  /** Null when it is gone. */
  readImage: z.nullable(z.object({ mime: z.string(), base64: z.string() })),
} as const;

const requests = [
  z.object({ type: z.literal('verb'), requestId, verb }),
  z.object({
    type: z.literal('answer'),
    requestId,
    approvalId: z.string(),
    choice,
    /** With `deny`: reaches the model. */
    reason: optional(z.string()),
  }),
  /** What an open approval would run, with the words that its card masks. */
  z.object({ type: z.literal('revealCommand'), requestId, approvalId: z.string() }),
  z.object({
    type: z.literal('answerQuestion'),
    requestId,
    questionId: z.string(),
    /** Free text, or the ids of the chosen answers. */
    answer: z.union([z.string(), list(z.string())]),
  }),
  /** Rows before that `seq`, newest last. */
  z.object({ type: z.literal('olderRows'), requestId, before: z.number(), limit: z.number() }),
  /** The transcript of a delegated agent: its newest rows. */
  z.object({ type: z.literal('childRows'), requestId, childId: z.string(), limit: z.number() }),
  /** An image for the unsent text, as it will be sent: kept at once, so that no reload loses it. */
  z.object({
    type: z.literal('keepImage'),
    requestId,
    name: z.string().check(z.maxLength(200)),
    base64: z.string().check(z.maxLength(mostBase64)),
  }),
  z.object({ type: z.literal('readImage'), requestId, ref: z.string() }),
] as const;

const notifications = [
  z.object({ type: z.literal('ready') }),
  /** `have` is the number the page is at. */
  z.object({ type: z.literal('resync'), have: z.number() }),
  z.object({ type: z.literal('focus'), focused: z.boolean(), asked: optional(z.literal(true)) }),
  /** Of that session: the host may show another one by the time it gets this. */
  z.object({ type: z.literal('draft'), sessionId: z.string(), text: z.string(), images: optional(attachments) }),
  /** The page has put a returned item's text into its composer. */
  z.object({ type: z.literal('takeReturned'), itemId: z.string() }),
  z.object({
    type: z.literal('openDiff'),
    of: z.union([z.object({ callId: z.string() }), z.object({ approvalId: z.string() })]),
  }),
  /** `path` as it stood in text: relative to a workspace folder, or absolute. `line` is 1-based. */
  z.object({ type: z.literal('openFile'), path: z.string(), line: optional(z.number()) }),
  z.object({ type: z.literal('openFullOutput'), callId: z.string() }),
  /** The whole command of an open approval as a document, masked as on the card. */
  z.object({ type: z.literal('openCommand'), approvalId: z.string() }),
  z.object({ type: z.literal('openImage'), ref: z.string(), name: z.string() }),
  z.object({ type: z.literal('openLink'), href: z.string() }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  z.object({ type: z.literal('insertAtCursor'), text: z.string() }),
  z.object({ type: z.literal('newSession') }),
  z.object({ type: z.literal('listSessions') }),
  z.object({ type: z.literal('openSession'), id: z.string() }),
  z.object({ type: z.literal('renameSession'), id: z.string(), title: z.string() }),
  z.object({ type: z.literal('deleteSession'), id: z.string() }),
  z.object({ type: z.literal('exportSession'), format: z.enum(['json', 'markdown']) }),
  z.object({ type: z.literal('listSlashCommands') }),
  /** A slash command that sends nothing by itself. */
  z.object({ type: z.literal('runSlashCommand'), text: z.string() }),
  z.object({ type: z.literal('listModels') }),
  z.object({ type: z.literal('selectModel'), ref: z.string() }),
  /** Empty for the provider's default. */
  z.object({ type: z.literal('selectEffort'), effort: z.union([z.literal(''), effort]) }),
  /** `hook`: with `manageHooks`, the one to show, by its name. */
  z.object({ type: z.literal('runCommand'), command: z.enum(allowedCommands), hook: optional(z.string()) }),
  z.object({ type: z.literal('stopCommand'), callId: z.string() }),
  z.object({ type: z.literal('moveToBackground'), callId: z.string() }),
  z.object({ type: z.literal('killProcess'), id: z.string() }),
  /** Ends one delegated agent; the turn goes on. */
  z.object({ type: z.literal('stopChild'), id: z.string() }),
  /** An error of the page itself, for the log. */
  z.object({ type: z.literal('announceError'), message: z.string() }),
] as const;

export const toHost = z.discriminatedUnion('type', [...requests, ...notifications]);

export type ToHost = z.infer<typeof toHost>;
export type VerbCall = z.infer<typeof verb>;
export type RequestType = keyof typeof answers;
export type RequestMessage<T extends RequestType = RequestType> = Extract<ToHost, { type: T }>;
export type Answer<T extends RequestType> = z.infer<(typeof answers)[T]>;
export type Notification = Exclude<ToHost, { type: RequestType }>;
