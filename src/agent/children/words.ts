/** What the model that delegated is told. Each text is made once and stored with its row. */

import type { ChildAgent } from '../../api.ts';
import { firstOf, lastOf } from '../tools/index.ts';
import type { ToolResult } from '../tools/types.ts';
import type { ChildEnd, EndState } from './child-end.ts';
import { shortId } from './child-id.ts';

/** Characters of a report in the result of its call; the agent's card has all of it. */
const REPORT_CHARACTERS = 30_000;
/** Characters of a report in a notice. */
const NOTICE_CHARACTERS = 4_000;

/** The result of a call whose agent has ended. */
export function endedResult(agent: ChildAgent, end: ChildEnd): ToolResult {
  const text = [cut(end.text, REPORT_CHARACTERS), `[${ending(agent, end)}]`].filter((part) => part !== '').join('\n\n');
  return {
    status: STATUS[end.state],
    text,
    detail: end.state === 'finished' ? requests(agent) : end.state,
    childId: agent.id,
    ...(end.survivors.length > 0 ? { survivors: end.survivors } : {}),
  };
}

const STATUS = { finished: 'success', interrupted: 'stopped', failed: 'error' } as const satisfies Record<
  EndState,
  ToolResult['status']
>;

/** The result of a call whose agent was started in the background. */
export function startedResult(agent: ChildAgent): ToolResult {
  return {
    status: 'success',
    text: `Started as ${shortId(agent.id)}; it works in the background. Its end is told to you by itself: do not wait for it.`,
    detail: 'in the background',
    childId: agent.id,
  };
}

/** The result of a call whose agent goes on in the background from now on. */
export function yieldedResult(agent: ChildAgent, byUser: boolean): ToolResult {
  const why = byUser ? 'the user moved it there' : 'the user sent new guidance, which follows';
  const note = `[The agent goes on in the background as ${shortId(agent.id)}, because ${why}. Its end is told to you by itself; do not delegate the task again.]`;
  return {
    status: 'yielded',
    text: [...done(agent), note].join('\n'),
    detail: 'in the background',
    childId: agent.id,
  };
}

/** The end of an agent that nobody waits for. It names the agent, so that the history itself tells what was told. */
export function endNotice(agent: ChildAgent, end: ChildEnd): string {
  const report = cut(end.text, NOTICE_CHARACTERS);
  const said = report === '' ? '' : `\n${end.state === 'finished' ? 'Its report' : 'What it had said'}:\n${report}`;
  return `${endOf(agent.id)}${ending(agent, end)}${said}`;
}

/** True for the notice that told of the end of that agent; a report of another one may name it as well. */
export function tellsEndOf(childId: string, text: string): boolean {
  return text.startsWith(endOf(childId));
}

function endOf(childId: string): string {
  return `Delegated agent ${shortId(childId)}: `;
}

const MAY_BE_DONE = ' Its task may be done in part: check before you rely on it.';

function ending(agent: ChildAgent, { state, why, unread, left }: ChildEnd): string {
  const name = `The agent "${agent.name}"`;
  const lines = {
    finished: [`${name} finished after ${requests(agent)}.`],
    interrupted: [
      `${name} was interrupted after ${requests(agent)}: ${why}.${agent.requests === 0 ? '' : MAY_BE_DONE}`,
      ...done(agent),
    ],
    failed: [`${name} did not finish its task: ${why}.`, ...done(agent)],
  }[state];
  const notes = [
    ...(left.length === 0
      ? []
      : [`It left running in the background: ${left.map(({ id, command }) => `${id} (${command})`).join(', ')}.`]),
    ...(unread.length === 0
      ? []
      : [`The user sent it this, which it did not read: ${unread.map(({ text }) => text).join('\n\n')}`]),
  ];
  return [...lines, ...notes].join('\n');
}

function done({ activity, requests: made }: ChildAgent): readonly string[] {
  if (activity.length === 0) return made === 0 ? ['It had not begun.'] : [];
  return ['What it did last:', ...activity.map((line) => `- ${line}`)];
}

function requests({ requests: made }: ChildAgent): string {
  return made === 1 ? '1 request' : `${made} requests`;
}

/** The beginning and the end of a text that is too long. */
function cut(text: string, limit: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= limit) return trimmed;
  const half = Math.floor(limit / 2);
  return `${firstOf(trimmed, half)}\n[… ${trimmed.length - 2 * half} characters left out; the agent's card has all of it …]\n${lastOf(trimmed, half)}`;
}
