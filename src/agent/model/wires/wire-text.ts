/** What the wires do to names, texts and arguments so that no API refuses a history for its letters. */

import { createHash } from 'node:crypto';
import type { ModelCall, ToolSpec } from '../types.ts';

/** Half a surrogate pair is no text: APIs refuse it, for ever, once it is in the history. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** What stands for a result without text: no API takes an empty one. */
export const NO_OUTPUT = '(no output)';

/**
 * What stands for the model between two turns of the user, where an API wants it to have spoken. They are not put into
 * one: the first may have been sent, and what was sent never changes. Behind results it is also needed for another
 * reason: Gemini answers with nothing when a person's words share a turn with them, and Mistral refuses such words.
 */
export const GO_ON = 'Go on.';

/** A name a model may have made up, in the letters that tools may have. */
export function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/**
 * The id of a call in letters and a length that each API takes. It ends in a digest of what it was: two never become
 * one, which an API would refuse for ever.
 */
export function plainId(id: string): string {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)}_${digest}`;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SHORT_ID = /^[a-zA-Z0-9]{9}$/;

/**
 * The id in nine letters or digits, the same for the same id in every request of every session: what another model
 * called stays paired, and the prefix stays what it was. One that has the form is kept.
 */
export function shortId(id: string): string {
  if (SHORT_ID.test(id)) return id;
  const digest = createHash('sha256').update(id).digest();
  return Array.from(digest.subarray(0, 9), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** The arguments as an object. Arguments that could not be parsed are shown to the model as it wrote them. */
export function inputOf(call: ModelCall): Record<string, unknown> {
  const input = call.invalidInput === undefined ? call.input : { unparsed_arguments: call.invalidInput };
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const object = (isObject ? input : { value: input }) as Record<string, unknown>;
  const json = JSON.stringify(object);
  // Whole pairs are written as they are: an escaped surrogate is a lone one. Other escapes are stepped over in pairs.
  const mended = json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (sequence, lone) => (lone ? '\\ufffd' : sequence));
  return mended === json ? object : (JSON.parse(mended) as Record<string, unknown>);
}

/** Tools by name; of two with one name the first counts, since APIs refuse both. */
export function uniqueTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const byName = new Map<string, ToolSpec>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}
