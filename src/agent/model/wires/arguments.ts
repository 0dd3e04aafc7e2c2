import type { ModelCall } from '../types.ts';
import { repairJson } from './argument-repair.ts';

/** A call as its fragments came. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export type ArgumentState =
  | { readonly is: 'whole'; readonly input: Record<string, unknown> }
  /** Ends inside a value: the stream or the output limit cut it. Never run, never repaired. */
  | { readonly is: 'unfinished' }
  /** The model closed it, but it is no JSON object. */
  | { readonly is: 'invalid' };

/** Objects and lists inside each other. */
const DEEPEST = 500;

/**
 * Reads the arguments of a call. Blank ones are those of a tool that takes none, and so is what some servers write for
 * them. What the model finished but wrote wrong is mended where its meaning is plain.
 */
export function readArguments(text: string): ArgumentState {
  if (/^\s*(None|null)?\s*$/.test(text)) return { is: 'whole', input: {} };
  const { isOpen, depth } = nestingOf(text);
  // It can be read, but not be written again, and every later request of the session has to.
  if (depth > DEEPEST) return { is: isOpen ? 'unfinished' : 'invalid' };
  const input = parse(text) ?? parse(repairJson(text));
  if (input === undefined) return { is: isOpen ? 'unfinished' : 'invalid' };
  const isObject = typeof input.value === 'object' && input.value !== null && !Array.isArray(input.value);
  return isObject ? { is: 'whole', input: input.value as Record<string, unknown> } : { is: 'invalid' };
}

function parse(json: string | undefined): { readonly value: unknown } | undefined {
  if (json === undefined) return undefined;
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** The call for the turn loop, which keeps ids apart; a server that gives none gets one here. */
export function callOf(call: WrittenCall): ModelCall {
  const callId = call.id === '' ? `call_${crypto.randomUUID().replaceAll('-', '')}` : call.id;
  const state = readArguments(call.text);
  return state.is === 'whole'
    ? { callId, name: call.name, input: state.input }
    : { callId, name: call.name, input: {}, invalidInput: call.text };
}

/** Whether the text ends inside a string, an object or an array, and how many of these stand in each other at most. */
function nestingOf(text: string): { readonly isOpen: boolean; readonly depth: number } {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return { isOpen: inString || depth > 0, depth: deepest };
}
