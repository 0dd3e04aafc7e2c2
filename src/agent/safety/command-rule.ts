/**
 * What *session* and *always* store for a command: its exact text, or, for well-known build and test commands, every
 * command that starts with the same words, in one folder.
 *
 * A rule matches no more than its words say. So only a command whose every word is literal has one
 * (`ShellScript.plain`, `literalChain`): nothing with expansions, globs, braces or variables. A chain (`npm test 2>&1 |
 * tail -20`) runs where each of its parts has an allowed rule of its own (`git status; curl x | sh` is not `git status`). Behind the words of a family only plain operands and options that are
 * known to be harmless may follow: what names code, addresses or places outside of the folder asks.
 */

import { basename, relative, sep } from 'node:path';
import { gitSubcommand, READS_GIT } from './git-guard.ts';
import { isShell, programName } from './programs.ts';
import { readerOf, whatIsRead } from './reader-rule.ts';
import type { LiteralPart, ShellScript } from './shell/index.ts';

export interface CommandRule {
  readonly key: string;
  /** What it allows and what it does not, for the card. */
  readonly words: string;
  /** Set for git that only reads: its run is kept from programs that the repository names (`git-guard.ts`). */
  readonly readsGit: boolean;
  /** Of a chain: the rules of its parts. It runs where all of them are allowed. */
  readonly parts?: readonly CommandRule[];
}

export interface RulePlace {
  /** Absolute real path of the folder that the command runs in. */
  readonly cwd: string;
  /** Absolute real paths of the workspace folders. */
  readonly folders: readonly string[];
}

/** Undefined: only *once* and *deny* can be offered. Looks at the files that a reader is given. */
export async function ruleFor(
  command: string,
  script: ShellScript,
  place: RulePlace,
): Promise<CommandRule | undefined> {
  if (script.unsure !== undefined) return undefined;
  const parts = script.chain ?? (script.plain ? [wholeOf(command, script)] : undefined);
  if (!parts || !isWhatStandsThere(parts, script)) return undefined;
  const rules: PartRule[] = [];
  for (const part of parts) {
    const found = await ruleOfPart(part, place, script.chain !== undefined);
    if (!found) return undefined;
    rules.push(found);
  }
  return chainOf(rules);
}

type PartRule = CommandRule & { readonly kind: 'reader' | 'git' | 'other' };

function wholeOf(command: string, { commands }: ShellScript): LiteralPart {
  return { text: command.trim(), words: commands[0]?.words ?? [], piped: false };
}

/** The grammar has found the same words. */
function isWhatStandsThere(parts: readonly LiteralPart[], { commands }: ShellScript): boolean {
  const texts = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join('\0');
  return (
    parts.length === commands.length &&
    parts.every((part, at) => {
      const { words = [], assignments = [], stdin = [], piped = false } = commands[at] ?? {};
      const isLiteral = words.every((word) => word.literal) && assignments.length + stdin.length === 0;
      return isLiteral && piped === part.piped && texts(words) === texts(part.words);
    })
  );
}

/**
 * What stands behind a pipe may run what it reads, so only a reader has a rule there. git that is kept from the
 * repository's programs shares its environment with the other parts: they are such git or readers.
 */
async function ruleOfPart(
  { text, words, piped }: LiteralPart,
  place: RulePlace,
  posix: boolean,
): Promise<PartRule | undefined> {
  const texts = words.map((word) => word.text);
  if (runsText(texts)) return undefined;
  const where = nameOf(place);
  // In PowerShell their names mean other programs, and `Env:X` is a path.
  const reader = posix ? readerOf(texts, piped) : undefined;
  const reads = reader && (reader.files.some(isOutside) ? 'elsewhere' : await whatIsRead(reader, place));
  if (reads === 'secrets') return undefined;
  if (reads === 'plain files') {
    const shown = `commands that start with \`${texts[0]}\` in ${where}; only with files of this workspace, and none with secrets`;
    return { key: `run:${texts[0]} …@${place.cwd}`, words: shown, readsGit: false, kind: 'reader' };
  }
  if (piped) return undefined;
  const family = words.slice(0, 2).some(({ quoted }) => quoted) ? undefined : familyOf(words);
  const subcommand = gitSubcommand(texts) ?? '';
  // `-C`, `--git-dir` and the like lead to another repository than that of the folder.
  if (subcommand.startsWith('-')) return undefined;
  const readsGit = READS_GIT.test(subcommand);
  const kind = readsGit ? 'git' : 'other';
  if (family === undefined) {
    const exactly = `exactly this command in ${where}: \`${text}\``;
    return { key: `run=${text}@${place.cwd}`, words: exactly, readsGit, kind };
  }
  const not = readsGit
    ? 'not with options that write files or start programs'
    : 'not with further options, which could name code';
  const shown = `commands that start with \`${family}\` in ${where}; ${not}, and not with addresses or places outside of it`;
  return { key: `run:${family} …@${place.cwd}`, words: shown, readsGit, kind };
}

function chainOf(rules: readonly PartRule[]): CommandRule | undefined {
  const kinds = new Set(rules.map(({ kind }) => kind));
  if (kinds.has('git') && kinds.has('other')) return undefined;
  const parts = [...new Map(rules.map(({ kind: _kind, ...rule }) => [rule.key, rule])).values()];
  const [first] = parts;
  if (!first || parts.length === 1) return first;
  const words = parts.map((rule) => rule.words).join('; and ');
  const key = parts.map((rule) => rule.key).join(' & ');
  return { key, words, readsGit: parts.some(({ readsGit }) => readsGit), parts };
}

/** Its words are a script once more: what is literal here is read by a shell there. */
function runsText([program = '', ...rest]: readonly string[]): boolean {
  const name = programName(program);
  if (/^(eval|trap|source|\.|iex|invoke-expression)$/.test(name)) return true;
  return (
    [name, ...rest.map(programName)].some(isShell) && rest.some((word) => /^-[a-z]*c|^\/[ck]$|^-command/i.test(word))
  );
}

function nameOf({ cwd, folders }: RulePlace): string {
  const folder = folders.find((one) => cwd === one || cwd.startsWith(one + sep));
  if (folder === undefined) return cwd;
  const inside = relative(folder, cwd).split(sep).join('/');
  return [basename(folder), inside].filter((part) => part !== '').join('/');
}

/** The words that a rule may stand for, if those behind them cannot make the tool do something else. */
function familyOf(given: LiteralPart['words']): string | undefined {
  const words = given.map(({ text }) => text);
  const [tool = '', subcommand = '', script = ''] = words;
  if (/^(npm|pnpm|yarn|bun)$/.test(tool)) {
    const named = subcommand === 'run' && /^\w[\w:.-]*$/.test(script);
    if (!named && subcommand !== 'test') return undefined;
    const rest = words.slice(named ? 3 : 2).filter((word) => word !== '--');
    // Its words become a line of a shell once more, by rules of its own.
    if (given.some(({ quoted }) => quoted)) return undefined;
    return rest.every(isForTests) ? `${tool} ${named ? `run ${script}` : 'test'}` : undefined;
  }
  if (tool === 'git') return gitFamily(given);
  // What follows for it are more things to do, such as `deploy`.
  if (tool === 'mvn' && words.length > 2) return undefined;
  const known = FAMILIES.find(([name, subcommands]) => name === tool && subcommands.test(subcommand));
  if (known === undefined) return undefined;
  const [, , options] = known;
  return given.slice(2).every((word) => isOperandOrText(word) || options?.test(word.text))
    ? `${tool} ${subcommand}`
    : undefined;
}

/** A tool, the subcommands that have a rule, and options that name neither code nor a place and change no source. */
const FAMILIES: readonly (readonly [string, RegExp, RegExp?])[] = [
  [
    'cargo',
    /^(build|check|test|clippy|fmt|bench|doc)$/,
    /^(-v|-q|--(release|all|workspace|all-targets|all-features|lib|bins|tests|examples|locked|offline|frozen|verbose|quiet|no-run|no-fail-fast|check))$/,
  ],
  ['go', /^(build|test|vet|fmt)$/, /^-(v|race|short|cover|failfast|run|count=\d{1,4})$/],
  ['deno', /^(test|check|lint|fmt)$/],
  ['dotnet', /^(build|test)$/],
  ['mvn', /^(test|compile|verify)$/],
  ['mix', /^(test|compile|format)$/],
  ['swift', /^(build|test)$/],
];

/** Options of test programs that name neither code nor a place. */
const TEST_OPTIONS =
  /^--(run|ci|watch|grep|coverage|no-coverage|bail|verbose|silent|color|no-color|colors|no-cache|runInBand|passWithNoTests|watch=false|watchAll=false)$/;

function isForTests(word: string): boolean {
  return isOperand(word) || TEST_OPTIONS.test(word);
}

/** A name or a path inside of the folder: no option, no `NAME=value`, no address, no file that holds further arguments. */
function isOperand(word: string): boolean {
  return /^[\w@.,/+-]+(:\d+)?$/.test(word) && !/^[-@]/.test(word) && !isOutside(word);
}

/** In quotes a name may hold blanks and the marks of a glob, which the tool itself reads: `'src/*.ts'`. */
function isOperandOrText({ text, quoted }: LiteralPart['words'][number]): boolean {
  return isOperand(text) || (quoted && /^[\w.*?][\w@.,/+*?^~ -]*$/.test(text) && !isOutside(text));
}

function isOutside(word: string): boolean {
  return word.startsWith('/') || word.startsWith('~') || word.split('/').includes('..') || /^[A-Za-z]:/.test(word);
}

/** Options that only choose what is shown and how. Anything else may write a file or start a program. */
// biome-ignore lint/plugin: made of the constants of this file alone.
const GIT_OPTIONS = new RegExp(
  `^(?:${[
    '-\\d{1,6}',
    '-(?:n|p|s|u|z|w|b|i|M|C|R|a|c|m)',
    '-[nU]\\d{1,6}',
    '-sb',
    '-L(?:\\d+,\\+?\\d+)?',
    '--(?:oneline|stat|shortstat|numstat|name-only|name-status|graph|all|decorate|no-decorate|patch|no-patch|raw|summary)',
    '--(?:cached|staged|merges|no-merges|first-parent|reverse|follow|branches|tags|remotes|short|long|porcelain|branch)',
    '--(?:abbrev-commit|no-color|word-diff|ignore-space-change|ignore-all-space|ignore-blank-lines|check|quiet|minimal)',
    '--(?:no-ext-diff|no-textconv|no-index-refresh|show-stash|ahead-behind|patience|histogram|full-index|date-order|topo-order)',
    '--(?:no-renames|find-renames|compact-summary|no-prefix|ignored|color-words|left-right)',
    '--(?:max-count|skip|abbrev|stat|unified|diff-filter|date|since|until|after|before|author|committer|grep|decorate|untracked-files|pretty|format|sort|color|porcelain|word-diff|inter-hunk-context|stat-width)=[\\w@%:,.+ -]*',
    '--',
  ].join('|')})$`,
);

function gitFamily(given: LiteralPart['words']): string | undefined {
  const words = given.map(({ text }) => text);
  const subcommand = gitSubcommand(words);
  if (subcommand === undefined || !READS_GIT.test(subcommand)) return undefined;
  const start = words.indexOf(subcommand) + 1;
  const rest = given.slice(start);
  // A revision may name a path behind its colon; two paths outside of a repository would be compared as files.
  const harmless = (word: LiteralPart['words'][number]) =>
    GIT_OPTIONS.test(word.text) ||
    (/^[\w@.,/+:~^-]+$/.test(word.text) && !word.text.startsWith('-')) ||
    isOperandOrText(word);
  return rest.every((word) => harmless(word) && !word.text.split(':').some(isOutside))
    ? words.slice(0, start).join(' ')
    : undefined;
}
