/** What the collection says in the system prompt. */

import type { Collection } from './collection.ts';
import { ALL_BYTES, cutTo } from './size.ts';
import type { Instructions } from './types.ts';

/** Characters that the list of skills may take, and that of agents. */
const MOST_LISTED = 12_000;
/** Characters of one description in a list. */
const MOST_DESCRIPTION = 400;

export interface PromptSection {
  readonly title: string;
  readonly text: string;
}

/** Empty when there is nothing to say. The same collection gives the same bytes. */
export function customisationText(
  { instructions, skills, agents }: Pick<Collection, 'instructions' | 'skills' | 'agents'>,
  sections: readonly PromptSection[],
  of: 'session' | 'child',
): string {
  const always = instructions.filter(({ appliesTo }) => appliesTo === undefined);
  const usable = skills.filter(({ modelMayUse }) => modelMayUse);
  return [
    ...(always.length > 0 ? [INSTRUCTIONS, ...withinSize(always)] : []),
    ...sections.map(({ title, text }) => `## ${title}\n\n${text}`),
    ...(usable.length > 0 ? [`${SKILLS}\n${listed(usable)}`] : []),
    // An agent does not delegate further.
    ...(of === 'session' && agents.length > 0 ? [`${AGENTS}\n${listed(agents)}`] : []),
  ].join('\n\n');
}

const INSTRUCTIONS =
  'Instructions of the person and of this workspace, from their files. Follow them. Where two disagree, the later one ' +
  'stands nearer to the work and counts; what the person says counts more than any file.';

const SKILLS =
  'Skills are instructions for special tasks. When a task fits one, load it with the tool skill before you begin; do ' +
  'not guess what it says.';

const AGENTS =
  'Agents with a role, for delegate: give the name as agent when a task fits its description. Without one an agent has ' +
  'no role of its own.';

/** Those that stand nearest are kept whole longest. */
function withinSize(all: readonly Instructions[]): readonly string[] {
  let left = ALL_BYTES;
  const kept: string[] = [];
  for (const { name, path, text } of [...all].reverse()) {
    const fits = cutTo(text, Math.max(0, left), 0, path);
    left -= Buffer.byteLength(text);
    kept.unshift(`## ${name}\n\n${fits}`);
  }
  return kept;
}

function listed(all: readonly { readonly name: string; readonly description: string }[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { name, description } of all) {
    const words = description.replace(/\s+/g, ' ').trim();
    const line = `- ${name}: ${words.length > MOST_DESCRIPTION ? `${words.slice(0, MOST_DESCRIPTION)}…` : words}`;
    length += line.length;
    if (length > MOST_LISTED) break;
    lines.push(line);
  }
  const more = all.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [`(${more} more are not listed for lack of room; the person can name them.)`] : []),
  ].join('\n');
}
