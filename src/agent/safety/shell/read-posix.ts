/**
 * Reads text for `sh` and `bash` by the grammar of bash. The grammar finds the commands; words are decoded from the text
 * itself. Where the grammar is known to see something else than the shell does, the text counts as unsure.
 */

import type { Node } from 'web-tree-sitter';
import type { TextRange } from '../../../api.ts';
import type { Grammar } from './grammar.ts';
import { joinLines } from './join-lines.ts';
import { LITERAL_WORD, literalChain } from './literal-chain.ts';
import { roughCommands } from './rough.ts';
import type { Redirect, ShellScript, SimpleCommand, Word } from './script.ts';
import { textOf, wordsOf } from './word-text.ts';

/** Longer texts and larger trees are not walked: the extension host has other things to do. */
const LONGEST = 8_000;
const MOST_NODES = 3_000;
const DEEPEST = 120;

export function readPosix(grammar: Grammar, source: string): ShellScript {
  const { text, original, doubtful } = joinLines(source);
  const read = readJoined(grammar, source, text);
  const place = text === source ? (command: SimpleCommand) => command : placedBy(original);
  const joined = { ...read, commands: read.commands.map(place) };
  if (!doubtful) return joined;
  // Whether a line goes on decides what runs: what either reading finds counts.
  const apart = readJoined(grammar, source, source);
  return {
    commands: [...joined.commands, ...apart.commands],
    forkBomb: joined.forkBomb || apart.forkBomb,
    plain: false,
    unsure: joined.unsure ?? 'a line may belong to the one before',
  };
}

/** Places are those of `text`. */
function readJoined(grammar: Grammar, source: string, text: string): ShellScript {
  const tree = text.length > LONGEST ? undefined : grammar.parse(text);
  if (!tree) return guess(text, 'it is too long');
  try {
    const root = tree.rootNode;
    if (root.descendantCount > MOST_NODES) return guess(text, 'it has too many parts');
    const reader = new TreeReader(text);
    reader.visit(root, 0);
    const unsure = reader.unsure ?? oddityOf(text) ?? (root.hasError ? 'it is not understood' : undefined);
    const read = { commands: reader.commands, forkBomb: reader.forkBomb };
    if (unsure === undefined) {
      const chain = literalChain(source);
      return { ...read, plain: isPlain(source, read), unsure, ...(chain ? { chain } : {}) };
    }
    const commands = [...read.commands, ...roughCommands(text, 'posix')];
    return { commands, forkBomb: read.forkBomb, plain: false, unsure };
  } finally {
    tree.delete();
  }
}

function guess(text: string, unsure: string): ShellScript {
  return { commands: roughCommands(text, 'posix'), plain: false, forkBomb: false, unsure };
}

function placedBy(original: (at: number) => number): (command: SimpleCommand) => SimpleCommand {
  const range = <T extends TextRange>(of: T): T => ({ ...of, start: original(of.start), end: original(of.end) });
  return (command) => ({
    ...range(command),
    words: command.words.map(range),
    assignments: command.assignments.map(range),
    redirects: command.redirects.map(range),
  });
}

/** What the shell and the grammar read differently. */
function oddityOf(text: string): string | undefined {
  if (/[\r\v\f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/.test(text)) {
    return 'it holds line ends or spaces of an unusual kind';
  }
  // The word goes on for the shell; the grammar takes what follows, other commands too, for a comment.
  if (/\\[ \t]+#/.test(text)) return 'it escapes a blank before a #';
  return /`[^`]*\\`/.test(text) ? 'it nests backticks' : undefined;
}

/**
 * Whether the text is one command of literal words. It is decided on the text alone, without the grammar: a rule may then
 * rely on it whatever the grammar sees.
 */
function isPlain(source: string, { commands }: { readonly commands: readonly SimpleCommand[] }): boolean {
  const [only] = commands;
  if (only === undefined || commands.length > 1 || !PLAIN.test(source.trim())) return false;
  const [program] = only.words;
  if (!program || program.quoted || KEYWORDS.has(program.text) || program.text.includes('=')) return false;
  return only.words.every((word) => word.literal) && only.redirects.length + only.assignments.length === 0;
}

// biome-ignore lint/plugin: made of one constant; blanks and words cannot be the same.
const PLAIN = new RegExp(`^${LITERAL_WORD}(?:[ \\t]+${LITERAL_WORD})*$`, 'u');

const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc'.split(' '),
);

interface Parts {
  readonly words: TextRange[];
  readonly assignments: TextRange[];
  readonly redirects: Redirect[];
  readonly stdin: string[];
}

class TreeReader {
  readonly commands: SimpleCommand[] = [];
  forkBomb = false;
  unsure: string | undefined;
  readonly #text: string;
  /** What the commands that are visited now read from. */
  #piped = false;
  #reads: SimpleCommand | undefined;

  /** Redirects that belong to a command and stand elsewhere in the tree, by its id. */
  readonly #behind = new Map<number, readonly Node[]>();

  constructor(text: string) {
    this.#text = text;
  }

  visit(node: Node, depth: number): void {
    if (depth > DEEPEST) {
      this.unsure ??= 'it nests too deeply';
      return;
    }
    switch (node.type) {
      case 'pipeline':
        return this.#pipeline(node, depth);
      case 'function_definition':
        this.forkBomb ||= startsItself(node);
        break;
      case 'redirected_statement':
        return this.#redirected(node, depth);
      case 'command':
      case 'declaration_command':
      case 'unset_command':
      case 'variable_assignment':
      case 'variable_assignments':
        this.#command(node, this.#behind.get(node.id) ?? [], depth);
        return;
    }
    this.#inside(node, depth);
  }

  #inside(node: Node, depth: number): void {
    for (const child of node.children) this.visit(child, depth + 1);
  }

  /** Substitutions inside of words and redirects read nothing from the pipe. */
  #apart(node: Node, depth: number): void {
    const [piped, reads] = [this.#piped, this.#reads];
    this.#piped = false;
    this.#reads = undefined;
    this.#inside(node, depth);
    this.#piped = piped;
    this.#reads = reads;
  }

  #pipeline(node: Node, depth: number): void {
    const [piped, reads] = [this.#piped, this.#reads];
    for (const [index, child] of node.children.entries()) {
      // The pipe behind `<<EOF` begins with its bar: what it reads is known already.
      if (index === 0 && child.type.startsWith('|')) continue;
      if (child.type === '|' || child.type === '|&') {
        this.#piped = true;
        this.#reads = this.commands.at(-1);
      } else this.visit(child, depth + 1);
    }
    this.#piped = piped;
    this.#reads = reads;
  }

  #redirected(node: Node, depth: number): void {
    const redirects = node.children.filter(({ type }) => type.endsWith('_redirect'));
    const body = node.children.find((child) => !redirects.some((one) => one.id === child.id));
    // The grammar hangs what stands behind `a | b` on the whole pipe; the shell gives it to `b`.
    const last = body && lastCommand(body);
    if (body && last) {
      this.#behind.set(last.id, redirects);
      return this.visit(body, depth + 1);
    }
    if (body) this.visit(body, depth + 1);
    this.#finish(node, this.#partsOf(redirects, depth));
  }

  #command(node: Node, redirects: readonly Node[], depth: number): void {
    const children = node.type === 'variable_assignment' ? [node] : node.children;
    this.#finish(node, this.#partsOf([...children, ...redirects], depth));
  }

  #finish(node: Node, parts: Parts): void {
    const words = this.#words(parts.words.filter((word) => !this.#isDescriptor(word, parts.redirects)));
    const assignments = this.#words(parts.assignments);
    if (words.length + assignments.length + parts.redirects.length + parts.stdin.length === 0) return;
    const { redirects, stdin } = parts;
    const range = { start: node.startIndex, end: node.endIndex };
    this.commands.push({
      ...range,
      words,
      assignments,
      redirects,
      stdin,
      piped: this.#piped,
      reads: this.#reads,
    });
  }

  /** The number of `2>`, which the grammar takes for an argument behind some words. */
  #isDescriptor({ start, end }: TextRange, redirects: readonly Redirect[]): boolean {
    return redirects.some((one) => one.start === end) && isNumber(this.#text.slice(start, end));
  }

  #partsOf(nodes: readonly Node[], depth: number): Parts {
    this.#lookBetween(nodes);
    const parts: Parts = { words: [], assignments: [], redirects: [], stdin: [] };
    for (const node of nodes) this.#part(node, parts, depth);
    return parts;
  }

  #part(node: Node, parts: Parts, depth: number): void {
    const range = { start: node.startIndex, end: node.endIndex };
    const descriptor = node.children.find(({ type }) => type === 'file_descriptor');
    // The grammar takes `-2` of `rm -2>f` for a descriptor; to the shell it is an argument.
    if (descriptor && !isNumber(this.#slice(descriptor))) {
      parts.words.push({ start: descriptor.startIndex, end: descriptor.endIndex });
    }
    if (node.type === 'file_redirect') return this.#fileRedirect(node, parts, depth);
    if (node.type === 'heredoc_redirect') return this.#heredoc(node, parts, depth);
    if (node.type === 'herestring_redirect') {
      const word = node.children.at(-1);
      if (word) parts.stdin.push(textOf(this.#slice(word)));
      return this.#apart(node, depth);
    }
    // A variable that `export` names is a word of it, not an assignment in front of a program.
    const before =
      parts.words.length === 0 &&
      node.parent?.type !== 'declaration_command' &&
      /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(this.#slice(node));
    if (node.type === 'variable_assignment' && before) parts.assignments.push(range);
    else parts.words.push(range);
    this.#apart(node, depth);
  }

  /** The grammar takes every word behind `>` for a target. To the shell only the first one is; the rest are arguments. */
  #fileRedirect(node: Node, parts: Parts, depth: number): void {
    const operator = node.children.find(({ type }) => /^[<>&|-]+$/.test(type));
    this.#lookBetween(node.children);
    const behind = node.children.filter((one) => operator !== undefined && one.startIndex >= operator.endIndex);
    const [target, ...rest] = this.#merged(
      behind.map(({ startIndex, endIndex }) => ({ start: startIndex, end: endIndex })),
    );
    parts.words.push(...rest);
    if (operator) {
      const text = target ? textOf(this.#text.slice(target.start, target.end)) : '';
      const end = target?.end ?? operator.endIndex;
      parts.redirects.push({ operator: operator.type, target: text, start: node.startIndex, end });
    }
    this.#apart(node, depth);
  }

  #heredoc(node: Node, parts: Parts, depth: number): void {
    const part = (type: string) => node.children.find((child) => child.type === type);
    const [start, body, end] = [part('heredoc_start'), part('heredoc_body'), part('heredoc_end')];
    const text = body ? this.#slice(body) : '';
    parts.stdin.push(text);
    const tabs = node.children.some(({ type }) => type === '<<-');
    if (!start || !end || !endsRightly(this.#slice(start), text, this.#slice(end), tabs)) {
      this.unsure ??= 'a here-document does not end where it seems to';
    }
    // The grammar does not see backticks there, which the shell runs where the delimiter is not quoted.
    if (start && /^[^'"\\]*$/.test(this.#slice(start)) && text.includes('`')) {
      this.unsure ??= 'a here-document holds backticks';
    }
    // The pipe behind `<<EOF` stands inside of the redirect.
    const inner = node.children.filter(({ type }) => !/^(<<-?|heredoc_(start|body|end))$/.test(type));
    const own = inner.filter(({ type }) => /_redirect$|word|string|concatenation|expansion|number/.test(type));
    for (const child of own) this.#part(child, parts, depth);
    if (body) this.#apart(body, depth);
    const [piped, reads] = [this.#piped, this.#reads];
    for (const child of inner) {
      if (own.some((one) => one.id === child.id)) continue;
      this.#piped ||= child.text.startsWith('|');
      if (child.text.startsWith('|')) this.#reads = textCommand(text, child.startIndex);
      this.visit(child, depth + 1);
    }
    this.#piped = piped;
    this.#reads = reads;
  }

  /** The grammar leaves out an escaped blank in front of a word: what is left out has to be blanks that separate. */
  #lookBetween(nodes: readonly Node[]): void {
    const sorted = nodes.toSorted((a, b) => a.startIndex - b.startIndex);
    for (const [index, node] of sorted.entries()) {
      const end = sorted[index - 1]?.endIndex ?? node.startIndex;
      if (/[^ \t\n]/.test(this.#text.slice(end, node.startIndex))) this.unsure ??= 'a blank in it is escaped';
    }
  }

  #words(ranges: readonly TextRange[]): readonly Word[] {
    return this.#merged(ranges).flatMap((range) => wordsOf(this.#text.slice(range.start, range.end), range));
  }

  /** Nodes without a space between them are one word, into however many the grammar has cut it. */
  #merged(ranges: readonly TextRange[]): readonly TextRange[] {
    const merged: { start: number; end: number }[] = [];
    for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
      const last = merged.at(-1);
      if (last && last.end === start) last.end = end;
      else merged.push({ start, end });
    }
    return merged;
  }

  #slice(node: Node): string {
    return this.#text.slice(node.startIndex, node.endIndex);
  }
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/** The simple command that a redirect behind this node belongs to; undefined for groups and loops. */
function lastCommand(node: Node): Node | undefined {
  if (node.type === 'command' || node.type === 'declaration_command') return node;
  const inner = /^(pipeline|list|negated_command)$/.test(node.type) ? node.children.at(-1) : undefined;
  return inner && lastCommand(inner);
}

/** A here-document that is piped on: to the reader it is as if its text were printed. */
function textCommand(text: string, at: number): SimpleCommand {
  const word = (content: string): Word => ({
    text: content,
    quoted: true,
    dynamic: false,
    literal: false,
    start: at,
    end: at,
  });
  const words = [word('printf'), word(text)];
  return { words, assignments: [], redirects: [], stdin: [], piped: false, reads: undefined, start: at, end: at };
}

/**
 * The body continues to the first line that is the delimiter, with tabs in front of it only after `<<-`. The grammar takes
 * the `;` of `<<EOF; ls` for a part of the delimiter; to the shell an operator ends it.
 */
function endsRightly(start: string, body: string, end: string, tabs: boolean): boolean {
  if (/^[^'"\\]*[;&|()<>]/.test(start)) return false;
  const delimiter = textOf(start);
  const lines = body.split('\n').map((line) => (tabs ? line.replace(/^\t+/, '') : line));
  return end.trim() === delimiter && !lines.includes(delimiter);
}

/** `f() { f | f & }`: its own name twice or more in its body, in a pipe or in the background. */
function startsItself(node: Node): boolean {
  const name = node.children.find(({ type }) => type === 'word')?.text;
  const names = node.descendantsOfType('command_name').filter((one) => one?.text === name);
  return name !== undefined && names.length > 1 && /[|&]/.test(node.text);
}
