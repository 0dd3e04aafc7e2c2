/** What a scenario answers with, and the questions it asks about what has happened. */

import type { DoneCall, Rehearsal } from './history.ts';

interface PracticeCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Move {
  readonly say: string;
  /** None: the move ends the turn. */
  readonly calls?: readonly PracticeCall[];
  /** Said slowly, to leave time for a redirect. */
  readonly slow?: boolean;
}

/** A pure function of what has happened: the same history gets the same answer. */
export type Scenario = (rehearsal: Rehearsal) => Move;

export function call(name: string, input: Readonly<Record<string, unknown>>): PracticeCall {
  return { name, input };
}

export function lastDone(rehearsal: Rehearsal, name: string, matches: (call: DoneCall) => boolean = () => true) {
  return rehearsal.done.findLast((done) => done.name === name && matches(done));
}

export function hasRead(rehearsal: Rehearsal, path: string): DoneCall | undefined {
  return lastDone(rehearsal, 'read_file', (done) => done.input.path === path);
}

/** The file's text in a result of `read_file`, whose lines come as `LINE|text`. */
export function fileText(done: DoneCall): string {
  return done.text
    .split('\n')
    .flatMap((line) => /^\s*\d+\|(.*)$/.exec(line)?.[1] ?? [])
    .join('\n');
}

/** Everything the user has said about the task, in lower case. */
export function wishes(rehearsal: Rehearsal): string {
  return [rehearsal.task, ...rehearsal.guidance.map(({ text }) => text)].join('\n').toLowerCase();
}

/** Lines of a result, few enough to quote. */
export function excerpt(text: string, lines: number): string {
  const all = text.trimEnd().split('\n');
  return all.length <= lines
    ? all.join('\n')
    : [...all.slice(0, lines), `… ${all.length - lines} more lines`].join('\n');
}

export function codeBlock(text: string): string {
  const fence = text.includes('```') ? '````' : '```';
  return `${fence}\n${text}\n${fence}`;
}
