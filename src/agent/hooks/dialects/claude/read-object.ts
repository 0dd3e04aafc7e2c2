/** The JSON object that a hook wrote, with every field in its place. */

import type * as z from 'zod';
import { issuesOf } from '../../../declarations/json-text.ts';
import { type Values, valuesOf } from '../tool-aliases/index.ts';
import type { ClaudeEvent } from './events.ts';
import { common, decision as decisions, type Specific, specific, withoutEffect } from './output-schemas.ts';

export interface SaidObject {
  readonly common: z.infer<typeof common>;
  readonly decision: 'block' | 'approve' | undefined;
  readonly specific: Specific;
  readonly warnings: readonly string[];
}

/** A string says why the answer cannot be read. */
export function readObject(value: Values, event: ClaudeEvent): SaidObject | string {
  const { hookSpecificOutput, ...top } = value;
  const inner = valuesOf(hookSpecificOutput);
  if (inner.hookEventName !== undefined && inner.hookEventName !== event) {
    return `Its answer is for ${String(inner.hookEventName)}, and this is ${event}.`;
  }
  const fields = Object.keys(specific[event].shape);
  const { lifted, rest } = lift(top, inner, fields);
  const readCommon = common.safeParse(top);
  if (!readCommon.success) return wrong(readCommon.error);
  const readDecision = decisions.safeParse(rest.decision ?? nestedDecision(inner, event));
  if (!readDecision.success) return wrong(readDecision.error);
  const readSpecific = specific[event].safeParse({ ...lifted, ...inner });
  if (!readSpecific.success) return wrong(readSpecific.error);
  const reason = readCommon.data.reason ?? (typeof inner.reason === 'string' ? inner.reason : undefined);
  return {
    common: { ...readCommon.data, reason },
    decision: readDecision.data ?? undefined,
    specific: readSpecific.data,
    warnings: [
      ...Object.keys(lifted).map(outside),
      ...missingName(hookSpecificOutput, inner, event),
      ...unknown(rest, inner, fields, event),
      ...withoutEffect
        .filter((field) => readSpecific.data[field] !== undefined)
        .map((field) => `${field} has no effect here.`),
    ],
  };
}

/**
 * Fields of `hookSpecificOutput` that stand outside of it. Claude Code passes over them, so that a guard that says no is
 * not heard; here they count.
 */
function lift(top: Values, inner: Values, fields: readonly string[]): { lifted: Values; rest: Values } {
  const outer = Object.keys(top).filter(
    (key) => fields.includes(key) && inner[key] === undefined && !(key === 'decision' && typeof top[key] === 'string'),
  );
  return {
    lifted: Object.fromEntries(outer.map((key) => [key, top[key]])),
    rest: Object.fromEntries(Object.entries(top).filter(([key]) => !outer.includes(key))),
  };
}

/** VS Code reads a `decision` there. */
function nestedDecision(inner: Values, event: ClaudeEvent): unknown {
  return event === 'PermissionRequest' ? undefined : inner.decision;
}

function outside(field: string): string {
  return `${field} stands outside of hookSpecificOutput. It counts here, but Claude Code does not see it there: move it inside.`;
}

function missingName(given: unknown, inner: Values, event: ClaudeEvent): readonly string[] {
  return given === undefined || given === null || inner.hookEventName === event
    ? []
    : [`hookSpecificOutput has no "hookEventName": "${event}".`];
}

function unknown(rest: Values, inner: Values, fields: readonly string[], event: ClaudeEvent): readonly string[] {
  const known = [...Object.keys(common.shape), 'decision'];
  const innerKnown = [...fields, 'hookEventName', ...(event === 'PermissionRequest' ? [] : ['decision', 'reason'])];
  return [
    ...Object.keys(rest).filter((key) => !known.includes(key)),
    ...Object.keys(inner).filter((key) => !innerKnown.includes(key)),
  ].map((key) => `${key} is not known at ${event} and has no effect.`);
}

function wrong(error: z.ZodError): string {
  return `Its answer cannot be read: ${issuesOf(error)}.`;
}
