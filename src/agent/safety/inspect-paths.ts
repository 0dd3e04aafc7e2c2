/** Places that a command reads or writes, as far as its words name them. */

import type { TextRange } from '../../api.ts';
import { isDevice } from './destructive.ts';
import type { Finding } from './finding.ts';
import { printsItsWords, programName, runsArguments } from './programs.ts';
import { protectedKind } from './protected-places.ts';
import { secretKind } from './sensitive.ts';
import type { Redirect, Word } from './shell/index.ts';

/** Words among which the program is looked for that another one runs. */
const MOST_NAMES = 50;
/** Characters of a path that are said. */
const SHOWN = 80;

/** @param words of a command, its program first; one that runs another may have that one's name among them */
export function inspectPathsOf(words: readonly Word[]): readonly Finding[] {
  const names = words.slice(0, MOST_NAMES).map(({ text }) => programName(text));
  const [name = ''] = names;
  if (printsItsWords(name) || isGitMessage(name, words)) return [];
  const args = words.slice(1).map(({ text }) => text);
  const writes = (runsArguments(name, args) ? names : [name]).some((one) => WRITES.test(one));
  return words.flatMap((word) => {
    for (const path of word.text.split(/[=:@,]/)) {
      const why = whyOf(path, writes);
      if (why !== undefined) return [{ level: 'always' as const, why, parts: [word] }];
    }
    return [];
  });
}

/** A path that stands in code. @param range that is marked */
export function inspectPath(path: string, range: TextRange): readonly Finding[] {
  const why = /\s/.test(path) ? undefined : whyOf(path, false);
  return why === undefined ? [] : [{ level: 'always', why, parts: [range] }];
}

export function inspectRedirect(redirect: Redirect): readonly Finding[] {
  const { operator, target } = redirect;
  const writes = operator.includes('>') && !(operator.endsWith('&') && /^[\d-]+$/.test(target));
  if (writes && isDevice(target)) return [{ level: 'blocked', why: 'it overwrites a device.', parts: [redirect] }];
  if (/^\/dev\/(tcp|udp)\//.test(target)) {
    return [{ level: 'always', why: 'It opens a connection to another machine.', parts: [redirect] }];
  }
  const why = whyOf(target, writes);
  return why === undefined ? [] : [{ level: 'always', why, parts: [redirect] }];
}

function isGitMessage(name: string, words: readonly Word[]): boolean {
  return name === 'git' && words.some(({ text }) => text === 'commit' || text === 'tag');
}

function whyOf(path: string, writes: boolean): string | undefined {
  const shown = path.slice(0, SHOWN);
  const secret = secretKind(path);
  if (secret) return `It touches ${shown}, ${secret}.`;
  const kind = writes ? (protectedKind(path) ?? startupFile(path)) : undefined;
  if (kind) return `It may change ${shown}. ${kind}`;
  if (/^(\/\/)?(169\.254\.169\.254|metadata\.google\.internal)/.test(path)) {
    return "It asks the cloud's metadata service, which hands out keys.";
  }
  return undefined;
}

/** What a shell or the system runs or reads by itself later. */
function startupFile(path: string): string | undefined {
  const startup = /(^|\/)\.(bashrc|bash_profile|bash_login|profile|zshrc|zshenv|zprofile|gitconfig|xprofile|inputrc)$/;
  if (startup.test(path) || /^~?\/?\.config\//.test(path)) return 'It is read by programs when they start.';
  return /^\/(etc|usr|boot|lib|bin|sbin|System|Library)\//.test(path) ? 'It belongs to the system.' : undefined;
}

const WRITES =
  /^(tee|cp|mv|ln|install|rm|dd|touch|truncate|sed|gsed|perl|awk|gawk|rsync|curl|wget|patch|unlink|chmod|set-content|add-content|out-file|new-item|copy-item|move-item|copy|move)$/;
