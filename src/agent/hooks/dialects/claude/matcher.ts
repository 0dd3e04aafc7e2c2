import { anyFits, type Fit, Pattern, patternOf, type Soon } from '../../../kernel/patterns/index.ts';
import { refusedMatcher } from '../expression.ts';
import { nearName } from '../near-name.ts';
import { claudeToolNames } from '../tool-aliases/index.ts';
import { ruleOf } from './events.ts';

export type Matcher = { readonly is: 'all' } | { readonly is: 'names'; readonly names: readonly string[] } | Pattern;

/** A string says why it is no regular expression. */
export function parseMatcher(matcher: string | undefined): Matcher | string {
  if (matcher === undefined || matcher === '' || matcher === '*') return { is: 'all' };
  if (/^[\w\-,| ]+$/.test(matcher)) {
    return {
      is: 'names',
      names: matcher
        .split(/[|,]/)
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    };
  }
  return patternOf(matcher);
}

/** True when one of the names fits; one that is no regular expression fits nothing. */
export function fits(matcher: Matcher | string, names: readonly string[]): Soon<Fit> {
  if (typeof matcher === 'string') return false;
  if (matcher instanceof Pattern) return anyFits(names, (name) => matcher.test(name));
  return matcher.is === 'all' || names.some((name) => matcher.names.includes(name));
}

/** True when none of the names fits for sure; for words about a matcher, which need no certainty. */
function fitsNone(matcher: Matcher | string, names: readonly string[]): boolean {
  if (matcher instanceof Pattern) return names.every((name) => matcher.testNow(name) === false);
  return fits(matcher, names) === false;
}

/** What is likely wrong with a matcher that can be read. */
export function lintMatcher(declaredAs: string, matcher: string | undefined): readonly string[] {
  const parsed = parseMatcher(matcher);
  if (matcher === undefined || typeof parsed === 'string') return [];
  if ('is' in parsed && parsed.is === 'all') return [];
  if (parsed instanceof Pattern && parsed.refused !== undefined) return refusedMatcher(parsed);
  const rule = ruleOf(declaredAs);
  if (rule?.subject === undefined) return [`${declaredAs} has no matcher: the hook always runs.`];
  if (rule.subject === 'tool')
    return [...argumentPatterns(matcher), ...('is' in parsed ? strangeNames(parsed.names) : [])];
  const { values } = rule;
  if (!values || !fitsNone(parsed, values)) return [];
  return [`The matcher ${matcher} never fits: here ${declaredAs} comes with ${values.join(', ')}.`];
}

/** `Bash(rm *)` is a permission rule; as a regular expression it only fits a tool that nobody has (F13). */
function argumentPatterns(matcher: string): readonly string[] {
  return [...matcher.matchAll(/(?<![\w)])([A-Z]\w*)\([^()]*\)/g)]
    .filter(([pattern]) => fitsNone(parseMatcher(pattern), [...claudeToolNames, ...theirs]))
    .map(
      ([pattern, name]) =>
        `The matcher ${pattern} never fits: a matcher sees the tool's name only, not its arguments. Write "matcher": "${name}" and "if": "${pattern}".`,
    );
}

function strangeNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    if (/^mcp__[a-zA-Z0-9-]+$/.test(name)) {
      return [`The matcher ${name} never fits: for all tools of that server write ${name}__.*`];
    }
    const meant = OURS[name] ?? nearName(name, claudeToolNames);
    if (meant === undefined || meant === name || theirs.has(name)) return [];
    return [`The matcher ${name} never fits: names count as they are written. Is ${meant} meant?`];
  });
}

/** Our own names, which no hook of this dialect sees. */
const OURS: Readonly<Record<string, string>> = {
  terminal: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  patch: 'Edit',
  search_files: 'Grep',
  list_files: 'LS',
  todo: 'TodoWrite',
  delegate: 'Agent',
  ask_user: 'AskUserQuestion',
};

/** Tools of Claude Code that Midcourse does not have, and that may come from a server or a plugin. */
const theirs: ReadonlySet<string> = new Set([
  ...['NotebookEdit', 'NotebookRead', 'WebFetch', 'WebSearch', 'Skill', 'Monitor', 'ExitPlanMode', 'EnterPlanMode'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'SlashCommand', 'LSP', 'ToolSearch'],
]);
