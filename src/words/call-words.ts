/** A call in words: what it does to what, as far as its state goes. The one place for host and page, export and API. */

import type { CallSubject, ToolCallState } from '../api.ts';
import { type Form, type Say, verbForms } from './call-verbs.ts';

/**
 * `Ran npm test`, `Not run: npm test`, `Could not edit src/a.ts`.
 *
 * @param t the reader's language; English where it is left out
 */
export function callWords(subject: CallSubject, state: ToolCallState, t: Say = inEnglish): string {
  const object = objectOf(subject, t);
  const words = verbForms(subject.verb, t, object)[formOf(subject, state)].trim();
  // Where nobody knows yet what it is done to, the verb stands alone.
  return object === '' && words.endsWith(':') ? words.slice(0, -1) : words;
}

/** What something waits for while the call runs: the command itself, or what is being done. */
export function waitWords(subject: CallSubject): string {
  if (subject.verb === 'run' || subject.verb === 'start') return subject.object;
  const words = callWords(subject, 'running');
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** `{0}` and so on replaced. */
export function inEnglish(english: string, ...values: readonly string[]): string {
  return english.replace(/\{(\d+)\}/g, (whole, index: string) => values[Number(index)] ?? whole);
}

function objectOf({ object, where, verb }: CallSubject, t: Say): string {
  if (where === undefined) return object;
  return verb === 'use' ? t('{0} of {1}', object, where) : t('{0} in {1}', object, where);
}

function formOf({ ran }: CallSubject, state: ToolCallState): Form {
  switch (state) {
    case 'announced':
    case 'waiting':
    case 'approval':
      return 'ahead';
    case 'question':
    case 'running':
    case 'yielded':
      return 'now';
    case 'success':
      return 'done';
    case 'error':
      return ran ? 'done' : 'failed';
    case 'stopped':
    case 'timeout':
    case 'abandoned':
      return 'cut';
    case 'blocked':
    case 'denied':
    case 'withdrawn':
    case 'not_run':
      return 'not';
    default:
      return state satisfies never;
  }
}
