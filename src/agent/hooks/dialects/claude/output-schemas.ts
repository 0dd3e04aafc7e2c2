import * as z from 'zod';
import type { ClaudeEvent } from './events.ts';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const values = z.record(z.string(), z.unknown().optional()).nullish();

/** May stand in the answer of every event. */
export const common = z.object({
  continue: flag,
  stopReason: text,
  suppressOutput: flag,
  systemMessage: text,
  terminalSequence: text,
  /** The reason of a `decision`. */
  reason: text,
});

/** At the top of the answers that can refuse. `approve` is the old form of PreToolUse's `allow`. */
export const decision = z.enum(['block', 'approve']).nullish();

/** An object is the decision of PermissionRequest. */
const permission = z.object({
  behavior: z.enum(['allow', 'deny']),
  updatedInput: values,
  updatedPermissions: z.unknown().optional(),
  message: text,
  interrupt: flag,
});

const fields = z.object({
  permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).nullish(),
  permissionDecisionReason: text,
  updatedInput: values,
  additionalContext: text,
  decision: permission.nullish(),
  updatedToolOutput: z.unknown().optional(),
  updatedMCPToolOutput: z.unknown().optional(),
  classifierContext: z.unknown().optional(),
  initialUserMessage: z.unknown().optional(),
  sessionTitle: z.unknown().optional(),
  watchPaths: z.unknown().optional(),
  reloadSkills: z.unknown().optional(),
  suppressOriginalPrompt: z.unknown().optional(),
  displayContent: z.unknown().optional(),
});

/** What stands in `hookSpecificOutput`. */
export type Specific = Partial<z.infer<typeof fields>>;

const afterCall = { additionalContext: true, updatedToolOutput: true, updatedMCPToolOutput: true } as const;
const context = fields.pick({ additionalContext: true });
const nothing = z.object({});

/** `hookSpecificOutput` of each event. */
export const specific: Readonly<Record<ClaudeEvent, z.ZodType<Specific> & { readonly shape: object }>> = {
  SessionStart: fields.pick({
    additionalContext: true,
    initialUserMessage: true,
    sessionTitle: true,
    watchPaths: true,
    reloadSkills: true,
  }),
  SessionEnd: nothing,
  UserPromptSubmit: fields.pick({ additionalContext: true, sessionTitle: true, suppressOriginalPrompt: true }),
  PreToolUse: fields.pick({
    permissionDecision: true,
    permissionDecisionReason: true,
    updatedInput: true,
    additionalContext: true,
  }),
  PermissionRequest: fields.pick({ decision: true }),
  PostToolUse: fields.pick({ ...afterCall, classifierContext: true }),
  PostToolUseFailure: context,
  PostToolBatch: context,
  Notification: context,
  MessageDisplay: fields.pick({ displayContent: true }),
  SubagentStart: context,
  SubagentStop: context,
  Stop: context,
  StopFailure: nothing,
  PreCompact: nothing,
  PostCompact: nothing,
  PreModelSwitch: nothing,
  PostModelSwitch: nothing,
};

/** Fields that Claude Code reads and that change nothing here. */
export const withoutEffect: readonly (keyof Specific)[] = [
  'classifierContext',
  'initialUserMessage',
  'sessionTitle',
  'watchPaths',
  'reloadSkills',
  'suppressOriginalPrompt',
  'displayContent',
];
