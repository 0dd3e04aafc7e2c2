/**
 * The part of Codex's app-server protocol (JSON-RPC, version 2 of its API) that is read. What else it sends is skipped:
 * it grows from release to release, and an event nobody knows must not end a session.
 */

import * as z from 'zod';

const fileChange = z.object({
  path: z.string(),
  kind: z.object({ type: z.enum(['add', 'delete', 'update']), move_path: z.string().nullish() }),
  /** The whole text of a file that is added or deleted; hunks of one that is updated. */
  diff: z.string(),
});

const commandItem = z.object({
  type: z.literal('commandExecution'),
  id: z.string(),
  command: z.string(),
  cwd: z.string(),
  status: z.string(),
  aggregatedOutput: z.string().nullish(),
  exitCode: z.number().nullish(),
});

const fileItem = z.object({
  type: z.literal('fileChange'),
  id: z.string(),
  changes: z.array(fileChange),
  status: z.string(),
});

const mcpItem = z.object({
  type: z.literal('mcpToolCall'),
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  status: z.string(),
  arguments: z.unknown().optional(),
  result: z.object({ content: z.array(z.unknown()) }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

const dynamicItem = z.object({
  type: z.literal('dynamicToolCall'),
  id: z.string(),
  tool: z.string(),
  status: z.string(),
  arguments: z.unknown().optional(),
  contentItems: z.array(z.unknown()).nullish(),
  success: z.boolean().nullish(),
});

const searchItem = z.object({ type: z.literal('webSearch'), id: z.string(), query: z.string() });

/** Items that do something, each shown as a tool call. */
const workItem = z.discriminatedUnion('type', [commandItem, fileItem, mcpItem, dynamicItem, searchItem]);

const item = z.discriminatedUnion('type', [
  ...workItem.options,
  z.object({ type: z.literal('userMessage'), id: z.string(), clientId: z.string().nullish() }),
  z.object({ type: z.literal('agentMessage'), id: z.string(), text: z.string() }),
]);

export type FileChange = z.infer<typeof fileChange>;
export type CommandItem = z.infer<typeof commandItem>;
export type WorkItem = z.infer<typeof workItem>;
export type Item = z.infer<typeof item>;

/** Named errors are strings, those with details objects of one key. */
const errorInfo = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish();

const turnError = z.object({ message: z.string(), codexErrorInfo: errorInfo, additionalDetails: z.string().nullish() });

export type TurnError = z.infer<typeof turnError>;

const ofTurn = { threadId: z.string(), turnId: z.string() };
const delta = z.object({ ...ofTurn, itemId: z.string(), delta: z.string() });
const tokens = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningOutputTokens: z.number(),
});

export type Tokens = z.infer<typeof tokens>;

const notifications = {
  'turn/started': z.object({ threadId: z.string(), turn: z.object({ id: z.string() }) }),
  'turn/completed': z.object({
    threadId: z.string(),
    turn: z.object({ id: z.string(), status: z.string(), error: turnError.nullish() }),
  }),
  'item/started': z.object({ ...ofTurn, item }),
  'item/completed': z.object({ ...ofTurn, item }),
  'item/agentMessage/delta': delta,
  'item/reasoning/summaryTextDelta': delta.extend({ summaryIndex: z.number() }),
  'item/reasoning/textDelta': delta,
  'item/commandExecution/outputDelta': delta,
  'item/mcpToolCall/progress': z.object({ ...ofTurn, itemId: z.string(), message: z.string() }),
  'thread/tokenUsage/updated': z.object({ ...ofTurn, tokenUsage: z.object({ last: tokens }) }),
} as const;

type Notifications = typeof notifications;

export type Notification = {
  [Method in keyof Notifications]: { readonly method: Method; readonly params: z.infer<Notifications[Method]> };
}[keyof Notifications];

/** Undefined for what is not read, or not in the form that is known. */
export function parseNotification(method: string, params: unknown): Notification | undefined {
  if (!Object.hasOwn(notifications, method)) return undefined;
  const parsed = notifications[method as keyof Notifications].safeParse(params);
  return parsed.success ? ({ method, params: parsed.data } as Notification) : undefined;
}

const asked = { threadId: z.string(), itemId: z.string() };

/** What Codex asks and waits for. */
const serverRequests = {
  'item/commandExecution/requestApproval': z.object({
    ...asked,
    kind: z.string().default('command'),
    reason: z.string().nullish(),
    command: z.string().nullish(),
    cwd: z.string().nullish(),
  }),
  'item/fileChange/requestApproval': z.object({ ...asked, reason: z.string().nullish() }),
  'item/permissions/requestApproval': z.object(asked),
  'item/tool/requestUserInput': z.object({
    ...asked,
    questions: z.array(
      z.object({
        id: z.string(),
        question: z.string(),
        options: z.array(z.object({ label: z.string() })).nullish(),
      }),
    ),
  }),
  'mcpServer/elicitation/request': z.object({
    threadId: z.string(),
    serverName: z.string(),
    mode: z.string(),
    message: z.string(),
    requestedSchema: z
      .object({ required: z.array(z.string()).optional() })
      .nullish()
      .catch(undefined),
  }),
} as const;

type ServerRequests = typeof serverRequests;

export type ServerRequest = {
  [Method in keyof ServerRequests]: { readonly method: Method; readonly params: z.infer<ServerRequests[Method]> };
}[keyof ServerRequests];

export function parseServerRequest(method: string, params: unknown): ServerRequest | undefined {
  if (!Object.hasOwn(serverRequests, method)) return undefined;
  const parsed = serverRequests[method as keyof ServerRequests].safeParse(params);
  return parsed.success ? ({ method, params: parsed.data } as ServerRequest) : undefined;
}

/** What Codex answers to our own requests. */
export const answers = {
  initialize: z.object({ userAgent: z.string() }),
  account: z.object({ account: z.unknown().optional(), requiresOpenaiAuth: z.boolean() }),
  thread: z.object({ thread: z.object({ id: z.string() }) }),
  turn: z.object({ turn: z.object({ id: z.string() }) }),
  items: z.object({ data: z.array(z.object({ item: z.unknown().optional() })) }),
  models: z.object({
    data: z.array(z.object({ id: z.string(), displayName: z.string(), hidden: z.boolean().default(false) })),
  }),
  anything: z.unknown(),
};

export function isWork(item: Item): item is WorkItem {
  return item.type !== 'userMessage' && item.type !== 'agentMessage';
}

/** The id that we gave a user message which Codex has taken into its thread. */
export function clientIdOf(value: unknown): string | undefined {
  const parsed = item.safeParse(value);
  return parsed.success && parsed.data.type === 'userMessage' ? (parsed.data.clientId ?? undefined) : undefined;
}

/** What a user says to Codex. */
export type UserInput =
  | { readonly type: 'text'; readonly text: string; readonly text_elements: readonly never[] }
  | { readonly type: 'image'; readonly url: string };
