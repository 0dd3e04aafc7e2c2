/**
 * A reader of POSIX shell text for the approval rules: which simple commands there are, with quotes and escapes resolved
 * as the shell would. It runs nothing and expands nothing; what it cannot read is reported as `unsure`, and unsure asks.
 */

/** Stands for what only the shell will know. */
export const UNKNOWN = '…';

export interface Word {
  /** Without quotes. `$HOME` becomes `~`, parameters such as `$@` nothing, any other expansion `UNKNOWN`. */
  readonly text: string;
  readonly quoted: boolean;
  /** Holds an expansion, so that the shell may see something else. */
  readonly dynamic: boolean;
}

export interface Redirect {
  readonly operator: string;
  readonly target: string;
}

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirect[];
  /** Text given to its stdin by `<<` or `<<<`. */
  readonly stdin: readonly string[];
  /** It reads what the command before it writes. */
  readonly piped: boolean;
}

export interface ShellScript {
  readonly commands: readonly SimpleCommand[];
  /** Sources of `$(…)`, backticks and `<(…)`. */
  readonly substitutions: readonly string[];
  /** One simple command and nothing else: no operators, redirects, expansions, assignments or comments. */
  readonly plain: boolean;
  /** The text with quoted parts replaced by `_`, for patterns that must not match prose. */
  readonly skeleton: string;
  /** Why the text could not be read, or undefined. */
  readonly unsure: string | undefined;
}

export function parseShell(source: string): ShellScript {
  return new ShellReader(source, 0).read();
}

/** Expansions within expansions; deeper ones are `unsure`. */
const DEEPEST = 8;

const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc ! { } [['.split(' '),
);

class ShellReader {
  readonly #source: string;
  readonly #depth: number;
  #at = 0;
  readonly #commands: SimpleCommand[] = [];
  readonly #substitutions: string[] = [];
  #operators = 0;
  #skeleton = '';
  #unsure: string | undefined;

  #words: Word[] = [];
  #assignments: string[] = [];
  #redirects: Redirect[] = [];
  #stdin: string[] = [];
  #piped = false;
  /** Here-documents whose bodies start after the next line break, and the stdin of the command each belongs to. */
  #pendingHeredocs: { delimiter: string; literal: boolean; stdin: string[] }[] = [];

  #text = '';
  #open = false;
  #quoted = false;
  #dynamic = false;

  constructor(source: string, depth: number) {
    this.#depth = depth;
    // Continued lines are one line before anything else is looked at.
    this.#source = source.replaceAll('\r\n', '\n').replaceAll('\\\n', '');
  }

  read(): ShellScript {
    while (this.#at < this.#source.length) this.#step();
    this.#endCommand(false);
    if (this.#pendingHeredocs.length > 0) this.#unsure ??= 'a here-document does not end';
    const only = this.#commands.length === 1 ? this.#commands[0] : undefined;
    return {
      commands: this.#commands,
      substitutions: this.#substitutions,
      skeleton: this.#skeleton,
      unsure: this.#unsure,
      plain:
        only !== undefined &&
        this.#operators === 0 &&
        this.#substitutions.length === 0 &&
        only.assignments.length + only.redirects.length + only.stdin.length === 0 &&
        !only.words.some((word) => word.dynamic),
    };
  }

  #step(): void {
    const char = this.#source[this.#at] ?? '';
    const next = this.#source[this.#at + 1] ?? '';
    if (char === '#' && !this.#open) return this.#comment();
    if (char === "'") return this.#singleQuotes();
    if (char === '"') return this.#doubleQuotes();
    if (char === '\\') return this.#escape(next);
    if (char === '$' || char === '`') return this.#expansion(false);
    if ((char === '<' || char === '>') && next === '(') return this.#processSubstitution();
    if (char === '<' || char === '>' || (char === '&' && next === '>')) return this.#redirect();
    this.#skeleton += char;
    this.#at++;
    if (char === ' ' || char === '\t') this.#endWord();
    else if (char === '\n') this.#newline();
    else if (';&|()'.includes(char)) this.#operator(char, next);
    else this.#add(char);
  }

  #add(text: string): void {
    this.#text += text;
    this.#open = true;
  }

  #comment(): void {
    this.#operators++;
    while (this.#at < this.#source.length && this.#source[this.#at] !== '\n') this.#at++;
  }

  #escape(next: string): void {
    if (next === '') this.#unsure ??= 'it ends in a backslash';
    this.#skeleton += '_';
    this.#add(next);
    this.#quoted = true;
    this.#at += 2;
  }

  #singleQuotes(): void {
    const end = this.#source.indexOf("'", this.#at + 1);
    if (end < 0) return this.#giveUp('a quote is not closed');
    this.#add(this.#source.slice(this.#at + 1, end));
    this.#quoted = true;
    this.#skeleton += '_';
    this.#at = end + 1;
  }

  #doubleQuotes(): void {
    this.#open = true;
    this.#quoted = true;
    this.#skeleton += '_';
    for (this.#at++; this.#at < this.#source.length; ) {
      const char = this.#source[this.#at] ?? '';
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char === '$' || char === '`') this.#expansion(true);
      else if (char === '\\') {
        const next = this.#source[this.#at + 1] ?? '';
        this.#add('$`"\\'.includes(next) ? next : char + next);
        this.#at += 2;
      } else {
        this.#add(char);
        this.#at++;
      }
    }
    this.#giveUp('a quote is not closed');
  }

  #expansion(inQuotes: boolean): void {
    const opening = this.#source.slice(this.#at, this.#at + 2);
    if (opening.startsWith('`')) return this.#backticks();
    if (opening === '$(') {
      const end = closing(this.#source, this.#at + 2, '(', ')');
      if (end < 0) return this.#giveUp('a parenthesis is not closed');
      return this.#substitute(this.#source.slice(this.#at + 2, end), end + 1 - this.#at);
    }
    if (opening === '${') {
      const end = closing(this.#source, this.#at + 2, '{', '}');
      if (end < 0) return this.#giveUp('a brace is not closed');
      return this.#variable(this.#source.slice(this.#at + 2, end), end + 1 - this.#at, inQuotes);
    }
    if (opening === "$'" && !inQuotes) return this.#ansiQuotes();
    const name = this.#match(/\$([A-Za-z_]\w*|[0-9@*#?$!-])/y);
    if (name) return this.#variable(name[1] ?? '', name[0].length, inQuotes);
    this.#at++;
    // `$"…"` is a translated string: the dollar sign goes away.
    if (opening !== '$"' || inQuotes) this.#add('$');
  }

  #backticks(): void {
    let end = this.#at + 1;
    while (end < this.#source.length && this.#source[end] !== '`') end += this.#source[end] === '\\' ? 2 : 1;
    if (end >= this.#source.length) return this.#giveUp('a backtick is not closed');
    this.#substitute(this.#source.slice(this.#at + 1, end), end + 1 - this.#at);
  }

  /** A sticky pattern at the current place. Slicing the rest off each time would make long texts quadratic. */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }

  #substitute(source: string, length: number): void {
    this.#substitutions.push(source);
    this.#add(UNKNOWN);
    this.#dynamic = true;
    this.#skeleton += '_';
    this.#at += length;
  }

  #variable(expression: string, length: number, inQuotes: boolean): void {
    this.#at += length;
    if (/^IFS\b/.test(expression) && !inQuotes) {
      this.#operators++;
      this.#skeleton += ' ';
      return this.#endWord();
    }
    this.#skeleton += '_';
    // Without arguments, which a command here never has, parameters are empty: `r$@m` is `rm`.
    if (!/^[0-9@*]$/.test(expression)) this.#add(expression === 'HOME' ? '~' : UNKNOWN);
    this.#open = true;
    this.#dynamic = true;
    if (/[$`]/.test(expression)) this.#expandWithin(`"${expression}"`);
  }

  /** Collects the substitutions of a text that the shell expands like a quoted one. */
  #expandWithin(quoted: string): void {
    if (this.#depth === DEEPEST) return this.#giveUp('it nests expansions too deeply');
    const inner = new ShellReader(quoted, this.#depth + 1).read();
    this.#substitutions.push(...inner.substitutions);
    this.#unsure ??= inner.unsure;
  }

  /** `$'…'` with the escapes of C. */
  #ansiQuotes(): void {
    const body = this.#match(/\$'((?:[^'\\]|\\[\s\S])*)'/y);
    if (!body) return this.#giveUp('a quote is not closed');
    this.#add(decodeAnsi(body[1] ?? ''));
    this.#quoted = true;
    this.#skeleton += '_';
    this.#at += body[0].length;
  }

  #processSubstitution(): void {
    const end = closing(this.#source, this.#at + 2, '(', ')');
    if (end < 0) return this.#giveUp('a parenthesis is not closed');
    this.#substitute(this.#source.slice(this.#at + 2, end), end + 1 - this.#at);
  }

  #redirect(): void {
    const operator = this.#match(/&>>?|<<<|<<-?|<>|<&|>>|>\||>&|<|>/y)?.[0] ?? '>';
    // A number in front belongs to the operator, not to the words.
    if (!this.#quoted && /^\d+$/.test(this.#text)) this.#dropWord();
    this.#endWord();
    this.#skeleton += operator;
    this.#at += operator.length;
    while (/[ \t]/.test(this.#source[this.#at] ?? '')) this.#at++;
    const before = this.#words.length;
    while (this.#at < this.#source.length && !/[\s;&|()<>]/.test(this.#source[this.#at] ?? '')) this.#step();
    const literal = this.#quoted;
    this.#endWord();
    const target = this.#words.splice(before)[0]?.text ?? this.#assignments.pop() ?? '';
    if (operator === '<<<') this.#stdin.push(target);
    else if (operator.startsWith('<<')) this.#pendingHeredocs.push({ delimiter: target, literal, stdin: this.#stdin });
    else this.#redirects.push({ operator, target });
  }

  #newline(): void {
    const heredocs = this.#pendingHeredocs.splice(0);
    for (const { delimiter, literal, stdin } of heredocs) {
      const lines: string[] = [];
      for (let ended = false; !ended; ) {
        if (this.#at >= this.#source.length) return this.#giveUp('a here-document does not end');
        const end = this.#source.indexOf('\n', this.#at);
        const line = this.#source.slice(this.#at, end < 0 ? undefined : end);
        this.#at = end < 0 ? this.#source.length : end + 1;
        ended = line.replace(/^\t+/, '') === delimiter;
        if (!ended) lines.push(line);
      }
      const body = lines.join('\n');
      stdin.push(body);
      if (!literal) this.#expandWithin(`"${body.replaceAll('"', '\\"')}"`);
    }
    this.#endCommand(false);
    if (this.#match(/\s*\S/y)) this.#operators++;
  }

  #operator(char: string, next: string): void {
    this.#operators++;
    const pipe = char === '|' && next !== '|';
    if ((char === '|' || char === '&' || char === ';') && next === char) this.#at++;
    else if (char === '|' && next === '&') this.#at++;
    this.#endCommand(pipe);
  }

  #endWord(): void {
    if (this.#open) {
      const word = { text: this.#text, quoted: this.#quoted, dynamic: this.#dynamic };
      const keyword = this.#words.length === 0 && !word.quoted && KEYWORDS.has(word.text);
      if (keyword) this.#operators++;
      else if (this.#words.length === 0 && !keyword && /^[A-Za-z_]\w*\+?=/.test(word.text)) {
        this.#assignments.push(word.text);
      } else this.#words.push(...braces(word));
    }
    this.#dropWord();
  }

  #dropWord(): void {
    this.#text = '';
    this.#open = false;
    this.#quoted = false;
    this.#dynamic = false;
  }

  #endCommand(pipesOn: boolean): void {
    this.#endWord();
    if (this.#words.length + this.#assignments.length + this.#redirects.length + this.#stdin.length > 0) {
      this.#commands.push({
        words: this.#words,
        assignments: this.#assignments,
        redirects: this.#redirects,
        stdin: this.#stdin,
        piped: this.#piped,
      });
    }
    this.#words = [];
    this.#assignments = [];
    this.#redirects = [];
    this.#stdin = [];
    this.#piped = pipesOn;
  }

  #giveUp(why: string): void {
    this.#unsure ??= why;
    this.#at = this.#source.length;
  }
}

/** `{rm,-rf,/}` is three words to the shell. */
function braces(word: Word): readonly Word[] {
  const list = /^\{([^{}]*,[^{}]*)\}$/.exec(word.text)?.[1];
  return word.quoted || list === undefined ? [word] : list.split(',').map((text) => ({ ...word, text }));
}

/** Where the bracket that was opened before `from` closes; quotes and escapes are skipped. −1 when it does not. */
function closing(source: string, from: number, open: string, close: string): number {
  let depth = 1;
  let quote = '';
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === '\\' && quote !== "'") at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return at;
  }
  return -1;
}

const ANSI_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '', v: '' };

function decodeAnsi(body: string): string {
  const sequences = /\\(x[0-9a-f]{1,2}|u[0-9a-f]{1,4}|U[0-9a-f]{1,8}|[0-7]{1,3}|[\s\S])/gi;
  return body.replace(sequences, (_, sequence: string) => {
    if (/^[0-7]/.test(sequence)) return String.fromCharCode(Number.parseInt(sequence, 8));
    if (!/^[xu][0-9a-f]/i.test(sequence)) return ANSI_ESCAPES[sequence] ?? sequence;
    const code = Number.parseInt(sequence.slice(1), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
