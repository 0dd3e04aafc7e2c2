/**
 * The border to the database: everything is kept as JSON and parsed when read. A body that does not parse costs that
 * one entry, never the conversation.
 */

import * as z from 'zod';
import type {
  Attachment,
  CallSubject,
  ExitReason,
  Item,
  ModelUsage,
  Part,
  Receipt,
  ToolCard,
  TranscriptRow,
  TurnResult,
  Usage,
} from '../../api.ts';
import { callVerbs } from '../../words/call-verbs.ts';
import type { LeaseHolder } from './leases.ts';
import type { Owner } from './owner.ts';
import type { PartialText, ProcessRecord, TurnRecord } from './types.ts';

/** A schema for each field of `T`, so that a field that is new in a type cannot be dropped when it is read. */
type Fields<T> = Record<keyof T, z.ZodType>;

const count = z.number();

const part: z.ZodType<Part> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), itemId: z.exactOptional(z.string()) }),
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signed: z.boolean(),
    signature: z.exactOptional(z.string()),
  }),
  z.object({ type: z.literal('image'), mime: z.string(), ref: z.string(), name: z.exactOptional(z.string()) }),
  z.object({ type: z.literal('tool_call'), callId: z.string(), name: z.string(), input: z.unknown() }),
]);

const phase = z.enum([
  'starting',
  'hook',
  'model',
  'backoff',
  'tool',
  'approval',
  'question',
  'compaction',
  'finalizing',
]);

const subject: z.ZodType<CallSubject> = z.object({
  verb: z.enum(callVerbs),
  object: z.string(),
  where: z.exactOptional(z.string()),
  path: z.exactOptional(z.string()),
  steps: z.exactOptional(
    z.array(z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']) })),
  ),
  ran: z.exactOptional(z.literal(true)),
} satisfies Fields<CallSubject>);

const toolCard: z.ZodType<ToolCard> = z.object({
  label: z.string(),
  subject: z.exactOptional(subject),
  detail: z.exactOptional(z.string()),
  diff: z.exactOptional(z.object({ path: z.string(), before: z.string(), after: z.string() })),
  durationMs: count,
  childId: z.exactOptional(z.string()),
  blockedBy: z.exactOptional(z.object({ hook: z.string(), reason: z.string() })),
  changedBy: z.exactOptional(z.string()),
} satisfies Fields<ToolCard>);

export const transcriptRow: z.ZodType<TranscriptRow> = z.object({
  id: z.string(),
  seq: count,
  turnId: z.string(),
  request: z.exactOptional(count),
  role: z.enum(['user', 'assistant', 'tool', 'notice']),
  kind: z.enum(['message', 'steer', 'redirect', 'text', 'tool_result', 'closing', 'notice', 'summary']),
  parts: z.array(part),
  itemIds: z.exactOptional(z.array(z.string())),
  displayText: z.nullable(z.string()),
  providerText: z.exactOptional(z.string()),
  callId: z.exactOptional(z.string()),
  status: z.exactOptional(
    z.enum([
      'success',
      'error',
      'blocked',
      'denied',
      'withdrawn',
      'not_run',
      'stopped',
      'timeout',
      'yielded',
      'abandoned',
    ]),
  ),
  interrupted: z.exactOptional(z.enum(['stop', 'redirect', 'reload', 'stream_cut'])),
  card: z.exactOptional(toolCard),
  keepsFrom: z.exactOptional(count),
  continued: z.exactOptional(z.enum(['length', 'network', 'dropped_call', 'incomplete'])),
  standsFrom: z.exactOptional(count),
  hook: z.exactOptional(z.string()),
} satisfies Fields<TranscriptRow>);

const attachment: z.ZodType<Attachment> = z.object({
  kind: z.enum(['image', 'file', 'selection']),
  name: z.string(),
  mime: z.exactOptional(z.string()),
  ref: z.string(),
} satisfies Fields<Attachment>);

const itemKind = z.enum(['message', 'steer', 'redirect', 'queue']);

export const item: z.ZodType<Item> = z.object({
  id: z.string(),
  sentAs: itemKind,
  kind: itemKind,
  text: z.string(),
  providerText: z.exactOptional(z.string()),
  attachments: z.array(attachment),
  seq: count,
  revision: count,
  origin: z.enum(['view', 'command', 'api']),
  waitsFor: z.exactOptional(
    z.object({
      what: z.enum(['tool', 'model', 'backoff', 'compaction', 'child', 'turn_end', 'resume']),
      label: z.string(),
      callId: z.exactOptional(z.string()),
    }),
  ),
  state: z.discriminatedUnion('is', [
    z.object({ is: z.literal('pending') }),
    z.object({ is: z.literal('held') }),
    z.object({
      is: z.literal('delivered'),
      turnId: z.string(),
      request: count,
      rowId: z.string(),
      read: z.boolean(),
    }),
    z.object({ is: z.literal('returned'), why: z.string(), acknowledged: z.boolean() }),
    z.object({ is: z.literal('withdrawn') }),
  ]),
} satisfies Fields<Item>);

export const usage: z.ZodType<Usage> = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  costUsd: z.exactOptional(count),
} satisfies Fields<Usage>);

const modelUsage: z.ZodType<ModelUsage> = z.object({
  ref: z.string(),
  label: z.string(),
  requests: count,
  usage,
} satisfies Fields<ModelUsage>);

const EXIT_REASON =
  /^(answered|interrupted_by_(user|reload|system\(.*\))|redirect_limit|(step|cost)_budget|model_error|no_answer|context_exhausted|(storage|tool_persistence)_failed)$/s;

const turnResult: z.ZodType<TurnResult> = z.object({
  turnId: z.string(),
  exitReason: z.custom<ExitReason>((value) => typeof value === 'string' && EXIT_REASON.test(value)),
  completed: z.boolean(),
  interrupted: z.boolean(),
  failed: z.boolean(),
  partial: z.boolean(),
  stoppedBy: z.exactOptional(z.string()),
  phase: z.exactOptional(phase),
  survivors: z.array(z.object({ pid: count, command: z.string() })),
  finalText: z.string(),
  requests: count,
  attempts: count,
  usage,
  byModel: z.exactOptional(z.array(modelUsage)),
  durationMs: z.exactOptional(count),
  error: z.exactOptional(z.object({ kind: z.string(), message: z.string(), action: z.exactOptional(z.string()) })),
} satisfies Fields<TurnResult>);

const receiptHead = {
  id: z.string(),
  verb: z.enum([
    'send',
    'steer',
    'redirect',
    'queue',
    'stop',
    'stopAfterStep',
    'stopAndSend',
    'withdraw',
    'edit',
    'move',
    'sendNow',
    'resumeQueue',
    'clearQueue',
  ]),
  seq: count,
  turnId: z.exactOptional(z.string()),
  position: z.exactOptional(count),
};

const downgrade = z.enum([
  'tools_running',
  'no_request',
  'starting',
  'finalizing',
  'stopping',
  'compacting',
  'no_vision',
  'redirect_limit',
]);

const refusal = z.enum([
  'empty',
  'full',
  'read_only',
  'unknown_item',
  'already_delivered',
  'stale_revision',
  'storage_busy',
  'closed',
  'no_model',
  'over_budget',
]);

export const receipt: z.ZodType<Receipt> = z.union([
  z.object({
    ...receiptHead,
    outcome: z.enum(['started', 'steering', 'redirecting', 'queued', 'stopping', 'changed', 'nothing_running']),
    downgradedFrom: z.exactOptional(receiptHead.verb),
    reason: z.exactOptional(downgrade),
  }),
  z.object({ ...receiptHead, outcome: z.literal('refused'), reason: refusal, message: z.string() }),
]);

const ownerFields = { pid: z.int(), processStart: z.string() } satisfies Fields<Owner>;

export const leaseHolder: z.ZodType<LeaseHolder> = z.object({
  ...ownerFields,
  window: z.string(),
} satisfies Fields<LeaseHolder>);

export const processRecord: z.ZodType<ProcessRecord> = z.object({
  mark: z.string(),
  pid: z.int(),
  startTime: z.exactOptional(z.string()),
  command: z.string(),
  sessionId: z.string(),
  window: z.object(ownerFields),
} satisfies Fields<ProcessRecord>);

export const itemOrder = z.array(z.string());

export const turnRecord: z.ZodType<TurnRecord> = z.object({
  id: z.string(),
  startedAt: count,
  endedAt: z.exactOptional(count),
  stopped: z.exactOptional(z.object({ by: z.string(), reason: z.string(), seq: count })),
  seq: z.exactOptional(count),
  contextTokens: z.exactOptional(count),
  startedCalls: z.exactOptional(z.array(z.string())),
  compactingAfter: z.exactOptional(count),
  owner: z.exactOptional(z.object(ownerFields)),
  result: z.exactOptional(turnResult),
} satisfies Fields<TurnRecord>);

export const partialText: z.ZodType<PartialText> = z.object({
  turnId: z.string(),
  request: count,
  attempt: count,
  text: z.string(),
} satisfies Fields<PartialText>);

/** For values whose shape belongs to somebody else (the todo list's is the tool's). */
export const anything = z.unknown();

/** The value, or undefined when `body` is no JSON of that shape. */
export function parseStored<T>(schema: z.ZodType<T>, body: unknown): T | undefined {
  if (typeof body !== 'string') return undefined;
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

const LONE_SURROGATE = /\\ud[89a-f]/i;

/** JSON for storage. Half characters (lone surrogates) become U+FFFD: no model wire and no file can carry them. */
export function toStored(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes lone surrogates only, so this is rarely true and the walk below is rarely paid.
  if (!LONE_SURROGATE.test(json)) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner));
}
