/** The `if` of a hook: one permission rule such as `Bash(git *)`, which a call has to fit. */

import { homedir } from 'node:os';
import { isAbsolute, relative, resolve } from 'node:path';
import {
  anyFits,
  eachFits,
  type Fit,
  globOf,
  patternOf,
  type Soon,
  wildcardSource,
} from '../../../kernel/patterns/index.ts';
import { readNow, shellReader } from '../../../safety/index.ts';
import type { ForeignCall, Values } from '../tool-aliases/index.ts';

interface PermissionRule {
  readonly tool: string;
  /** What is in the brackets. */
  readonly about: string | undefined;
}

/** Undefined for what is no rule. */
export function parseRule(text: string): PermissionRule | undefined {
  const [, tool, about] = /^([A-Za-z_][\w*-]*)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  return tool === undefined ? undefined : { tool, about };
}

/** True when the rule is about this call, and when that cannot be told: a guard rather runs once too often. */
export function isAbout(rule: PermissionRule, call: ForeignCall, place: { readonly cwd: string }): Soon<Fit> {
  const names = [call.name, ...(call.matchedBy ?? []), ...(GROUPS[call.name] ?? [])];
  return eachFits([() => anyFits(names, wholeText(rule.tool)), () => isAboutInput(rule, call, place)]);
}

function isAboutInput(rule: PermissionRule, call: ForeignCall, place: { readonly cwd: string }): Soon<Fit> {
  const { about } = rule;
  if (about === undefined || about === '*') return true;
  if (rule.tool === 'Bash') return isAboutCommand(about, call.input.command);
  if (call.input.file_path !== undefined || call.input.path !== undefined) {
    return isAboutPath(about, call.input.file_path ?? call.input.path, place);
  }
  return isAboutValue(about, call.input);
}

/** A rule about reading is also about searching, one about editing also about writing. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Grep: ['Read'],
  Glob: ['Read'],
  LS: ['Read'],
  Write: ['Edit'],
};

function isAboutCommand(pattern: string, command: unknown): Soon<Fit> {
  if (typeof command !== 'string') return true;
  const fits = commandPattern(pattern);
  return anyFits([() => fits(command.trim()), () => commandsIn(command, fits)], (asked) => asked());
}

/** Any of the commands that a line is made of, also inside of substitutions. */
function commandsIn(source: string, fits: Test): Soon<Fit> {
  const script = readNow(source);
  // The grammar is loaded with the first rule that needs it; where that fails the hook runs.
  if (!script) return loaded().then((is) => !is || commandsIn(source, fits));
  if (script.unsure !== undefined) return true;
  const asked = script.commands.flatMap(({ words }): readonly (() => Soon<Fit>)[] => {
    const [first] = words;
    if (first?.dynamic) return [() => true];
    const texts = words.map(({ text }) => text);
    return [() => fits(texts.join(' ')), () => fits(texts.slice(wrapperLength(texts)).join(' '))];
  });
  return anyFits(asked, (ask) => ask());
}

async function loaded(): Promise<boolean> {
  try {
    await shellReader({ powershell: false });
    return readNow('') !== undefined;
  } catch {
    return false;
  }
}

/** Words in front of a command that only say how it is run. */
function wrapperLength([first = '', second = '']: readonly string[]): number {
  if (['nohup', 'time', 'nice', 'stdbuf', 'sudo', 'command', 'env', 'xargs'].includes(first)) return 1;
  return first === 'timeout' ? (second.startsWith('-') ? 3 : 2) : 0;
}

/** `git *` and `git:*`: git alone or with anything behind it; without a star the command as it is. */
function commandPattern(pattern: string): Test {
  const prefix = /^([\s\S]*?)(?::\*| \*)$/.exec(pattern)?.[1];
  return prefix === undefined ? wholeText(pattern) : testOf(`^${wildcardSource(prefix)}(?:\\s[\\s\\S]*)?$`);
}

/** As in a `.gitignore`: `//` from the root, `~/` from home, a name alone at any depth. */
function isAboutPath(pattern: string, path: unknown, { cwd }: { readonly cwd: string }): Soon<Fit> {
  if (typeof path !== 'string') return true;
  const absolute = resolve(cwd, path);
  const fits = (candidate: string, glob: string) => globOf(glob).test(candidate);
  if (pattern.startsWith('//')) return fits(absolute, pattern.slice(1));
  if (pattern.startsWith('~/')) return fits(absolute, `${homedir()}/${pattern.slice(2)}`);
  const inside = relative(cwd, absolute);
  if (inside.startsWith('..') || isAbsolute(inside)) return false;
  const own = pattern.replace(/^\.?\//, '');
  return fits(inside, own.includes('/') || own !== pattern ? own : `**/${own}`);
}

/** `domain:example.org`, or a name such as that of an agent. */
function isAboutValue(about: string, input: Values): Soon<Fit> {
  const domain = /^domain:(.+)$/.exec(about)?.[1];
  if (domain !== undefined) {
    const host = typeof input.url === 'string' && URL.canParse(input.url) ? new URL(input.url).hostname : undefined;
    return host === undefined || wholeText(domain)(host);
  }
  const values = Object.values(input).filter((value) => typeof value === 'string');
  return values.length === 0 || anyFits(values, wholeText(about));
}

type Test = (text: string) => Soon<Fit>;

/** `*` is anything, all else itself. */
function wholeText(pattern: string): Test {
  return testOf(`^${wildcardSource(pattern)}$`);
}

function testOf(source: string): Test {
  const pattern = patternOf(source);
  // It is made of escaped text and stars; were it ever none, the hook runs.
  return typeof pattern === 'string' ? () => ({ unsure: pattern }) : (text) => pattern.test(text);
}
