/** How a wire writes the steps of a script: each string is one write to the socket. */

import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

export interface Frames {
  open(): readonly string[];
  text(text: string): readonly string[];
  reasoning(text: string): readonly string[];
  call(call: ScriptCall): readonly string[];
  usage(usage: ScriptUsage): void;
  error(error: { type: string; message: string; code?: string | undefined }): readonly string[];
  /** The finish reason and everything behind it. Without one: `tool_calls` after calls, otherwise `stop`. */
  close(finish?: Finish): readonly string[];
}

/** The fragments in which the arguments of a call travel. */
export function fragments(call: ScriptCall): readonly string[] {
  const text = call.arguments ?? JSON.stringify(call.input ?? {});
  const size = call.split ?? Math.max(text.length, 1);
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}
