/** Which slash commands fit what is being typed. */

import type { SlashEntry } from '../../src/protocol/index.ts';

/** Commands that the list shows at once; a part of a name finds the others. */
export const mostShown = 60;

const name = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_.:-]*`;
// biome-ignore-start lint/plugin: made of the constant above.
const beingTyped = new RegExp(`^/((?:${name})?)$`, 'u');
const typed = new RegExp(String.raw`^\s*/(${name})(?:\s|$)`, 'u');
const withoutWords = new RegExp(String.raw`^/(${name})[ \t]+$`, 'u');
// biome-ignore-end lint/plugin: made of the constant above.

/** The part of a name behind the `/` that the draft begins with, nothing being behind it; undefined otherwise. */
export function slashQuery(draft: string): string | undefined {
  return beingTyped.exec(draft)?.[1];
}

/** Names that begin so, then parts of names that do, then names and descriptions that hold it. */
export function findSlash(commands: readonly SlashEntry[], query: string): readonly SlashEntry[] {
  const wanted = query.toLowerCase();
  const ranked = commands.map((command) => ({ command, rank: rankOf(command, wanted) }));
  return ranked
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

function rankOf({ name, description }: SlashEntry, wanted: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(wanted)) return 0;
  if (lower.split(/[:._-]/).some((part) => part.startsWith(wanted))) return 1;
  if (lower.includes(wanted)) return 2;
  // One letter is in every description.
  return wanted.length > 2 && description.toLowerCase().includes(wanted) ? 3 : 4;
}

/** A command of the editor itself, which sends nothing: it is run and not written into the conversation. */
export function isBuiltIn(commands: readonly SlashEntry[], text: string): boolean {
  const entry = commandOf(commands, typed.exec(text)?.[1]);
  return entry?.kind === 'builtin';
}

/** The command that stands in the draft alone and takes words; undefined when none does. */
export function awaitsWords(commands: readonly SlashEntry[], draft: string): SlashEntry | undefined {
  const entry = commandOf(commands, withoutWords.exec(draft)?.[1]);
  return entry?.argumentHint === undefined ? undefined : entry;
}

function commandOf(commands: readonly SlashEntry[], wanted: string | undefined): SlashEntry | undefined {
  return wanted === undefined ? undefined : commands.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}
