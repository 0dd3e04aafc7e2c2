/** How a wire writes the steps of a script: each string is one write to the socket. */

import type { Finish, ScriptCall, ScriptUsage } from './script.ts';

/** Text, or the bytes of a binary stream. */
export type Frame = string | Uint8Array;

export interface Frames {
  open(): readonly Frame[];
  text(text: string): readonly Frame[];
  reasoning(text: string): readonly Frame[];
  call(call: ScriptCall): readonly Frame[];
  usage(usage: ScriptUsage): void;
  error(error: { type: string; message: string; code?: string | undefined }): readonly Frame[];
  /** The finish reason and everything behind it. Without one: `tool_calls` after calls, otherwise `stop`. */
  close(finish?: Finish): readonly Frame[];
}

/** As one write. */
export function joined(frames: readonly Frame[]): Frame {
  if (frames.every((frame) => typeof frame === 'string')) return frames.join('');
  return Buffer.concat(frames.map((frame) => Buffer.from(frame)));
}

/** The fragments in which the arguments of a call travel. */
export function fragments(call: ScriptCall): readonly string[] {
  const text = call.arguments ?? JSON.stringify(call.input ?? {});
  const size = call.split ?? Math.max(text.length, 1);
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}
