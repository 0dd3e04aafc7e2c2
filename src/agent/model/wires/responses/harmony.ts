/**
 * The control tokens of the models behind the Codex backend. In a file or a result that merely speaks of them they would
 * be taken for the frame of the conversation, or refused.
 */

import { ModelFailure } from '../../failures/failure.ts';

const TOKEN = /<\|(?=(?:start|end|message|channel|constrain|return|call|refusal|system|developer|user|assistant)\|>)/g;

/** The same text, its control tokens broken by a blank that a reader can see. */
export function neutralised(text: string): string {
  return text.includes('<|') ? text.replace(TOKEN, '< |') : text;
}

/**
 * The same value, with each text in it neutralised. Throws a `ModelFailure` for a control token in a key: a key that was
 * changed would be another one.
 */
export function neutralisedDeep(value: unknown): unknown {
  if (typeof value === 'string') return neutralised(value);
  if (Array.isArray(value)) return value.map(neutralisedDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [checked(key), neutralisedDeep(inner)]));
}

function checked(key: string): string {
  if (neutralised(key) === key) return key;
  const message = `A name in a tool's schema or arguments holds a control token of the model: ${key}`;
  throw new ModelFailure({ at: 'frame', body: { error: { type: 'invalid_request_error', message } } });
}

/**
 * Holds back what a model writes when it means a call and says it as text: `to=functions.read_file …`. Nobody should read
 * it as the answer.
 */
export class LeakedCalls {
  /** The last letter that was given. */
  #last = '\n';
  #held = '';
  #leaked = false;

  /** True once a call has come as text. */
  get leaked(): boolean {
    return this.#leaked;
  }

  /** The text that may be shown. */
  push(text: string): string {
    if (this.#leaked) return '';
    const all = this.#last + this.#held + text;
    const at = LEAK.exec(all)?.index;
    this.#leaked = at !== undefined;
    const end = at ?? START_OF_LEAK.exec(all)?.index ?? all.length - 1;
    this.#held = this.#leaked ? '' : all.slice(end + 1);
    this.#last = all.charAt(end);
    return all.slice(1, end + 1);
  }

  /** What is held back when the text ends. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

const LEAK = /[\s>|]to=functions\./;
const START_OF_LEAK = /[\s>|](?:t|to|to=f?u?n?c?t?i?o?n?s?)$/;
