/** What Codex takes from a hook. Nothing else may be in it: an unknown field fails the run. */

import * as z from 'zod';
import type { CodexEvent } from './events.ts';

const text = z.string().nullish();

const universal = {
  continue: z.boolean().default(true),
  stopReason: text,
  suppressOutput: z.boolean().default(false),
  systemMessage: text,
};

function specific<const E extends CodexEvent, Fields extends z.ZodRawShape>(event: E, fields: Fields) {
  return { hookSpecificOutput: z.strictObject({ hookEventName: z.literal(event), ...fields }).nullish() };
}

const blocking = { decision: z.literal('block').nullish(), reason: text };
const context = { additionalContext: text };
const input = z.record(z.string(), z.unknown()).nullish();

export const outputs = {
  plain: z.strictObject(universal),
  SessionStart: z.strictObject({ ...universal, ...specific('SessionStart', context) }),
  SubagentStart: z.strictObject({ ...universal, ...specific('SubagentStart', context) }),
  UserPromptSubmit: z.strictObject({ ...universal, ...blocking, ...specific('UserPromptSubmit', context) }),
  Stop: z.strictObject({ ...universal, ...blocking }),
  PreToolUse: z.strictObject({
    ...universal,
    decision: z.enum(['approve', 'block']).nullish(),
    reason: text,
    ...specific('PreToolUse', {
      permissionDecision: z.enum(['allow', 'deny', 'ask']).nullish(),
      permissionDecisionReason: text,
      updatedInput: input,
      ...context,
    }),
  }),
  PermissionRequest: z.strictObject({
    ...universal,
    ...specific('PermissionRequest', {
      decision: z
        .strictObject({
          behavior: z.enum(['allow', 'deny']),
          message: text,
          updatedInput: z.unknown().optional(),
          updatedPermissions: z.unknown().optional(),
          interrupt: z.boolean().default(false),
        })
        .nullish(),
    }),
  }),
  PostToolUse: z.strictObject({
    ...universal,
    ...blocking,
    ...specific('PostToolUse', {
      ...context,
      updatedToolOutput: z.unknown().optional(),
      updatedMCPToolOutput: z.unknown().optional(),
    }),
  }),
} as const;

export type Output<E extends keyof typeof outputs> = z.infer<(typeof outputs)[E]>;
