/** Reads text for PowerShell by its grammar. */

import type { Node } from 'web-tree-sitter';
import type { Grammar } from './grammar.ts';
import { type Redirect, type ShellScript, type SimpleCommand, UNKNOWN, type Word } from './script.ts';

const LONGEST = 8_000;
const MOST_NODES = 6_000;
const DEEPEST = 250;

export function readPowerShell(grammar: Grammar, source: string): ShellScript {
  const tree = source.length > LONGEST ? undefined : grammar.parse(source);
  if (!tree) return { commands: [], plain: false, forkBomb: false, unsure: 'it is too long' };
  try {
    const root = tree.rootNode;
    if (root.descendantCount > MOST_NODES) {
      return { commands: [], plain: false, forkBomb: false, unsure: 'it has too many parts' };
    }
    const reader = new TreeReader(source);
    reader.visit(root, 0);
    const unsure = reader.unsure ?? (root.hasError ? 'it is not understood' : undefined);
    const { commands } = reader;
    return { commands, plain: unsure === undefined && isPlain(source, commands), forkBomb: false, unsure };
  } finally {
    tree.delete();
  }
}

/** As for POSIX shells: on the text alone. `@`, `,`, `%` and `=` mean something to PowerShell and are left out. */
function isPlain(source: string, commands: readonly SimpleCommand[]): boolean {
  return commands.length === 1 && /^[A-Za-z][\w.-]*(?:[ \t]+(?:[\w./\\:-]+|'[^'‘’‚‛\p{C}]*'))*$/u.test(source.trim());
}

class TreeReader {
  readonly commands: SimpleCommand[] = [];
  unsure: string | undefined;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  visit(node: Node, depth: number): void {
    if (depth > DEEPEST) {
      this.unsure ??= 'it nests too deeply';
      return;
    }
    if (node.type === 'command' || node.type === 'foreach_command') this.#command(node);
    else if (node.type === 'invokation_expression') {
      // A method of .NET: `[IO.File]::Delete('x')`.
      this.unsure ??= 'it calls a method';
    }
    for (const child of node.children) this.visit(child, depth + 1);
  }

  #command(node: Node): void {
    const elements = node.children.find(({ type }) => type === 'command_elements')?.children ?? [];
    const name = node.children.find(({ type }) => /^command_name(_expr)?$/.test(type));
    const before = this.commands.at(-1);
    const piped = node.previousSibling?.type === '|';
    const redirects = elements.filter(({ type }) => type === 'redirection').map((one) => this.#redirect(one));
    this.commands.push({
      start: node.startIndex,
      end: node.endIndex,
      words: [...(name ? [this.#word(name)] : []), ...this.#arguments(elements)],
      assignments: [],
      redirects,
      stdin: [],
      piped,
      reads: piped ? before : undefined,
    });
  }

  /** What stands between two separators of blanks is one word: `-Path:C:\x` is a parameter and its value. */
  #arguments(elements: readonly Node[]): readonly Word[] {
    return elements
      .filter(({ type }) => type !== 'command_argument_sep' && type !== 'redirection')
      .map((one) => this.#word(one));
  }

  #word(node: Node): Word {
    const raw = this.#source.slice(node.startIndex, node.endIndex);
    const { text, dynamic } = textOf(raw);
    const quoted = /["'`]/.test(raw);
    return {
      start: node.startIndex,
      end: node.endIndex,
      text,
      quoted,
      dynamic,
      literal: /^[\w./\\:-]+$/.test(raw) || /^'[^']*'$/.test(raw),
    };
  }

  #redirect(node: Node): Redirect {
    const [operator = '>', target = ''] = node.text.split(/(?<=>)\s*/);
    return { operator, target: textOf(target.trim()).text, start: node.startIndex, end: node.endIndex };
  }
}

/** Quotes and backticks away; variables that are known by their use become what they usually are. */
function textOf(raw: string): { readonly text: string; readonly dynamic: boolean } {
  const single = /^'([\s\S]*)'$/.exec(raw)?.[1];
  if (single !== undefined) return { text: single.replaceAll("''", "'"), dynamic: false };
  const bare = raw.replace(/^"([\s\S]*)"$/, '$1').replace(/`(.)/g, '$1');
  const home = bare.replace(/\$(?:HOME\b|env:(?:HOME|USERPROFILE)\b|\{HOME\})/gi, '~');
  const text = home.replace(/\$\([\s\S]*\)|\$[\w:{}]+|@[({][\s\S]*[)}]/g, UNKNOWN);
  return { text, dynamic: text !== bare || /[$({]/.test(bare) };
}
