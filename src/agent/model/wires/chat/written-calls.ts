/**
 * Calls that a model writes as text, because its server does not take them apart: `<tool_call>{…}</tool_call>`,
 * `<function=name>…</function>`, or an answer that is nothing but the JSON of a call, fenced or bare. A text counts as a
 * call only where it names a tool that was offered and its input is an object; anything else is shown as it is.
 */

import * as z from 'zod';
import type { ToolSpec } from '../../types.ts';

export interface WrittenCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

const TAGS = [
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '<function=', close: '</function>' },
] as const;
type Tag = (typeof TAGS)[number];

/** Characters that are held back to see whether they are a call. */
const LONGEST = 200_000;

export class WrittenCalls {
  readonly #tools: ReadonlyMap<string, ToolSpec>;
  readonly #calls: WrittenCall[] = [];
  #held = '';
  #tag: Tag | undefined;
  /** Something else than blank space was shown: from here on only tags are calls. */
  #said = false;
  #line = '';
  #inFence = false;

  constructor(tools: readonly ToolSpec[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** @returns what is shown now */
  push(text: string): string {
    if (this.#tools.size === 0) return text;
    this.#held += text;
    let shown = '';
    while (this.#held !== '') {
      const before = this.#held.length;
      shown += this.#tag ? this.#block(this.#tag) : this.#plain();
      if (this.#held.length === before) break;
    }
    return shown;
  }

  /** The answer is over. */
  flush(): { readonly text: string; readonly calls: readonly WrittenCall[] } {
    const held = this.#held;
    this.#held = '';
    // The end of the tag may have been what the model stopped at.
    const found = this.#tag ? this.#callsOf(this.#tag, held) : this.#said ? undefined : this.#alone(held);
    this.#tag = undefined;
    if (found) this.#calls.push(...found);
    const calls = [...this.#calls];
    this.#calls.length = 0;
    return { text: found ? '' : held, calls };
  }

  #plain(): string {
    if (!this.#said && mayBeAlone(this.#held)) return '';
    const start = this.#line.trim() === '' && !this.#inFence ? this.#held.trimStart() : '';
    const blank = this.#held.length - start.length;
    if (start !== '') {
      const tag = TAGS.find(({ open }) => start.startsWith(open));
      if (tag) {
        this.#tag = tag;
        this.#held = start;
        return '';
      }
      if (TAGS.some(({ open }) => open.startsWith(start))) return '';
    }
    // Up to the end of the line: the next one may begin with a tag.
    const end = this.#held.indexOf('\n', start === '' ? 0 : blank) + 1 || this.#held.length;
    return this.#show(this.#held.slice(0, end));
  }

  #block(tag: Tag): string {
    const end = this.#held.indexOf(tag.close);
    if (end === -1) return this.#held.length > LONGEST ? this.#show(this.#held) : '';
    const block = this.#held.slice(0, end + tag.close.length);
    this.#tag = undefined;
    const found = this.#callsOf(tag, block);
    if (!found) return this.#show(block);
    this.#calls.push(...found);
    this.#held = this.#held.slice(block.length).trimStart();
    return '';
  }

  #show(text: string): string {
    this.#tag = undefined;
    this.#held = this.#held.slice(text.length);
    this.#said ||= text.trim() !== '';
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        if (/^ {0,3}(```|~~~)/.test(this.#line)) this.#inFence = !this.#inFence;
        this.#line = '';
      }
      this.#line += line;
    }
    return text;
  }

  #callsOf({ open, close }: Tag, block: string): readonly WrittenCall[] | undefined {
    const inner = block.slice(open.length).replace(close, '');
    if (open === '<tool_call>') {
      return inner.trimStart().startsWith('<function=')
        ? this.#callsOf(TAGS[1], inner.trim())
        : this.#ofJson(inner.trim());
    }
    const [, name = '', body = ''] = /^([^>\s]+)>([\s\S]*)$/.exec(inner) ?? [];
    const parameters = [...body.matchAll(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g)];
    const input =
      parameters.length > 0
        ? Object.fromEntries(parameters.map(([, key = '', value = '']) => [key, this.#value(name, key, value)]))
        : parsed(body.trim() === '' ? '{}' : body);
    return this.#checked([{ name, input }]);
  }

  /** Everything that was said is the JSON of a call. */
  #alone(text: string): readonly WrittenCall[] | undefined {
    const fenced = /^\s*```[\w-]*\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text);
    return this.#ofJson((fenced?.[1] ?? text).trim());
  }

  #ofJson(text: string): readonly WrittenCall[] | undefined {
    const read = written.safeParse(parsed(text));
    if (!read.success) return undefined;
    return this.#checked(read.data.map(({ name, input }) => ({ name, input })));
  }

  #checked(calls: readonly { readonly name: string; readonly input: unknown }[]): readonly WrittenCall[] | undefined {
    const found = calls.flatMap(({ name, input }) => {
      const own = name.replace(/^functions\./, '');
      const fits = this.#tools.has(own) && typeof input === 'object' && input !== null && !Array.isArray(input);
      return fits ? [{ name: own, arguments: JSON.stringify(input) }] : [];
    });
    return found.length > 0 && found.length === calls.length ? found : undefined;
  }

  /** A text stays a text where the tool wants one. */
  #value(tool: string, key: string, text: string): unknown {
    const properties = this.#tools.get(tool)?.inputSchema.properties;
    const property = typeof properties === 'object' ? (properties as Record<string, unknown>)[key] : undefined;
    const type = typeof property === 'object' && property !== null && 'type' in property ? property.type : undefined;
    if (type === 'string') return text;
    const value = parsed(text);
    return value === undefined ? text : value;
  }
}

const input = z.union([z.record(z.string(), z.unknown()), z.string().transform((text) => parsed(text))]);
const body = z
  .looseObject({
    name: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    tool_name: z.string().exactOptional(),
    arguments: input.exactOptional(),
    parameters: input.exactOptional(),
    args: input.exactOptional(),
    input: input.exactOptional(),
  })
  .transform((of) => ({
    name: of.name ?? of.tool_name ?? of.tool ?? '',
    input: of.arguments ?? of.parameters ?? of.args ?? of.input,
  }));
const one = z.union([z.looseObject({ function: body }).transform((of) => of.function), body]);
const written = z.union([z.array(one).min(1).max(20), one.transform((of) => [of])]);

/** True while a text from the very start may still become the JSON of a call, fenced or bare, and nothing else. */
function mayBeAlone(text: string): boolean {
  if (text.length > LONGEST) return false;
  const start = text.trimStart();
  if (start === '') return true;
  if (start.startsWith('`')) {
    if (/^`{1,3}$/.test(start)) return true;
    const fence = /^```[\w-]*\s*?(\n|$)/.exec(start);
    return fence !== null && (fence[1] === '' || mayBeJson(start.slice(fence[0].length).trimStart()));
  }
  return mayBeJson(start);
}

const KEYS = ['name', 'function', 'tool', 'tool_name', 'type', 'id', 'arguments', 'parameters', 'args', 'input'];

function mayBeJson(text: string): boolean {
  if (text === '') return true;
  const [, rest] = /^\[?\s*(?:\{\s*([\s\S]*))?$/.exec(text.slice(0, 200)) ?? [];
  if (rest === undefined) return /^\[?\s*$/.test(text.slice(0, 200));
  const [, key, closed] = /^"([\w]*)("?)/.exec(rest) ?? [];
  if (key === undefined) return rest === '';
  return KEYS.some((known) => (closed === '' ? known.startsWith(key) : known === key));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
