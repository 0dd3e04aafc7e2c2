import type { Values } from './tool-aliases/index.ts';
import type { RunEnd } from './types.ts';

/** What a hook wrote. */
export type Said =
  | { readonly is: 'nothing' }
  | { readonly is: 'object'; readonly value: Values }
  /** `meantAsJson`: it begins like an object or a list, but is none that counts. */
  | { readonly is: 'text'; readonly text: string; readonly meantAsJson: boolean };

export function saidOn(stdout: string): Said {
  const text = stdout.trim();
  if (text === '') return { is: 'nothing' };
  const meantAsJson = /^[[{"]/.test(text);
  if (!meantAsJson) return { is: 'text', text, meantAsJson };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { is: 'object', value: value as Values };
    }
    return { is: 'text', text, meantAsJson };
  } catch {
    return { is: 'text', text, meantAsJson };
  }
}

/** The end of a run in words, with the beginning of what it complained about. */
export function endedWith({ exitCode, stderr, unread }: Omit<RunEnd, 'stdout'>): string {
  if (unread !== undefined) return unread;
  const how = exitCode === null ? 'It was ended by a signal' : `It ended with exit code ${exitCode}`;
  const complaint = beginning(stderr, 400);
  return complaint === '' ? `${how}.` : `${how}: ${complaint}`;
}

/** The first characters of a text, without spaces round it. */
export function beginning(text: string, characters: number): string {
  return text.trim().slice(0, characters).trim();
}
