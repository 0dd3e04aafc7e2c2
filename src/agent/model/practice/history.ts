/** What a rehearsal knows: read from the messages alone, so that it is right after a stop, a reload or a new window. */

import type { ModelMessage, ModelRequest } from '../types.ts';

export interface DoneCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** What the user said after the task had begun. */
export interface Guidance {
  readonly kind: 'steer' | 'redirect';
  readonly text: string;
}

export interface Rehearsal {
  readonly task: string;
  /** What was asked before, for a user who says *continue*. */
  readonly previousTask: string;
  /** Where the turn before this one was stopped, if it was; the history says so. */
  readonly stoppedIn: 'tools' | 'answer' | undefined;
  /** Calls since the task began, with their results. */
  readonly done: readonly DoneCall[];
  readonly guidance: readonly Guidance[];
  /** Guidance that no answer has followed yet. */
  readonly unread: readonly Guidance[];
  /** The conversation has been told that a script answers. */
  readonly introduced: boolean;
  readonly tools: ReadonlySet<string>;
  /** Calls in the whole conversation, for ids that are not taken. */
  readonly calls: number;
}

export const INTRODUCTION = 'Practice model: a script answers, but its edits and commands are real.';

export function readHistory({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): Rehearsal {
  const starts = [...messages.keys()].filter((index) => beginsTask(messages, index));
  const start = starts.at(-1) ?? 0;
  const previous = messages[starts.at(-2) ?? start];
  const first = messages[start];
  const { note, text: task } = splitNotes(first?.role === 'user' ? first.text : '');
  const since = messages.slice(start + 1);
  const lastAnswer = since.findLastIndex((message, index) => message.role === 'assistant' && !isCut(since, index));
  const guidance = since.flatMap((message, index) =>
    message.role === 'user' ? [{ ...guidanceOf(message.text, since[index - 1]), at: index }] : [],
  );
  return {
    task,
    previousTask: previous?.role === 'user' ? splitNotes(previous.text).text : '',
    stoppedIn: stoppedIn(note),
    done: doneCalls(since),
    guidance,
    unread: guidance.filter(({ at }) => at > lastAnswer),
    introduced: messages.some((message) => message.role === 'assistant' && message.text.includes(INTRODUCTION)),
    tools: new Set(tools.map((tool) => tool.name)),
    calls: messages.reduce((sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0), 0),
  };
}

/** A user's message begins a task unless it came while one was under way. */
function beginsTask(messages: readonly ModelMessage[], index: number): boolean {
  const message = messages[index];
  if (message?.role !== 'user') return false;
  const before = messages[index - 1];
  if (before === undefined || isSummary(before)) return true;
  const { note } = splitNotes(message.text);
  if (stoppedIn(note) !== undefined) return true;
  return before.role === 'assistant' && before.calls.length === 0 && !isCorrection(note);
}

function stoppedIn(note: string): Rehearsal['stoppedIn'] {
  if (!/stopped your previous turn/i.test(note)) return undefined;
  return /tools/.test(note) ? 'tools' : 'answer';
}

/** An answer that the message behind it cut off. */
function isCut(messages: readonly ModelMessage[], index: number): boolean {
  const next = messages[index + 1];
  return next?.role === 'user' && isCorrection(splitNotes(next.text).note);
}

function guidanceOf(message: string, before: ModelMessage | undefined): Guidance {
  const { note, text } = splitNotes(message);
  // A request that was redirected before its first word leaves no answer between the two messages.
  const kind = isCorrection(note) || before?.role !== 'tool' ? 'redirect' : 'steer';
  return { kind, text };
}

function isCorrection(note: string): boolean {
  return /correction from the user/i.test(note);
}

/** It stands for what came before, and is no text of the user. */
function isSummary(message: ModelMessage): boolean {
  return message.role === 'user' && message.text.includes('<summary>\n');
}

/** The bracketed notes that the turn loop puts before the user's own words, and those words. */
function splitNotes(message: string): { note: string; text: string } {
  const match = /^(?:\[[^\]]*\]\s+)+/.exec(message);
  const note = match?.[0] ?? '';
  return { note, text: message.slice(note.length).trim() };
}

function doneCalls(messages: readonly ModelMessage[]): DoneCall[] {
  const inputs = new Map<string, Readonly<Record<string, unknown>>>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.calls) inputs.set(call.callId, call.input as Record<string, unknown>);
  }
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? [{ name: message.name, input: inputs.get(message.callId) ?? {}, text: message.text, isError: message.isError }]
      : [],
  );
}
