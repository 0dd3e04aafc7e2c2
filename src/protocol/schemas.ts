/**
 * The shapes of `src/api.ts` as schemas. `types.check.ts` holds both to be the same, at compile time.
 *
 * `zod/mini` because the webview bundles this file: 10 KB against 77 KB.
 */

import * as z from 'zod/mini';
import { callVerbs } from '../words/call-verbs.ts';

const list = <T extends z.ZodMiniType>(element: T) => z.readonly(z.array(element));
const optional = z.exactOptional;
const text = z.string();
const count = z.number();

export const phase = z.enum([
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

export const stateName = z.enum(['idle', 'running', 'waiting', 'stopping']);

export const verbName = z.enum([
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
]);

const receiptHead = {
  id: text,
  verb: verbName,
  seq: count,
  turnId: optional(text),
  position: optional(count),
};

export const receipt = z.discriminatedUnion('outcome', [
  z.object({
    ...receiptHead,
    outcome: z.enum(['started', 'steering', 'redirecting', 'queued', 'stopping', 'changed', 'nothing_running']),
    downgradedFrom: optional(verbName),
    reason: optional(
      z.enum([
        'tools_running',
        'no_request',
        'starting',
        'finalizing',
        'stopping',
        'compacting',
        'no_vision',
        'redirect_limit',
      ]),
    ),
  }),
  z.object({
    ...receiptHead,
    outcome: z.literal('refused'),
    reason: z.enum([
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
    ]),
    message: text,
  }),
]);

export const attachment = z.object({
  kind: z.enum(['image', 'file', 'selection']),
  name: text,
  mime: optional(text),
  ref: text,
});

const itemKind = z.enum(['message', 'steer', 'redirect', 'queue']);

export const item = z.object({
  id: text,
  sentAs: itemKind,
  kind: itemKind,
  text,
  providerText: optional(text),
  attachments: list(attachment),
  seq: count,
  revision: count,
  origin: z.enum(['view', 'command', 'api']),
  waitsFor: optional(
    z.object({
      what: z.enum(['tool', 'model', 'backoff', 'compaction', 'child', 'turn_end', 'resume']),
      label: text,
      callId: optional(text),
    }),
  ),
  state: z.discriminatedUnion('is', [
    z.object({ is: z.literal('pending') }),
    z.object({ is: z.literal('held') }),
    z.object({ is: z.literal('delivered'), turnId: text, request: count, rowId: text, read: z.boolean() }),
    z.object({ is: z.literal('returned'), why: text, acknowledged: z.boolean() }),
    z.object({ is: z.literal('withdrawn') }),
  ]),
});

export const choice = z.enum(['once', 'session', 'always', 'deny']);

const textRange = z.object({ start: count, end: count });

export const approval = z.object({
  id: text,
  turnId: text,
  callId: text,
  sessionId: text,
  child: optional(z.object({ id: text, name: text })),
  tool: text,
  summary: text,
  command: optional(text),
  masked: optional(list(textRange)),
  dangers: optional(list(z.object({ why: text, parts: list(textRange) }))),
  cwd: optional(text),
  diff: optional(z.object({ path: text, before: text, after: text })),
  why: text,
  choices: list(choice),
  alwaysScope: optional(text),
});

export const question = z.object({
  id: text,
  turnId: text,
  callId: text,
  text,
  choices: list(z.object({ id: text, label: text })),
  multiple: z.boolean(),
  freeText: z.boolean(),
});

const resultStatuses = [
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
] as const;

export const callSubject = z.object({
  verb: z.enum(callVerbs),
  object: text,
  where: optional(text),
  path: optional(text),
  steps: optional(
    list(z.object({ content: text, status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']) })),
  ),
  ran: optional(z.literal(true)),
});

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text, itemId: optional(text) }),
  z.object({ type: z.literal('thinking'), text, signed: z.boolean(), signature: optional(text) }),
  z.object({ type: z.literal('image'), mime: text, ref: text, name: optional(text) }),
  z.object({ type: z.literal('tool_call'), callId: text, name: text, input: z.unknown() }),
]);

export const row = z.object({
  id: text,
  seq: count,
  turnId: text,
  request: optional(count),
  role: z.enum(['user', 'assistant', 'tool', 'notice']),
  kind: z.enum(['message', 'steer', 'redirect', 'text', 'tool_result', 'closing', 'notice', 'summary']),
  parts: list(part),
  itemIds: optional(list(text)),
  displayText: z.nullable(text),
  providerText: optional(text),
  callId: optional(text),
  status: optional(z.enum(resultStatuses)),
  interrupted: optional(z.enum(['stop', 'redirect', 'reload', 'stream_cut'])),
  card: optional(
    z.object({
      label: text,
      subject: optional(callSubject),
      detail: optional(text),
      diff: optional(z.object({ path: text, before: text, after: text })),
      durationMs: count,
      childId: optional(text),
      blockedBy: optional(z.object({ hook: text, reason: text })),
      changedBy: optional(text),
    }),
  ),
  keepsFrom: optional(count),
  continued: optional(z.enum(['length', 'network', 'dropped_call', 'incomplete'])),
  standsFrom: optional(count),
  hook: optional(text),
});

export const backgroundProcess = z.object({
  id: text,
  pid: count,
  command: text,
  cwd: text,
  startedAt: count,
  startedBy: z.enum(['background', 'yield', 'user']),
  turnId: text,
  state: z.enum(['running', 'exited', 'killed', 'unreachable']),
  exitCode: optional(count),
  tail: text,
});

export const usage = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  costUsd: optional(count),
});

export const modelUsage = z.object({ ref: text, label: text, requests: count, usage });

export const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

const childState = z.enum(['running', 'waiting', 'stopping', 'finished', 'interrupted', 'failed']);

export const childAgent = z.object({
  id: text,
  name: text,
  task: text,
  turnId: text,
  callId: text,
  mode: z.enum(['foreground', 'background']),
  state: childState,
  startedAt: count,
  endedAt: optional(count),
  requests: count,
  usage,
  activity: list(text),
});

const exitReason = z.union([
  z.enum([
    'answered',
    'interrupted_by_user',
    'redirect_limit',
    'step_budget',
    'cost_budget',
    'model_error',
    'no_answer',
    'context_exhausted',
    'storage_failed',
    'tool_persistence_failed',
    'interrupted_by_reload',
  ]),
  z.templateLiteral(['interrupted_by_system(', z.string(), ')']),
]);

export const turnResult = z.object({
  turnId: text,
  exitReason,
  completed: z.boolean(),
  interrupted: z.boolean(),
  failed: z.boolean(),
  partial: z.boolean(),
  stoppedBy: optional(text),
  phase: optional(phase),
  survivors: list(z.object({ pid: count, command: text })),
  finalText: text,
  requests: count,
  attempts: count,
  usage,
  byModel: optional(list(modelUsage)),
  durationMs: optional(count),
  error: optional(z.object({ kind: text, message: text, action: optional(text) })),
});

export const toolCallState = z.enum(['announced', 'waiting', 'approval', 'question', 'running', ...resultStatuses]);

const eventHead = { seq: count, at: count, turnId: optional(text) };

export const sessionEvent = z.discriminatedUnion('type', [
  z.object({
    ...eventHead,
    type: z.literal('delta'),
    request: count,
    attempt: count,
    part: z.enum(['text', 'reasoning']),
    text,
  }),
  z.object({
    ...eventHead,
    type: z.literal('state'),
    state: stateName,
    phase: optional(phase),
    label: optional(text),
    until: optional(count),
  }),
  z.object({ ...eventHead, type: z.literal('item'), item }),
  z.object({ ...eventHead, type: z.literal('turn.started') }),
  z.object({
    ...eventHead,
    type: z.enum(['request.started', 'request.ended']),
    request: count,
    attempt: count,
    outcome: optional(text),
  }),
  z.object({
    ...eventHead,
    type: z.literal('tool'),
    callId: text,
    name: text,
    state: toolCallState,
    label: optional(text),
    subject: optional(callSubject),
    output: optional(text),
    replaced: optional(count),
  }),
  z.object({ ...eventHead, type: z.enum(['approval.opened', 'approval.closed']), id: text, by: optional(text) }),
  z.object({ ...eventHead, type: z.enum(['question.opened', 'question.closed']), id: text }),
  z.object({ ...eventHead, type: z.literal('row'), row }),
  z.object({ ...eventHead, type: z.literal('process'), process: backgroundProcess }),
  z.object({ ...eventHead, type: z.literal('child'), childId: text, name: text, state: childState, child: childAgent }),
  z.object({ ...eventHead, type: z.enum(['turn.ended', 'settled']), result: turnResult }),
  z.object({ ...eventHead, type: z.literal('notice'), kind: text, text }),
]);

export const sessionSummary = z.object({
  id: text,
  title: text,
  createdAt: count,
  updatedAt: count,
  turns: count,
});
