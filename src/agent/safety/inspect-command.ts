/**
 * What a command is before it runs: blocked, asked for every time, or asked for unless a rule allows it.
 *
 * The text is read by the grammar of its shell (`shell/`). Whatever is not understood asks: text that the grammar marks as
 * an error, a command whose name is only known when it runs, a payload nested too deeply, a shell without a grammar.
 * This guards against accidents and against a model that was led astray. It is no wall: a script can hide anything.
 */

import type { Danger, TextRange } from '../../api.ts';
import { isSystemRoot } from './destructive.ts';
import type { Finding } from './finding.ts';
import { hiddenCharacters, plainForm } from './hidden-characters.ts';
import { inspectInvocation, nameOf, type Payload } from './inspect-invocation.ts';
import { inspectPathsOf, inspectRedirect } from './inspect-paths.ts';
import { printsItsWords, programName, runsArguments, runsStdin } from './programs.ts';
import {
  type ShellKind,
  type ShellReader,
  type ShellScript,
  type SimpleCommand,
  shellReader,
  type Word,
} from './shell/index.ts';

export type Verdict =
  | { readonly level: 'blocked'; readonly why: string }
  /** At least one danger, the most serious first. */
  | { readonly level: 'always'; readonly dangers: readonly Danger[] }
  | { readonly level: 'ask' };

export interface Inspected {
  readonly verdict: Verdict;
  readonly script: ShellScript;
}

/** A longer command cannot be judged, and no honest one is that long. */
const LONGEST = 100_000;
/** Of a longer one it is only said that it cannot be checked. */
const LONGEST_LOOK = 8_000;
const DEEPEST = 4;
/** Words among which the command that another one runs is looked for. */
const MOST_WORDS = 50;
/** Words of a command that are looked at as paths. */
const MOST_PATHS = 400;
/** Simple commands, and characters of scripts inside of it, that are looked at in all: the extension host waits meanwhile. */
const MOST_COMMANDS = 400;
const MOST_CHARACTERS = 16_000;
const MOST_PAYLOADS = 40;
/** Dangers that a card shows, and places that it marks for each. */
const MOST_DANGERS = 20;
const MOST_PARTS = 50;

/** Results that are kept. A call asks three times: before its card, for it, and before it runs. */
const KEPT = 16;
const kept = new Map<string, Promise<Inspected>>();

/**
 * Looks at the text alone, so the same text for the same shell has one result, which is kept for a while. Loads the
 * grammars when it is called for the first time.
 *
 * @param shell the one that would run the command
 */
export async function inspectCommand(command: string, shell: ShellKind): Promise<Inspected> {
  const key = `${shell}\n${command}`;
  const result = kept.get(key) ?? inspectAnew(command, shell);
  kept.delete(key);
  if (command.length <= LONGEST) kept.set(key, result);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  try {
    return await result;
  } catch (error) {
    // A grammar that could not be loaded is tried again.
    kept.delete(key);
    throw error;
  }
}

async function inspectAnew(command: string, shell: ShellKind): Promise<Inspected> {
  const reader = await shellReader({
    powershell: shell !== 'posix' || POWERSHELL.test(plainForm(command.slice(0, LONGEST_LOOK))),
  });
  return inspectWith(reader, command, shell);
}

function inspectWith(reader: ShellReader, command: string, shell: ShellKind): Inspected {
  if (command.length > LONGEST) return refused('it is longer than 100,000 characters. Put it into a file.');
  if (command.includes('\0')) return refused('it holds a NUL character.');
  const script = reader.read(command, shell);
  const own = new Inspection(reader);
  own.script(script, command, shell, 0);
  if (shell === 'other' || shell === 'cmd') {
    own.add('always', 'Commands of this shell cannot be read before they run.');
    for (const kind of ['posix', 'powershell'] as const) own.script(reader.read(command, kind), command, kind, 0);
  } else if (shell === 'posix' && POWERSHELL.test(command)) {
    own.script(reader.read(command, 'powershell'), command, 'powershell', 0, 'blocking only');
  }
  const hidden = hiddenCharacters(command);
  if (hidden.length > 0)
    own.add('always', 'It holds characters that cannot be seen, or that look like others.', hidden);
  // Full-width letters and invisible characters: what looks like another command is judged like it.
  const looksLike = command.length > LONGEST_LOOK ? command : plainForm(command);
  if (looksLike !== command) {
    own.elsewhere(() => own.script(reader.read(looksLike, shell), looksLike, shell, 0));
  }
  return { verdict: verdictOf(own.findings), script };
}

function refused(why: string): Inspected {
  const script = { commands: [], plain: false, forkBomb: false, unsure: 'it is not read' };
  return { verdict: { level: 'blocked', why }, script };
}

function verdictOf(findings: readonly Finding[]): Verdict {
  const blocked = findings.find(({ level }) => level === 'blocked');
  if (blocked) return { level: 'blocked', why: blocked.why };
  const reasons = [...new Set(findings.map(({ why }) => why))].slice(0, MOST_DANGERS);
  const dangers = reasons.map((reason) => {
    const same = findings.filter(({ why }) => why === reason);
    return { why: reason, parts: distinct(same.flatMap(({ parts }) => parts)).slice(0, MOST_PARTS) };
  });
  return dangers.length === 0 ? { level: 'ask' } : { level: 'always', dangers };
}

function distinct(parts: readonly TextRange[]): readonly TextRange[] {
  const byPlace = new Map(parts.map(({ start, end }) => [`${start}-${end}`, { start, end }]));
  return [...byPlace.values()].toSorted((a, b) => a.start - b.start);
}

/** Of text that may be meant for another shell, or may be no command at all, not everything counts. */
type Only = 'blocking only' | 'destructive only';

/** Collects what speaks against a command, destructive programs before what is only unclear. */
class Inspection {
  readonly #destructive: Finding[] = [];
  readonly #others: Finding[] = [];
  readonly #reader: ShellReader;
  /** Where what is found now stands in the command that is shown: inside of a payload it is the payload's own place. */
  #place: readonly TextRange[] | undefined;
  #commands = 0;
  #characters = 0;
  #payloads = 0;

  constructor(reader: ShellReader) {
    this.#reader = reader;
  }

  get findings(): readonly Finding[] {
    return [...this.#destructive, ...this.#others];
  }

  add(level: Finding['level'], why: string, parts: readonly TextRange[] = []): void {
    this.#others.push({ level, why, parts: this.#place ?? parts });
  }

  /** What is found inside has no place in the command. */
  elsewhere(inspect: () => void): void {
    const place = this.#place;
    this.#place = [];
    inspect();
    this.#place = place;
  }

  script(script: ShellScript, source: string, kind: ShellKind, depth: number, only?: Only): void {
    if (depth > DEEPEST)
      return only === 'destructive only'
        ? undefined
        : this.add('always', 'It nests commands too deeply to be checked.');
    if (script.unsure && !only && kind !== 'other' && kind !== 'cmd') {
      this.add('always', `It cannot be checked: ${script.unsure}.`);
    }
    if (script.forkBomb) this.add('blocked', 'it starts copies of itself without end.');
    const database = script.commands.find(({ words }) => namesIn(words).some((one) => DATABASE.test(one)));
    if (database && SQL.test(source) && !only) this.add('always', 'It deletes data of a database.', [database]);
    let inSystemRoot = false;
    for (const command of script.commands) {
      if (this.#commands++ === MOST_COMMANDS) this.add('always', TOO_MANY);
      if (this.#commands > MOST_COMMANDS) break;
      this.#command(command, kind, depth, only);
      if (inSystemRoot && deletesEverythingHere(command)) {
        this.add('blocked', 'it deletes the whole system, a system folder or a home folder.', [command]);
      }
      if (/^(cd|set-location|sl|chdir|pushd)$/.test(nameOf(command))) {
        inSystemRoot = isSystemRoot(
          command.words.find(({ text }, at) => at > 0 && !/^[-/]/.test(text))?.text ?? command.words[1]?.text ?? '~',
        );
      }
    }
  }

  #command(command: SimpleCommand, kind: ShellKind, depth: number, only?: Only): void {
    const take = (findings: readonly Finding[], to = this.#others) => {
      const isLeft = only === 'destructive only' && to !== this.#destructive;
      const kept = only === 'blocking only' || isLeft ? findings.filter(({ level }) => level === 'blocked') : findings;
      to.push(...kept.map((one) => (this.#place ? { ...one, parts: this.#place } : one)));
    };
    for (const redirect of command.redirects) take(inspectRedirect(redirect));
    take(emptiesFile(command), this.#destructive);
    const [first] = command.words;
    if (first && (first.dynamic || /[*?[]/.test(first.text.slice(1)))) {
      take([{ level: 'always', why: 'Which program it runs is only known when it runs.', parts: [first] }]);
    }
    if (first && /[^\p{ASCII}…]/u.test(first.text)) {
      take([
        { level: 'always', why: 'The name of its program holds letters that may look like others.', parts: [first] },
      ]);
    }
    const inside = this.#startsInside(command, take);
    for (const at of [0, ...inside]) {
      const words = command.words.slice(at, inside.length > 0 ? MOST_WORDS : undefined);
      const { destructive, others, payloads } = inspectInvocation(words, command, kind);
      take(destructive, this.#destructive);
      take(others);
      for (const payload of payloads) this.#payload(payload, kind, depth, only);
    }
    take(inspectPathsOf(command.words.slice(0, MOST_PATHS)));
    if (!command.piped) return;
    const texts = command.words.map(({ text }) => text);
    if (!runsStdin(nameOf(command), texts)) return;
    take([{ level: 'always', why: 'It runs what another command prints.', parts: [command] }]);
    const { reads } = command;
    if (reads && printsItsWords(nameOf(reads))) {
      const text = reads.words
        .slice(1)
        .map((word) => word.text)
        .join(' ');
      this.#payload({ text, range: reads, kind }, kind, depth, only);
    }
  }

  /** Where in the words of `sudo`, `xargs` or `find -exec` the command that it runs may begin. */
  #startsInside(command: SimpleCommand, take: (findings: readonly Finding[]) => void): readonly number[] {
    const texts = command.words.slice(1, MOST_WORDS).map(({ text }) => text);
    if (!runsArguments(nameOf(command), texts)) return [];
    if (command.words.length > MOST_WORDS) {
      take([{ level: 'always', why: 'It has too many words to be checked.', parts: [] }]);
    }
    return command.words.slice(1, MOST_WORDS).map((_, index) => index + 1);
  }

  #payload({ text, range, kind, isGuess }: Payload, outer: ShellKind, depth: number, only?: Only): void {
    this.#characters += text.length;
    this.#payloads++;
    if (this.#characters > MOST_CHARACTERS || this.#payloads > MOST_PAYLOADS) return this.add('always', TOO_MANY);
    const place = this.#place;
    this.#place ??= [{ start: range.start, end: range.end }];
    const of = kind ?? outer;
    this.script(this.#reader.read(text, of), text, of, depth + 1, isGuess ? (only ?? 'destructive only') : only);
    this.#place = place;
  }
}

/** Of the program, and of those that its words may start. */
function namesIn(words: readonly Word[]): readonly string[] {
  const names = words.slice(0, MOST_WORDS).map(({ text }) => programName(text));
  const [name = ''] = names;
  return runsArguments(name, names.slice(1)) ? names : [name];
}

/** `> f`, `: > f`, `cat /dev/null > f`: nothing is written into what is emptied. */
function emptiesFile(command: SimpleCommand): readonly Finding[] {
  const [name, ...args] = command.words.map(({ text }) => text);
  const writesNothing =
    name === undefined || /^(:|true)$/.test(name) || (/(^|\/)(cat|cp)$/.test(name) && args.join() === '/dev/null');
  if (!writesNothing) return [];
  return command.redirects
    .filter(({ operator, target }) => /^[12]?>\|?$/.test(operator) && !/^(\/dev\/|&)/.test(target))
    .map((redirect) => ({ level: 'always', why: 'It empties a file.', parts: [redirect] }));
}

function deletesEverythingHere(command: SimpleCommand): boolean {
  const args = command.words.slice(1).map((word) => word.text);
  const recursive = args.some((arg) => /^-[a-z]*r|^--recursive$/i.test(arg));
  return (
    /^(rm|remove-item|ri|del|rd)$/.test(nameOf(command)) &&
    recursive &&
    args.some((arg) => /^(\.[\\/])?(\*|\.\*?|)$/.test(arg))
  );
}

/** Text that may be meant for PowerShell: its programs by name, or a cmdlet that changes things. */
const POWERSHELL =
  /\b(?:powershell|pwsh|iex|iwr)\b|\b(?:add|clear|copy|disable|format|initialize|invoke|move|new|out|remove|rename|restart|set|start|stop|uninstall)-[a-z]{3,20}\b/i;
const TOO_MANY = 'It has too many parts to be checked.';
const DATABASE =
  /^(psql|mysql|mariadb|sqlite3?|sqlcmd|mongo|mongosh|clickhouse(-client)?|duckdb|cockroach|usql|pgcli|mycli|bq)$/;
const SQL =
  /\b(drop\s+(table|database|schema|view|index|user|role|collection|keyspace|function|trigger|sequence|type|column|materialized|owned|tablespace|procedure)|truncate\s+(table\s+)?\w|delete\s+from\s+[\w"[.`])|\.(drop|dropDatabase|deleteMany|remove)\s*\(/im;
